"""Ctrl-C that waits until what must not be done by halves is done."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 5.0  # seconds after the first Ctrl-C from which on others no longer wait


@contextmanager
def interruption_afterwards(*, raised: bool = True) -> Iterator[None]:
    """Answer a Ctrl-C that comes within the block at its end, by the handler that is set.

    One that comes ``PATIENCE`` seconds after another, or later, is answered at once: what hangs can be ended. In other
    threads than the main one, where Python never answers it, and where no handler is set, nothing changes.

    Args:
        raised: False: the block cannot be interrupted, and a ``KeyboardInterrupt`` at its end is ignored.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    waiting = handler if isinstance(handler, _Waiting) else _Waiting(handler)
    was_open, waiting.is_open = waiting.is_open, False
    if waiting is not handler:
        signal.signal(signal.SIGINT, waiting)
    try:
        yield
    finally:
        if waiting is not handler and signal.getsignal(signal.SIGINT) is waiting:  # f may have set another one
            signal.signal(signal.SIGINT, handler)
        waiting.is_open = was_open
        if was_open:
            with suppress(*() if raised else (KeyboardInterrupt,)):
                waiting.answer()


@contextmanager
def interruptible() -> Iterator[None]:
    """Answer Ctrl-C at once in a block that is within one of ``interruption_afterwards``, first the one that waits."""
    waiting = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not isinstance(waiting, _Waiting):
        yield
        return
    was_open, waiting.is_open = waiting.is_open, True
    try:
        waiting.answer()
        yield
    finally:
        waiting.is_open = was_open


class _Waiting:
    """A handler of SIGINT that puts it off while it is not open."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self.is_open = True
        self._handler = handler
        self._came: list[Any] = []  # what the handler is to be called with
        self._patient_until = math.inf  # of the monotonic clock

    def __call__(self, *given: Any) -> None:
        if self.is_open or time.monotonic() >= self._patient_until:
            self._came = []
            self._handler(*given)
        elif not self._came:
            self._patient_until = time.monotonic() + PATIENCE
            self._came = list(given)

    def answer(self) -> None:
        """Call the handler if an interruption came and waits."""
        if self._came:
            came, self._came, self._patient_until = self._came, [], math.inf
            self._handler(*came)
