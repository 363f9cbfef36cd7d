"""A worker process that runs one trial at a time, and may die of it without harm to anything else.

The process has a joblib (loky) executor of its own, so that a death names its trial: a signal, the lack of memory,
COCO's own exit or a time-out becomes a ``TrialFailure``, and the next trial gets a new process.
"""

import contextlib
import faulthandler
import fcntl
import math
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.death import death_in, death_of, in_words
from sacma.errors import RunError, of_the_machine
from sacma.experiment.children import forget_start, quiet_children, safe_path
from sacma.experiment.resolve_algorithm import add_missing_algorithm
from sacma.files.scratch import SEMAPHORES, noted_semaphores, remove_left, scratch_folder
from sacma.store.failure import FailureKind, TrialFailure, failed
from sacma.store.record import FinishedTrial
from sacma.threads import threads

if TYPE_CHECKING:
    from concurrent.futures import Future

LAST_WORDS = 4000
"""Bytes of the output of a process that are kept when it dies."""

SECONDS_FOR_TRACEBACK = 0.3
"""For a process that took too long, to print where it is."""

SECONDS_BETWEEN_LOOKS = 0.5
"""At whether the other process is alive, of coordinator and worker."""


class Worker:
    """A worker process, started by the first trial."""

    _spec: TrialSpec
    _timeout: float
    _deadline: float

    def __init__(self) -> None:
        self._scratch = scratch_folder()
        self._executor: Any = None
        self.future: Future[FinishedTrial | TrialFailure] | None = None

    def start(self, spec: TrialSpec, timeout: float | None, files: Sequence[Path] | None = None) -> None:
        """Begin a trial that may take ``timeout`` seconds, if any; the one before must have been collected.

        ``files`` with algorithms are those that the user has named; None for those that were added in this process.
        Raises RunError if the process cannot be started.
        """
        self._spec, self._timeout = spec, math.inf if timeout is None else timeout
        given = spec, ALGORITHMS.files if files is None else files
        try:
            self.future = self._submit(*given)
        except BrokenProcessPool:  # it died after its last trial
            self._end_process()
            self.future = self._submit(*given)
        self._deadline = time.monotonic() + self._timeout

    def _submit(self, *given: object) -> "Future[FinishedTrial | TrialFailure]":
        if self._executor is not None:
            return self._executor.submit(_attempt, *given)  # type: ignore[no-any-return]
        try:
            # The executor starts helpers, its first trial the process.
            with quiet_children(), noted_semaphores(self._scratch):
                self._executor = ProcessPoolExecutor(
                    max_workers=1,
                    initializer=_begin_work,
                    initargs=(os.getpid(), str(self._scratch)),
                    env={**safe_path(), **threads(1)},
                )
                return self._executor.submit(_attempt, *given)  # type: ignore[no-any-return]
        except BrokenProcessPool:
            raise
        except Exception as error:  # noqa: BLE001 whatever the system lacks
            self._executor = None
            raise RunError(
                f"a worker process cannot be started ({of_the_machine(error) or error}); try fewer with --jobs"
            ) from None

    @property
    def seconds_left(self) -> float:
        """Seconds that the trial may still take; inf without a limit."""
        return self._deadline - time.monotonic()

    def collect(self, *, wait: bool = False) -> FinishedTrial | TrialFailure | None:
        """Return the trial's result, or a failure if its time is up or its process died; else nothing, or ``wait``."""
        if self.future is None:
            raise RuntimeError("no trial was started")
        while (result := self._look(self.future, SECONDS_BETWEEN_LOOKS if wait else 0.0)) is None and wait:
            pass
        if result is not None:
            self.future = None
        return result

    def _look(
        self, future: "Future[FinishedTrial | TrialFailure]", seconds: float
    ) -> FinishedTrial | TrialFailure | None:
        try:
            return future.result(max(0.0, min(self.seconds_left, seconds)))
        except TimeoutError:
            death = self._death()
            if death is not None:
                return self._died(death)
            serving = self._executor._executor_manager_thread  # noqa: SLF001 without it nothing comes
            if not serving.is_alive() and not future.done():
                raise RunError(
                    "joblib's thread that serves a worker process has ended; try fewer with --jobs"
                ) from None
            return self._too_long() if self.seconds_left <= 0 else None
        except BrokenProcessPool as error:
            death = self._death()
            return self._died(death_in(str(error)) if death is None else death)

    def _death(self) -> int | None:
        """Return how the process ended, by its exit code, the first time after it has."""
        return next((death for death in map(death_of, self._processes()) if death is not None), None)

    def close(self) -> None:
        """End the process, in the middle of a trial or not, and remove what it left."""
        self._end_process()
        # COCO makes missing folders again: a process in its last moments may undo the first attempt.
        for _ in range(20):
            shutil.rmtree(self._scratch, ignore_errors=True)
            if not self._scratch.exists():
                break
            time.sleep(0.02)

    def _too_long(self) -> TrialFailure:
        for process in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGUSR1)
        time.sleep(SECONDS_FOR_TRACEBACK)
        words = self._last_words()
        self._end_process()
        return failed(self._spec, FailureKind.TIMEOUT, f"it took longer than {self._timeout:g} s", words)

    def _died(self, death: int | None) -> TrialFailure:
        words = self._last_words()
        self._end_process()
        how = in_words(death)
        if death is not None and death >= 0:
            said = next((line.strip() for line in words.splitlines() if "COCO FATAL ERROR" in line), "")
            how += said and f" ({said})"
        return failed(self._spec, FailureKind.WORKER_DIED, how, words)

    def _last_words(self) -> str:
        """Return the end of the output of the process, unless the trial has removed it."""
        try:
            path = max(self._scratch.glob("*.err"), key=lambda path: path.stat().st_mtime)
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - LAST_WORDS))
                return file.read().decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def _processes(self) -> list[int]:
        return list(self._executor._processes) if self._executor is not None else []  # noqa: SLF001 no other way to its number

    def _end_process(self) -> None:
        if self._executor is not None:
            executor, self._executor = self._executor, None
            processes = list(executor._processes)  # noqa: SLF001 idem
            for process in processes:  # with all that it has started
                with contextlib.suppress(OSError):
                    if os.getpgid(process) == process:
                        os.killpg(process, signal.SIGKILL)
            with _managers_hushed():
                executor.shutdown(wait=True, kill_workers=True)
        self._scratch.mkdir(exist_ok=True)
        for left in self._scratch.iterdir():
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            elif left.name != SEMAPHORES:
                left.unlink(missing_ok=True)


@contextmanager
def _managers_hushed() -> Iterator[None]:
    """Keep joblib's threads from complaining when their process is taken away."""
    speak = threading.excepthook

    def hush(arguments: threading.ExceptHookArgs) -> None:
        if not type(arguments.thread).__module__.startswith("joblib."):
            speak(arguments)

    threading.excepthook = hush
    try:
        yield
    finally:
        threading.excepthook = speak


def _begin_work(coordinator: int, scratch: str) -> None:
    """Prepare a new worker process: its folder, its output, its end when the coordinator has ended."""
    forget_start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a cluster sends it to all: the coordinator decides
    with contextlib.suppress(OSError):  # a group of its own, so that what it starts can be ended with it
        os.setpgid(0, 0)
    tempfile.tempdir = scratch
    # The terminal is the coordinator's. Some versions of joblib start workers with standard streams that are closed:
    # what is opened then must not take their numbers.
    try:
        said = os.open(Path(scratch) / f"{os.getpid()}.err", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except FileNotFoundError:  # ended while it began: nobody waits for it
        os._exit(1)
    words = _above_standard(said)
    nothing = _above_standard(os.open(os.devnull, os.O_RDONLY))
    for kept, standard in ((nothing, 0), (words, 1), (words, 2)):
        os.dup2(kept, standard)
    os.close(nothing)
    os.close(words)
    for standard, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, open(standard, mode, closefd=False))  # noqa: SIM115 for the whole process
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    with contextlib.suppress(OSError):  # where the system lacks memory, it is to take it from here
        Path("/proc/self/oom_score_adj").write_text("500")
    threading.Thread(target=_follow, args=(coordinator, scratch), daemon=True).start()


def _above_standard(descriptor: int) -> int:
    """Replace a descriptor by one that is none of the standard streams."""
    duplicate = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return duplicate


def _follow(coordinator: int, scratch: str) -> None:
    """End this process when the coordinator has ended without a word."""
    while os.getppid() == coordinator:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    remove_left(Path(scratch), coordinator)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _attempt(spec: TrialSpec, files: Sequence[Path]) -> FinishedTrial | TrialFailure:
    from sacma.experiment.trial import attempt_trial, failure_of  # noqa: PLC0415 heavy, and needed in the worker only

    with contextlib.suppress(OSError):
        os.ftruncate(2, 0)
    try:
        add_missing_algorithm(spec, files)
        return attempt_trial(spec)
    except BaseException as error:  # noqa: BLE001 sys.exit and the like end the trial, not the campaign
        return failure_of(spec, error)
