"""Calls in several threads of a process: the same results as alone, and nothing of the process left changed."""

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from threadpoolctl import threadpool_info

import sacma
from sacma.process_wide import Shared
from sacma.surrogate.whitening import Array

METHODS = ("sacma", "cobyqa", "cmaes")


def sphere(x: Array) -> float:
    """Return a value at each point."""
    return float(x @ x)


def found(method: str) -> tuple[float, ...]:
    """Return all values of a short run."""
    return tuple(sacma.minimize(sphere, [1.0, 2.0, 3.0], 1.0, seed=7, budget=30, method=method).history.values)


def process_state() -> tuple[object, ...]:
    """Return the threads of linear algebra, and the filters of warnings."""
    return [pool["num_threads"] for pool in threadpool_info()], list(warnings.filters)


def test_calls_in_threads_find_what_they_find_alone() -> None:
    """And leave linear algebra and warnings as they were."""
    alone = {method: found(method) for method in METHODS}
    before = process_state()
    for _ in range(3):
        with ThreadPoolExecutor(4) as executor:
            runs = [(method, executor.submit(found, method)) for method in METHODS * 2]
        assert all(run.result() == alone[method] for method, run in runs)
        assert process_state() == before


FIRST_CALLS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numba
import sacma

together = Barrier(2)

def found(seed):
    if len(sys.argv) > 1:
        together.wait()
    return sacma.minimize(lambda x: float(((x - 1) ** 2) @ (x + 3) ** 2), [-1.0] * 5, 1, seed=seed, budget=60).fun

with ThreadPoolExecutor(2) as executor:
    print(list((executor.map if len(sys.argv) > 1 else map)(found, [1, 2])), repr(numba.config.CACHE_DIR))
"""


def test_first_calls_of_a_process_in_threads() -> None:
    """The likelihood with a trend is compiled once, apart from that without one."""
    command = [sys.executable, "-c", FIRST_CALLS]
    alone, *together = (
        subprocess.run([*command, *more], check=True, capture_output=True, text=True).stdout
        for more in ([], ["together"], ["together"], ["together"])
    )
    assert together == [alone] * 3


def test_a_process_that_is_forked_during_a_search() -> None:
    """It has no thread that would end the search's turn, and needs none."""
    ended = threading.Event()

    def search() -> None:
        while not ended.is_set():
            found("nelder-mead")  # COBYQA of SciPy has a lock of its own, which a child would wait for

    thread = threading.Thread(target=search)
    thread.start()
    try:
        for _ in range(5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's own, of a process that has threads
                child = os.fork()
            if child == 0:
                os._exit(3 if found("nelder-mead") else 4)
            alarm = threading.Timer(60.0, os.kill, (child, 9))
            alarm.start()
            _, status = os.waitpid(child, 0)
            alarm.cancel()
            assert os.waitstatus_to_exitcode(status) == 3
    finally:
        ended.set()
        thread.join()


class Counted:
    """A context that counts."""

    def __init__(self) -> None:
        self.threads: list[tuple[str, int]] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Note who enters and who leaves."""
        self.threads.append(("enters", threading.get_ident()))
        yield
        self.threads.append(("leaves", threading.get_ident()))


def test_the_first_thread_leaves_when_no_other_is_inside() -> None:
    """It waits for the other one, and only then puts back what it has changed."""
    counted, together, let = Counted(), threading.Barrier(2), threading.Event()
    shared = Shared(counted)

    def beside() -> None:
        with shared.entered():
            together.wait()
            let.wait()
            assert len(counted.threads) == 1
        together.wait()

    with ThreadPoolExecutor(1) as executor:
        with shared.entered():
            other = executor.submit(beside)
            together.wait()
            threading.Timer(0.2, let.set).start()
        assert counted.threads == [("enters", threading.get_ident()), ("leaves", threading.get_ident())]
        together.wait()
        other.result()


def test_an_error_inside_leaves_too() -> None:
    """And the next one enters anew."""
    counted = Counted()
    shared = Shared(counted)
    with pytest.raises(ZeroDivisionError), shared.entered():
        raise ZeroDivisionError
    with shared.entered(), shared.entered():
        pass
    assert [what for what, _ in counted.threads] == ["enters", "leaves"] * 2
