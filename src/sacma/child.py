"""Processes that answer calls, and may die of them without harm to anything else."""

import contextlib
import faulthandler
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, as_completed
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sacma.errors import in_words
from sacma.files.scratch import scratch_folder
from sacma.system import CONNECTION, end_own_group, given_to_a_group, is_parent, keep_from_children, kill_group

SOON = 0.1  # seconds after which a death, or the end of all, is noticed
BETWEEN_LOOKS = 1.0  # seconds, of a child, at whether its parent is alive
FOR_TRACEBACK = 0.3  # seconds that an isolated child has to say where it is when its time is up
LAST_WORDS = 4000  # bytes of the output of an isolated child that are kept when it dies

# Program of a child; with -P it imports nothing from the current folder, which may be somebody else's results.
PROGRAM = (
    f"import sys; from multiprocessing.connection import {CONNECTION} as C; connection = C(int(sys.argv[1])); "
    "sys.path[:] = connection.recv(); from sacma.child import answer; answer(connection, *map(int, sys.argv[2:]))"
)


class DeathError(Exception):
    """The end of a process before it has answered.

    Attributes:
        late: whether it was ended because its time was up.
        said: end of the output of an isolated process.
    """

    def __init__(self, how: str, *, late: bool, said: str) -> None:
        super().__init__(how)
        self.late, self.said = late, said


class Child:
    """A process that answers one call after another, and may die of them.

    Args:
        env: variables of its environment, besides those of this process.
        isolated: whether its output and temporary files go to a folder of its own, and it ignores SIGINT and SIGTERM.
    """

    def __init__(self, env: Mapping[str, str], *, isolated: bool = False) -> None:
        self._folder = scratch_folder() if isolated else None
        more = {"TMPDIR": str(self._folder)} if self._folder else {}
        self._connection, theirs = Pipe()
        with theirs, contextlib.ExitStack() as stack:
            output = stack.enter_context(self._said.open("ab")) if isolated else None
            numbers = map(str, (theirs.fileno(), os.getpid(), int(isolated)))
            self._process = subprocess.Popen(  # noqa: S603 our own interpreter, our own program
                [sys.executable, "-P", "-c", PROGRAM, *numbers],
                env={**os.environ, **env, **more},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # Ctrl-C reaches the parent alone; what the child starts ends with it.
                **given_to_a_group(theirs.fileno()),
            )
        self._connection.send(sys.path)

    @property
    def runs(self) -> bool:
        """True until it has ended."""
        return self._process.poll() is None

    def call(self, task: bytes, seconds: float, ends: threading.Event) -> Any:
        """Return the result of a function there.

        Args:
            task: the function and its arguments, pickled.
            seconds: that it may take, from the time when the task has been read.
            ends: kills the process when it is set.

        Raises:
            DeathError: the process has ended, or was killed.
            BrokenExecutor: it cannot read the task, or the function raises an exception.
        """
        until, begun = math.inf, False
        try:
            self._connection.send_bytes(task)
            while not ends.is_set() and time.monotonic() < until:
                runs = self.runs  # asked first: what has ended may have answered
                if self._connection.poll(max(0.0, min(SOON, until - time.monotonic())) if runs else 0.0):
                    answer = self._connection.recv()
                    if isinstance(answer, BaseException):
                        raise answer
                    if begun:
                        return answer
                    begun, until = True, time.monotonic() + seconds
                elif not runs:
                    break
        except (EOFError, OSError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(SOON)
        late = self.runs and time.monotonic() >= until
        if late and self._folder and sys.platform != "win32":
            self._process.send_signal(signal.SIGUSR1)
            time.sleep(FOR_TRACEBACK)
        said = self._last_words()
        self.kill()
        how = f"it took longer than {seconds:g} s" if late else in_words(self._process.returncode)
        raise DeathError(how, late=late, said=said)

    @property
    def _said(self) -> Path:
        return Path(self._folder or os.devnull) / "said"

    def _last_words(self) -> str:
        """Return the end of the output of an isolated process."""
        try:
            return self._said.read_bytes()[-LAST_WORDS:].decode(errors="replace")
        except OSError:
            return ""

    def close(self) -> None:
        """Let it end: there are no more calls."""
        self._connection.close()

    def kill(self) -> None:
        """End it with all that it has started, and remove its folder."""
        self._connection.close()
        with contextlib.suppress(OSError):
            kill_group(self._process.pid)
        self._process.wait()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __str__(self) -> str:
        return str(self._process.pid)


class Pool:
    """Children, each behind a thread of its own: where one dies, no other call fails.

    Args:
        count: of children, which are started when they are needed.
        env: as of ``Child``.
        seconds: that a call may take.
        isolated: as of ``Child``.
    """

    def __init__(
        self, count: int, env: Mapping[str, str], *, seconds: float = math.inf, isolated: bool = False
    ) -> None:
        self._env, self._seconds, self._isolated = env, seconds, isolated
        self._threads = ThreadPoolExecutor(count)
        self._idle: list[Child | None] = [None] * count  # None: not started yet
        self._ends = threading.Event()

    def submit(self, *call: Any) -> Future[Any]:
        """Begin a call, or let it wait for a child; its future raises what ``Child.call`` does."""
        from joblib.externals.loky.backend.reduction import dumps  # noqa: PLC0415 for those who use it

        # Python 3.13 complains of a buffer that ends before the view of it, as they do in a failed call's traceback.
        return self._threads.submit(self._call, bytes(dumps(call)))

    def each(self, function: Callable[..., Any], tasks: Iterable[Sequence[Any]]) -> Iterator[Any]:
        """Yield the results of a function for arguments as they come, and end all children."""
        try:
            for future in as_completed([self.submit(function, *task) for task in tasks]):
                yield future.result()
        finally:
            self.shutdown()

    def _call(self, task: bytes) -> Any:
        child = self._idle.pop()
        try:
            if child is not None and not child.runs:  # it has died since its last call
                child.kill()
                child = None
            child = child or Child(self._env, isolated=self._isolated)
            return child.call(task, self._seconds, self._ends)
        finally:
            self._idle.append(child)

    def shutdown(self, patience: float = 0.0) -> list[str]:
        """End all children, and return the numbers of those that were killed as they had not ended after a while.

        Children that are in the middle of a call are killed at once.
        """
        self._ends.set()
        self._threads.shutdown(cancel_futures=True)
        ending = [child for child in self._idle if child is not None]
        for child in ending:
            child.close()
        until = time.monotonic() + patience
        while (kept := [child for child in ending if child.runs]) and time.monotonic() < until:
            time.sleep(0.01)
        for child in ending:
            child.kill()
        return list(map(str, kept))


def answer(connection: Connection, parent: int, isolated: int) -> None:
    """Answer calls until no more come, in the process of a ``Child``."""
    keep_from_children(connection.fileno())
    threading.Thread(target=_end_with, args=(parent, connection), daemon=True).start()
    if isolated:
        faulthandler.enable()
        if sys.platform != "win32":
            faulthandler.register(signal.SIGUSR1)
        for number in (signal.SIGINT, signal.SIGTERM):  # a cluster sends them to all: the parent decides
            signal.signal(number, signal.SIG_IGN)
        with contextlib.suppress(OSError):  # where the system lacks memory, it is to take it from here
            Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):  # the parent has gone
        while True:
            result: Any
            try:
                call, *arguments = connection.recv()
            except (EOFError, OSError):
                raise
            except Exception as error:  # noqa: BLE001 a class may be anybody's
                connection.send(_broken(error))
                continue
            if isolated:
                os.ftruncate(1, 0)
            connection.send(None)  # the time of the call begins
            try:
                result = call(*arguments)
            except KeyboardInterrupt as interruption:
                result = interruption
            except Exception as error:  # noqa: BLE001 as above
                result = _broken(error)
            connection.send(result)


def _broken(error: Exception) -> BrokenExecutor:
    return BrokenExecutor(f"a process cannot read or do a task: {type(error).__name__}: {error}")


def _end_with(parent: int, connection: Connection) -> None:
    """End this process, and what it has started, as soon as its parent has ended: nobody takes its results."""
    while is_parent(parent, connection):
        time.sleep(BETWEEN_LOOKS)
    end_own_group()
