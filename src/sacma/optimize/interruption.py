"""Ctrl-C that waits until what must not be done by halves is done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruption_afterwards() -> Iterator[None]:
    """Answer a Ctrl-C that comes within the block at its end, by the handler that is set.

    In other threads than the main one, where Python never answers it, and where no handler is set, nothing changes.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])
