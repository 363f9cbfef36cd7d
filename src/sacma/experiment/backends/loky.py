"""Trials in parallel processes on this machine, through joblib."""

import multiprocessing
import signal
import tempfile
from collections.abc import Generator, Sequence

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from sacma.errors import RunError
from sacma.experiment.backends.serial import run_serially
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import TrialRecord
from sacma.experiment.trial import TrialFailure, attempt_trial


class WorkerLostError(RunError):
    """A worker process died, and the pool with it."""


def run_with_loky(specs: Sequence[TrialSpec], jobs: int) -> Generator[TrialRecord | TrialFailure, None, None]:
    """Yield the results of ``specs`` as they are finished by ``jobs`` worker processes.

    Closing the generator before its end kills the workers.

    Raises:
        WorkerLostError: a worker was killed, or ended by COCO itself.
    """
    if jobs == 1:  # joblib would run them in this process as well
        yield from run_serially(specs, jobs)
        return
    # The workers' temporary folders are in one of ours, which outlives workers that are killed.
    with (
        tempfile.TemporaryDirectory(prefix="sacma-") as scratch,
        parallel_config("loky", inner_max_num_threads=1),
    ):
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="3*n_jobs")
        finished = False
        try:
            yield from pool(delayed(_in_worker)(spec, scratch) for spec in specs)
            finished = True
        except TerminatedWorkerError:
            raise WorkerLostError("a worker process died; what was finished is kept") from None
        finally:
            if not finished:
                _kill_workers()


def _kill_workers() -> None:
    workers = multiprocessing.active_children()
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()


def _in_worker(spec: TrialSpec, scratch: str) -> TrialRecord | TrialFailure:
    # Ctrl-C reaches the whole process group; only the coordinator answers it, and ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = scratch
    return attempt_trial(spec)
