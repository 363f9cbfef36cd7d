"""Ctrl-C that waits until what must not be done by halves is done."""

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

PATIENCE = 5.0  # seconds after the first Ctrl-C from which on others no longer wait


@contextmanager
def interruption_afterwards(*, raised: bool = True) -> Iterator[None]:
    """Answer a Ctrl-C that comes within the block at its end, by the handler that is set.

    Others that come ``PATIENCE`` seconds after it, or later, are answered at once: what hangs can be ended. In other
    threads than the main one, where Python never answers it, within another such block, and where no handler is set,
    nothing changes.

    Args:
        raised: False: a ``KeyboardInterrupt`` of the handler at the end of the block is ignored.
    """
    if (
        _in_another_thread()
        or _Waiting.in_force is not None
        or not callable(handler := signal.getsignal(signal.SIGINT))
    ):
        yield
        return
    waiting = _Waiting(handler)
    try:
        signal.signal(signal.SIGINT, waiting)
        _Waiting.in_force = waiting
        yield
    finally:
        _Waiting.in_force = None
        now: object = signal.getsignal(signal.SIGINT)
        if now is waiting:  # else it is that of what ran meanwhile
            signal.signal(signal.SIGINT, waiting.handler)
        with suppress(*() if raised else (KeyboardInterrupt,)):
            waiting.answer()


@contextmanager
def interruptible() -> Iterator[None]:
    """Within a block of ``interruption_afterwards``, put the handler back for as long; first it answers what waits."""
    if _in_another_thread() or (waiting := _Waiting.in_force) is None:
        yield
        return
    try:
        _Waiting.in_force = None
        signal.signal(signal.SIGINT, waiting.handler)
        waiting.answer()
        yield
    finally:
        handler = signal.getsignal(signal.SIGINT)
        if handler is not None:  # one that is not Python's, which nothing can put back
            waiting.handler = handler  # what ran may have set another one
            signal.signal(signal.SIGINT, waiting)
            _Waiting.in_force = waiting


def _in_another_thread() -> bool:
    return threading.current_thread() is not threading.main_thread()


class _Waiting:
    """A handler of SIGINT that puts it off.

    Args:
        handler: that before it.
    """

    in_force: ClassVar["_Waiting | None"] = None  # that of the main thread's block; None where it is interruptible

    def __init__(self, handler: Any) -> None:
        self.handler = handler
        self._came: list[Any] = []  # what the handler is to be called with
        self._patient_until = math.inf  # of the monotonic clock

    def __call__(self, *given: Any) -> None:
        if time.monotonic() >= self._patient_until:
            self._came = list(given)
            self.answer()
        elif not self._came:
            self._patient_until = time.monotonic() + PATIENCE
            self._came = list(given)

    def answer(self) -> None:
        """Call the handler if an interruption came and waits."""
        came, self._came = self._came, []
        if came and callable(self.handler):
            self.handler(*came)
