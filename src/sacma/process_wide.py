"""States of the whole process, which several threads share: warnings, threads of numeric libraries, the environment."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sacma.system import in_forked_children

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

LONGEST_WAIT = 0.1  # seconds that a thread waits for another one to leave before it enters beside it


@contextmanager
def unbroken(*, raised: bool = True) -> Iterator[None]:
    """Let a Ctrl-C wait until the few lines of the block are done.

    Args:
        raised: False: it has no effect then.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and raised:
            signal.raise_signal(signal.SIGINT)


def surely(step: Callable[[], object], *, raised: bool = True) -> None:
    """Take a step that can be taken twice as once, though Ctrl-C may come before it; see ``unbroken``."""
    try:
        with unbroken(raised=raised):
            step()
    except KeyboardInterrupt:
        with unbroken(raised=raised):
            step()
        if raised:
            raise


@contextmanager
def afterwards(step: Callable[[], object]) -> Iterator[None]:
    """Take a step ``surely`` when the block ends; twice, as Ctrl-C may come just before the first time."""
    try:
        try:
            yield
        finally:
            surely(step)
    finally:
        surely(step)


class Shared:
    """A context in which several threads may be: the first one enters it, and leaves it when no other is inside.

    Contexts that save and put back a state of the process, such as ``warnings.catch_warnings``, leave a changed one
    behind where threads enter and leave them in turn. Some, such as threadpoolctl's, can be left by the thread alone
    that entered them.

    >>> entered = []
    >>> @contextmanager
    ... def state():
    ...     entered.append(True)
    ...     yield
    ...     entered.append(False)
    >>> shared = Shared(state)
    >>> with shared.entered(), shared.entered():
    ...     pass
    >>> entered
    [True, False]

    Args:
        make: returns the context.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make = make
        self._of_thread = threading.local()
        self._changed = threading.Condition()
        self._entered = ExitStack()
        self._first = 0  # the thread that entered it
        self._inside = 0  # threads
        self._closing = False  # while the first one waits for the others
        in_forked_children(self._left_by_the_parent)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Be inside."""
        if getattr(self._of_thread, "inside", False):
            yield
            return
        with afterwards(self._leave):
            with unbroken():
                self._enter()
            yield

    def _enter(self) -> None:
        with self._changed:
            # Not for ever: the other one may wait for a thread that waits for this one.
            self._changed.wait_for(lambda: not self._closing, LONGEST_WAIT)
            if self._inside == 0:
                self._entered.enter_context(self._make())
                self._first = threading.get_ident()
            self._inside += 1
            self._of_thread.inside = True

    def _leave(self) -> None:
        if not getattr(self._of_thread, "inside", False):
            return
        with self._changed:
            self._of_thread.inside = False
            if self._first == threading.get_ident():
                self._closing = True
                self._changed.wait_for(lambda: self._inside <= 1)
                self._closing = False
                self._entered.close()
            self._inside = max(0, self._inside - 1)  # 0 in a process that was forked from inside
            self._changed.notify_all()

    def _left_by_the_parent(self) -> None:
        """Leave in a forked process, where the other threads of its parent are not."""
        self._changed, self._inside, self._closing = threading.Condition(), 0, False
        self._entered.close()


@contextmanager
def contained() -> Iterator[None]:
    """Put back what code may change in its process; begin with NumPy's own handling of floating-point errors."""
    environment, path, folder = dict(os.environ), list(sys.path), ""
    with suppress(OSError):
        folder = os.getcwd()  # noqa: PTH109 Path.cwd is the same
    numpys: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    try:
        with np.errstate(**numpys), warnings.catch_warnings():
            yield
    finally:
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        sys.path[:] = path
        with suppress(OSError):
            os.chdir(folder)  # "" where there was none


_ignoring = partial(warnings.catch_warnings, action="ignore")
_QUIET = Shared(_ignoring)


def quiet() -> AbstractContextManager[object]:
    """Ignore warnings, in all threads where filters are the process's."""
    own_of_each_thread = getattr(sys.flags, "context_aware_warnings", False)  # from Python 3.14 on
    return _ignoring() if own_of_each_thread else _QUIET.entered()


LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")


def threads(number: int) -> dict[str, str]:
    """Return variables of the environment that hold each library to so many threads.

    >>> threads(1)["OPENBLAS_NUM_THREADS"]
    '1'
    """
    return {f"{library}_NUM_THREADS": str(number) for library in LIBRARIES}


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread: its bits do not depend on the number of cores, and it is faster so."""
    return _ONE.entered()


@cache
def _pools() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 for those who use it

    return ThreadpoolController()


_ONE = Shared(lambda: _pools().limit(limits=1))
