"""A process of ours that answers calls, and may die of them without harm to anything else."""

import math
import os
import threading
import time
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from sacma.death import end_with, in_words

SOON = 0.1  # seconds after which a death, or the end of all, is noticed
BEGUN = "begun"  # said by a process before it calls: the time of a call does not count its own start


class DeathError(Exception):
    """The end of a process before it has answered, in words."""


class Child:
    """A process that answers one call after another, and may die of them.

    Args:
        env: variables of its environment, besides those of this process.
    """

    def __init__(self, env: dict[str, str]) -> None:
        from joblib.externals.loky.backend.process import LokyProcess  # noqa: PLC0415 for those who use it

        self._connection, theirs = Pipe()
        self._process = LokyProcess(target=_answer, args=(theirs, os.getpid()), env=env)
        self._process.start()
        theirs.close()

    @property
    def runs(self) -> bool:
        """True until it has ended."""
        return self._process.exitcode is None

    def call(self, task: memoryview, seconds: float, ends: threading.Event) -> Any:
        """Return what a function returns there.

        Args:
            task: the function and its arguments, pickled.
            seconds: that it may take.
            ends: kills the process when it is set.

        Raises:
            DeathError: the process has ended, or was killed.
            BrokenExecutor: it cannot read the task, or the function raises an exception.
        """
        until = math.inf
        try:
            self._connection.send_bytes(task)
            while not ends.is_set() and time.monotonic() < until:
                runs = self.runs  # asked first: what has ended may have answered
                if self._connection.poll(max(0.0, min(SOON, until - time.monotonic())) if runs else 0.0):
                    answer = self._connection.recv()
                    if isinstance(answer, BaseException):
                        raise answer
                    if answer != BEGUN:
                        return answer
                    until = time.monotonic() + seconds
                elif not runs:
                    break
        except (EOFError, OSError):
            self._process.join(SOON)
        late = self.runs and time.monotonic() >= until
        self.kill()
        raise DeathError(f"it took longer than {seconds:g} s" if late else in_words(self._process.exitcode))

    def close(self) -> None:
        """Let it end: there are no more calls."""
        self._connection.close()

    def kill(self) -> None:
        """End it with all that it has started."""
        from joblib.externals.loky.backend.utils import kill_process_tree  # noqa: PLC0415 as above

        if self.runs:
            kill_process_tree(self._process)

    def __str__(self) -> str:
        return str(self._process.pid)


def _answer(connection: Connection, parent: int) -> None:
    """Answer calls until no more come."""
    end_with(parent)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            try:
                call, *arguments = connection.recv()
                connection.send(BEGUN)
                answer = call(*arguments)
            except (EOFError, OSError):  # the parent has gone
                raise
            except KeyboardInterrupt as interruption:
                answer = interruption
            except Exception as error:  # noqa: BLE001 a class may be anybody's
                answer = BrokenExecutor(f"a process cannot read or do a task: {type(error).__name__}: {error}")
            connection.send(answer)
