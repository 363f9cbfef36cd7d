"""Trials in parallel processes on this machine, through joblib."""

import contextlib
import multiprocessing
import multiprocessing.resource_tracker
import os
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker
from joblib.externals.loky.backend.process import LokyProcess
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
    with _scratch_folder() as scratch, parallel_config("loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="3*n_jobs")
        finished = False
        with _managers_hushed():
            try:
                with _quiet_children():
                    results = pool(delayed(_in_worker)(spec, scratch) for spec in specs)
                yield from results
                finished = True
            except TerminatedWorkerError:
                raise WorkerLostError("a worker process died, maybe for lack of memory") from None
            finally:
                if not finished:
                    _end_workers()


@contextmanager
def _scratch_folder() -> Iterator[str]:
    """Make a folder for the temporary folders of workers, which must go even where the workers are killed."""
    scratch = Path(tempfile.mkdtemp(prefix="sacma-"))
    try:
        yield str(scratch)
    finally:
        # COCO makes missing folders again: a worker in its last moments may undo the first attempt.
        for _ in range(20):
            shutil.rmtree(scratch, ignore_errors=True)
            time.sleep(0.02)
            if not scratch.exists():
                break


@contextmanager
def _quiet_children() -> Iterator[None]:
    """Let the processes that start meanwhile ignore Ctrl-C and keep their warnings at exit to themselves.

    Ctrl-C reaches the whole process group: only the coordinator is to answer it, and to end the workers. They
    inherit a blocked SIGINT; one that comes meanwhile is answered afterwards. Starting a resource tracker unblocks
    it, so those must be running before.
    """
    warnings_before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [warnings_before, "ignore:resource_tracker"]))
    multiprocessing.resource_tracker.ensure_running()
    loky_resource_tracker.ensure_running()
    mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if warnings_before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warnings_before
        signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)


@contextmanager
def _managers_hushed() -> Iterator[None]:
    """Keep joblib from complaining when its pool is taken away, its threads by tracebacks, now or soon after."""
    warnings.filterwarnings("ignore", r"\d+ tasks (have been|which were)", UserWarning, "joblib")
    speak = threading.excepthook

    def hush(arguments: threading.ExceptHookArgs) -> None:
        if not type(arguments.thread).__module__.startswith("joblib."):
            speak(arguments)

    threading.excepthook = hush
    yield
    threading.excepthook = speak  # not after an interruption: their end is still to come


def _end_workers() -> None:
    workers = [child for child in multiprocessing.active_children() if isinstance(child, LokyProcess)]
    for worker in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
    for worker in workers:
        worker.join(timeout=10)


def _in_worker(spec: TrialSpec, scratch: str) -> TrialRecord | TrialFailure:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for a worker that replaced another
    tempfile.tempdir = scratch
    return attempt_trial(spec)
