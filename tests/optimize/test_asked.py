"""Searches in threads: their turns, their ends, and interruptions."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from sacma.optimize.asked import AskedSearch, Request
from sacma.optimize.interruption import interruption_afterwards


def searches() -> int:
    return sum(thread.name == "search" for thread in threading.enumerate())


def point(asked: AskedSearch) -> float:
    return asked.ask()[0].item()


def endless(f: Callable[[Request], float]) -> None:
    x = 1.0
    while True:
        x = f(Request(np.array([x]), restart=0)) / 2


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_between_two_evaluations() -> None:
    """It is raised when the search has come to its next point, and the search goes on from there."""
    signals = [signal.SIGINT]

    def slow(f: Callable[[Request], float]) -> None:
        for x in range(10):
            f(Request(np.array([float(x)]), restart=0))
            if x == 2 and signals:
                os.kill(os.getpid(), signals.pop())
                time.sleep(0.3)

    asked = AskedSearch(slow)
    asked.tell([1.0])
    asked.tell([1.0])
    with pytest.raises(KeyboardInterrupt), interruption_afterwards():
        asked.tell([1.0])
    assert point(asked) == 3.0
    asked.tell([2.0])
    assert point(asked) == 4.0
    asked.close()
    assert searches() == 0


def test_a_search_that_hangs_between_two_evaluations() -> None:
    """Its thread is left to itself by a Ctrl-C; the search is computed again where it is needed."""
    hangs, first = threading.Event(), [True]

    def slow(f: Callable[[Request], float]) -> None:
        for x in range(10):
            f(Request(np.array([float(x)]), restart=0))
            if x == 2 and first.pop():
                hangs.wait()

    class Interrupted(threading.Event):
        def wait(self, _: float | None = None) -> bool:
            raise KeyboardInterrupt

    asked = AskedSearch(slow)
    asked.tell([1.0])
    asked.tell([1.0])
    assert asked._thread is not None
    asked._thread._moves.made = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        asked.tell([1.0])
    assert searches() == 1
    while first:
        time.sleep(0.01)
    first.append(False)
    assert point(asked) == 3.0
    hangs.set()
    asked.close()


def test_an_error_of_the_search_is_raised_where_it_is_told() -> None:
    """At the beginning too; no thread is left."""

    def failing(f: Callable[[Request], float]) -> None:
        f(Request(np.array([1.0]), restart=0))
        raise LookupError("a mistake")

    def none(_: Callable[[Request], float]) -> None:
        raise LookupError("at once")

    asked = AskedSearch(failing)
    with pytest.raises(LookupError, match="a mistake"):
        asked.tell([1.0])
    with pytest.raises(LookupError, match="at once"):
        AskedSearch(none)
    assert searches() == 0
    assert AskedSearch(lambda _: None).stopped


def test_garbage_in_the_turn_of_another_search() -> None:
    """A search that is collected by another one's thread ends after its turn."""
    garbage: list[object] = [AskedSearch(endless)]
    garbage.append(garbage)
    assert searches() == 1

    def collecting(f: Callable[[Request], float]) -> None:
        garbage.clear()
        gc.collect()
        endless(f)

    other = AskedSearch(collecting)
    assert searches() == 1
    assert point(other) == 1.0
    other.tell([3.0])
    assert point(other) == 1.5
    other.close()
    assert searches() == 0


def test_a_search_that_goes_on_after_its_end() -> None:
    """Each further evaluation ends it again."""
    seen: list[str] = []

    def stubborn(f: Callable[[Request], float]) -> None:
        for _ in range(3):
            try:
                endless(f)
            except BaseException as error:  # noqa: BLE001 what it should not do
                seen.append(type(error).__name__)

    AskedSearch(stubborn).close()
    assert seen == ["SearchEnd"] * 3
    assert searches() == 0
