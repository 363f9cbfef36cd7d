"""Trials in parallel processes on this machine, through joblib."""

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from joblib import Parallel, delayed, parallel_config
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
    # The workers' temporary folders are in one of ours, which outlives workers that are killed.
    with tempfile.TemporaryDirectory(prefix="sacma-") as scratch, parallel_config("loky", inner_max_num_threads=1):
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
def _quiet_children() -> Iterator[None]:
    """Let the processes that start meanwhile ignore Ctrl-C and keep their warnings at exit to themselves.

    Ctrl-C reaches the whole process group: only the coordinator is to answer it, and to end the workers.
    """
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None  # children inherit nothing but this
    warnings = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [warnings, "ignore:resource_tracker"]))
    try:
        yield
    finally:
        if warnings is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warnings
        if main:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _managers_hushed() -> Iterator[None]:
    """Keep joblib's own threads from printing tracebacks when their pool is taken away, now or soon after."""
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
