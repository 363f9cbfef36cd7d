"""Trials in parallel processes on this machine, through joblib."""

import signal
from collections.abc import Iterator, Sequence

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from sacma.errors import SacmaError
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import TrialRecord
from sacma.experiment.trial import TrialFailure, attempt_trial


class WorkerLostError(SacmaError):
    """A worker process died, and the pool with it."""


def run_with_loky(specs: Sequence[TrialSpec], jobs: int) -> Iterator[TrialRecord | TrialFailure]:
    """Yield the results of ``specs`` as they are finished by ``jobs`` worker processes.

    Raises:
        WorkerLostError: a worker was killed, or ended by COCO itself.
    """
    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="3*n_jobs")
        try:
            yield from pool(delayed(_in_worker)(spec) for spec in specs)
        except TerminatedWorkerError:
            raise WorkerLostError("a worker process died; what was finished is kept") from None


def _in_worker(spec: TrialSpec) -> TrialRecord | TrialFailure:
    # Ctrl-C reaches the whole process group; only the coordinator answers it, and ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return attempt_trial(spec)
