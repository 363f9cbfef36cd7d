"""Calls in several threads of a process: the same results as alone, and nothing of the process left changed."""

import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from sacma.types import Array
from tests.commands import printed_by
from tests.optimize.runs import sphere
from tests.sizes import sizes

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
    assert printed_by(FIRST_CALLS) == printed_by(FIRST_CALLS, "together")


def test_a_process_that_is_forked_during_a_search() -> None:
    """It has no thread that would end the search's turn, and needs none."""
    if sys.platform == "win32":
        pytest.skip("it forks nothing")
    ended = threading.Event()
    found = partial(sacma.minimize, sphere, [1.0, 2.0, 3.0], 1.0, seed=7, budget=30, method="nelder-mead")
    assert found()  # a child would wait for a module that another thread is importing

    def search() -> None:
        while not ended.is_set():
            found()  # COBYQA of SciPy has a lock of its own, which a child would wait for

    thread = threading.Thread(target=search)
    thread.start()
    try:
        for _ in range(5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's own, of a process that has threads
                child = os.fork()
            if child == 0:
                os._exit(3 if found().nfev == 30 else 4)
            alarm = threading.Timer(60.0, os.kill, (child, 9))
            alarm.start()
            _, status = os.waitpid(child, 0)
            alarm.cancel()
            assert os.waitstatus_to_exitcode(status) == 3
    finally:
        ended.set()
        thread.join()


@pytest.fixture(name="_fast_switches")
def fast_switches() -> Iterator[None]:
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def tell_if_missing(es: sacma.Optimizer, points: list[Array]) -> None:
    """Tell values, unless another thread has told one of them."""
    try:
        es.tell(points, [sphere(point) for point in points])
    except ValueError as error:
        assert "points that ask gave" in str(error)  # noqa: PT017 others are ours


def all_at_once(es: sacma.Optimizer) -> None:
    """Ask, and tell all."""
    tell_if_missing(es, es.ask())


def one_by_one(es: sacma.Optimizer) -> None:
    """Ask, and tell one after the other, the last one first."""
    for point in reversed(es.ask()):
        tell_if_missing(es, [point])


def look(es: sacma.Optimizer) -> None:
    """Look at everything there is."""
    result = es.result
    assert result.nfev == len(result.history.values)
    assert len(es.pending) >= 0
    assert repr(es.stop()) is not None


def save(es: sacma.Optimizer) -> None:
    """Save; what is saved can be loaded."""
    with tempfile.TemporaryDirectory() as folder:
        es.save(Path(folder) / "saved")
        assert sacma.Optimizer.load(Path(folder) / "saved").result.nfev <= es.result.nfev


def again_and_again(es: sacma.Optimizer, do: Callable[[sacma.Optimizer], None]) -> None:
    """Do something until the optimizer stops."""
    while not es.stop():
        try:
            do(es)
        except ValueError as error:
            assert "called at the end" in str(error)  # noqa: PT017 others are ours


@pytest.mark.usefixtures("_fast_switches")
@sizes("examples", small=8, full=300)
def test_one_optimizer_in_threads(examples: int) -> None:
    """Whatever threads do with it at a time: nothing is lost, told twice or torn, and its journal goes on."""

    @given(
        method=st.sampled_from(["sacma", "cmaes", "ada-kendall"]),
        doings=st.lists(st.sampled_from([all_at_once, one_by_one, look, save]), min_size=1, max_size=4),
        seed=st.integers(0, 99),
    )
    @settings(max_examples=examples)
    def check(method: str, doings: list[Any], seed: int) -> None:
        arguments: dict[str, Any] = {"x0": [1.0, 2.0], "sigma0": 1.0, "seed": seed, "budget": 16, "method": method}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal"
            es = sacma.Optimizer(journal=path, **arguments)
            with ThreadPoolExecutor(1 + len(doings)) as executor:
                for each in [executor.submit(again_and_again, es, do) for do in (all_at_once, *doings)]:
                    each.result(60)
            kept = sacma.read_journal(path)
            assert sorted(entry.number for entry in kept.entries if entry.number) == list(range(1, 17))
            assert kept.values[-16:].tobytes() == es.result.history.values.tobytes()
            es.close()
            again = sacma.Optimizer(journal=path, **arguments)
            assert again.result.history.values.tobytes() == kept.values[-16:].tobytes()
            again.close()

    check()
