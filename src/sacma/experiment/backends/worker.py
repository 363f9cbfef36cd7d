"""A worker process that runs one trial at a time, and may die of it without harm to anything else.

The process is a joblib (loky) executor of its own, so that a death names its trial: whatever kills it, a signal, the
lack of memory, COCO's own exit or our patience, becomes a ``TrialFailure``, and the next trial gets a new process.
"""

import contextlib
import faulthandler
import multiprocessing.resource_tracker
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker
from joblib.externals.loky.process_executor import BrokenProcessPool

from sacma.experiment.failure import FailureKind, TrialFailure, now
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import FinishedTrial
from sacma.experiment.scratch import scratch_folder

if TYPE_CHECKING:
    from concurrent.futures import Future

LAST_WORDS = 4000
"""How many bytes of what a process said are kept when it dies."""

SECONDS_FOR_TRACEBACK = 0.3
"""How long a process that took too long gets to say where it is."""

SECONDS_BETWEEN_LOOKS = 0.5
"""How often a worker looks whether its coordinator is still there."""

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")}


class Worker:
    """A worker process, started by the first trial."""

    def __init__(self) -> None:
        self._timeout: float | None = None
        self._scratch = scratch_folder()
        self._executor: Any = None
        self._spec: TrialSpec | None = None
        self._begin = 0.0
        self.future: Future[FinishedTrial | TrialFailure] | None = None

    def start(self, spec: TrialSpec, timeout: float | None) -> None:
        """Begin a trial that may take ``timeout`` seconds, if any; the one before must have been collected."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                max_workers=1, initializer=_begin_work, initargs=(os.getpid(), str(self._scratch)), env=ONE_THREAD
            )
            with quiet_children():  # the first trial starts the process
                self.future = self._executor.submit(_attempt, spec)
        else:
            self.future = self._executor.submit(_attempt, spec)
        self._spec, self._timeout = spec, timeout
        self._begin = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        """How long the trial may still take."""
        return None if self._timeout is None else self._begin + self._timeout - time.monotonic()

    def collect(self, *, wait: bool = False) -> FinishedTrial | TrialFailure | None:
        """Return the trial's result, or a failure if its time is up or its process died; else nothing.

        Args:
            wait: until there is one of them.
        """
        if self.future is None or self._spec is None:
            raise RuntimeError("no trial was started")
        try:
            result: FinishedTrial | TrialFailure | None = self.future.result(self.seconds_left if wait else 0)
        except TimeoutError:
            left = self.seconds_left
            if left is None or left > 0:
                return None
            result = self._too_long(self._spec)
        except BrokenProcessPool as error:
            result = self._died(self._spec, error)
        self.future = None
        return result

    def close(self) -> None:
        """End the process, in the middle of a trial or not, and remove what it left."""
        self._end_process()
        # COCO makes missing folders again: a process in its last moments may undo the first attempt.
        for _ in range(20):
            shutil.rmtree(self._scratch, ignore_errors=True)
            if not self._scratch.exists():
                break
            time.sleep(0.02)

    def _too_long(self, spec: TrialSpec) -> TrialFailure:
        for process in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGUSR1)
        time.sleep(SECONDS_FOR_TRACEBACK)
        words = self._last_words()
        self._end_process()
        error = f"it took longer than {self._timeout:g} s"
        return TrialFailure(spec, FailureKind.TIMEOUT, error, words, when=now())

    def _died(self, spec: TrialSpec, error: BrokenProcessPool) -> TrialFailure:
        words = self._last_words()
        self._end_process()
        code = re.search(r"\{(\w+)\((-?\d+)\)\}", str(error))
        if code is None:
            how = "its process died"
        elif code[1] == "EXIT":
            said = next((line for line in words.splitlines() if "COCO FATAL ERROR" in line), "")
            how = f"its process ended itself with exit code {code[2]}{said and f' ({said.strip()})'}"
        else:
            how = f"its process was ended by {code[1]}{' (out of memory?)' if code[1] == 'SIGKILL' else ''}"
        return TrialFailure(spec, FailureKind.WORKER_DIED, how, words or str(error), when=now())

    def _last_words(self) -> str:
        files = sorted(self._scratch.glob("*.err"), key=lambda path: path.stat().st_mtime)
        return files[-1].read_bytes()[-LAST_WORDS:].decode(errors="replace") if files else ""

    def _processes(self) -> list[int]:
        return list(self._executor._processes) if self._executor is not None else []  # noqa: SLF001 no other way to its number

    def _end_process(self) -> None:
        if self._executor is not None:
            executor, self._executor = self._executor, None
            executor.shutdown(wait=True, kill_workers=True)
        for left in self._scratch.iterdir():
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


@contextmanager
def quiet_children() -> Iterator[None]:
    """Let the processes that start meanwhile ignore Ctrl-C and keep their warnings at exit to themselves.

    Ctrl-C reaches the whole process group: only the coordinator is to answer it, and to end the workers. They
    inherit a blocked SIGINT; one that comes meanwhile is answered afterwards. Starting a resource tracker unblocks
    it, so those must be running before.
    """
    if threading.current_thread() is not threading.main_thread():  # signals are another's business
        yield
        return
    warnings_before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [warnings_before, "ignore:resource_tracker"]))
    multiprocessing.resource_tracker.ensure_running()
    loky_resource_tracker.ensure_running()
    mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        if warnings_before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warnings_before
        signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)


def _begin_work(coordinator: int, scratch: str) -> None:
    """Prepare a new worker process: its folder, its last words, its end when the coordinator has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a cluster sends it to all: the coordinator decides
    tempfile.tempdir = scratch
    words = os.open(Path(scratch) / f"{os.getpid()}.err", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(words, 2)
    os.close(words)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    with contextlib.suppress(OSError):  # where the system lacks memory, it is to take it from here
        Path("/proc/self/oom_score_adj").write_text("500")
    threading.Thread(target=_follow, args=(coordinator, scratch), daemon=True).start()


def _follow(coordinator: int, scratch: str) -> None:
    """End this process when the coordinator has ended without a word."""
    while os.getppid() == coordinator:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(1)


def _attempt(spec: TrialSpec) -> FinishedTrial | TrialFailure:
    from sacma.experiment.trial import attempt_trial, failure_of  # noqa: PLC0415 heavy, and needed in the worker only

    with contextlib.suppress(OSError):
        os.ftruncate(2, 0)
    try:
        return attempt_trial(spec)
    except BaseException as error:  # noqa: BLE001 sys.exit and the like end the trial, not the campaign
        return failure_of(spec, error)
