"""Evaluations that begin as soon as a worker is free."""

import itertools
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.call import Call, checked_call
from sacma.optimize.evaluation import evaluate
from sacma.optimize.methods import DEFAULT
from sacma.optimize.result import Result, Status
from sacma.optimize.run import Run
from sacma.types import Array
from tests.optimize.kills import asynchronous_failures
from tests.optimize.runs import GENERATIONS, bits, rosenbrock
from tests.optimize.simulated import Simulated, without_waiting
from tests.processes import dask_cluster

METHODS = ("cmaes", "ada-kendall", "dts-cmaes", "sacma")
X0 = [0.0, 0.0, 0.0]


@pytest.fixture(autouse=True)
def simulated_workers() -> Iterator[None]:
    """Simulated workers end at once."""
    with without_waiting():
        yield


def partly(x: Array) -> float:
    """Fail in a part of the space."""
    if x[0] > 1.2:
        raise RuntimeError("no mesh")
    return rosenbrock(x)


def call_of(method: str, budget: int = 80, seed: int = 3) -> Call:
    return checked_call(X0, 0.5, bounds=(-2, 2), method=method, budget=budget, seed=seed)


class Simulation:
    """A run with workers in simulated time, and what was running after each evaluation."""

    def __init__(self, run: Run, workers: int = 4, seed: int = 1, fun: Callable[[Array], float] = partly) -> None:
        rng = np.random.default_rng(seed)
        self.run = run
        self.waiting: list[list[bytes]] = []
        self.fewest = workers
        tasks: list[tuple[float, int, Array]] = []
        now = 0.0
        while run.status == Status.GOING_ON:
            while len(tasks) < workers and (task := run.begin()) is not None:
                tasks.append((now + rng.exponential(), *task))
            if run.log.evaluations + len(tasks) < run.call.limits.budget:
                self.fewest = min(self.fewest, len(tasks))
            now, number, x = tasks.pop(min(range(len(tasks)), key=lambda i: tasks[i][0]))
            run.record(number, evaluate(fun, x))
            pending = dict(run.pending)
            self.waiting.append([x.tobytes() for _, x in run.tasks()])
            run.pending = pending


@pytest.mark.parametrize("method", METHODS)
def test_all_workers_are_busy_and_the_run_is_computed_again_from_any_beginning(method: str) -> None:
    """As long as the budget has more; each evaluation counts once, and numbers are those in which they began.

    From the first n evaluations of its log: the same generations, and the same points are waited for.
    """
    first = Simulation(Run(call_of(method)))
    assert first.fewest == 4
    call, entries = first.run.call, first.run.log.entries
    numbers = [entry.number for entry in entries]
    assert sorted(numbers) == list(range(1, 81)) != numbers
    assert first.run.result.history.generations[-1].true_evaluations <= 80
    for n in (1, 4, 11, 47, 80):
        again = Run(call)
        again.resume(entries[:n])
        assert [x.tobytes() for _, x in again.tasks()] == first.waiting[n - 1] or n == len(entries)
        assert again.log.evaluations == n
    assert bits(again.result) == bits(first.run.result)
    assert repr(again.result.history.failures) == repr(first.run.result.history.failures)


def test_with_one_worker_it_is_the_run_without() -> None:
    """One evaluation at a time leaves nothing to time."""
    arguments: dict[str, Any] = {"seed": 4, "budget": 90}
    with ThreadPoolExecutor(1) as executor:
        threaded = sacma.minimize(rosenbrock, X0, 0.5, workers=executor, **arguments)
    assert bits(threaded) == bits(sacma.minimize(rosenbrock, X0, 0.5, **arguments))


@pytest.mark.parametrize(("workers", "budget"), [(2, 80), (40, 300)])
def test_any_number_of_workers(workers: int, budget: int) -> None:
    """Of more workers than points each is busy, too; simulated time is the sum of durations, shared."""

    def often(x: Array) -> float:
        if x[0] > 0.4:  # as one of the first points of the search in a trust region
            raise RuntimeError("no mesh")
        return rosenbrock(x)

    executor = Simulated(workers)
    result = sacma.minimize(often, X0, 0.5, budget=budget, seed=1, workers=executor, max_failures=None)
    assert result.nfev == budget
    assert executor.busy / (workers * executor.time) > (0.95 if workers < 40 else 0.7)  # at the end some have nothing
    assert result.failures == len(result.history.failures) > 0


def counting(calls: "itertools.count[int]", x: Array) -> float:
    next(calls)
    return partly(x)


def test_the_end_of_a_run() -> None:
    """What has begun is waited for and counts; nothing begins any more."""
    for arguments, status in (
        ({"target": 5.0}, Status.TARGET),
        ({"callback": lambda r: r.nfev > 20}, Status.CALLBACK),
        ({"time_limit": 1e-9}, Status.TIME_LIMIT),
    ):
        calls = itertools.count()
        fun = partial(counting, calls)
        result = sacma.minimize(fun, X0, 0.5, seed=1, workers=Simulated(4), **arguments)
        assert result.status == status
        assert result.nfev == next(calls) < 60
    result = sacma.minimize(lambda _: None, X0, 0.5, seed=1, workers=Simulated(4), max_failures=9)
    assert (result.status, result.nfev) == (Status.FAILURES, result.failures)
    assert 9 <= result.nfev < 9 + 4  # those that were running are awaited
    seen: list[int] = []
    sacma.minimize(rosenbrock, X0, 0.5, seed=1, budget=60, workers=Simulated(4), callback=lambda r: seen.append(r.nfev))
    assert len(seen) > 5
    assert seen == sorted(seen)


def slowly(x: Array) -> float:
    time.sleep(0.01)
    return partly(x)


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
def test_what_ends_late_is_taken_as_in_a_run_that_goes_on(tmp_path: Path, method: str) -> None:
    """After the last generation: the same call takes it again, and with a larger budget goes on from all of it."""
    arguments: dict[str, Any] = {"seed": 2, "method": method, "journal": tmp_path / "j", "max_failures": None}
    with ThreadPoolExecutor(4) as threads:
        for generations in (1, 3):
            ended, again = (
                sacma.minimize(fun, X0, 0.5, budget=300, workers=threads, callback=reached(generations), **arguments)
                for fun in (slowly, lambda _: 1 / 0)
            )
            assert ended.status == Status.CALLBACK
            assert bits(again) == bits(ended)
        result = sacma.minimize(slowly, X0, 0.5, budget=80, workers=threads, **arguments)
    assert result.nfev == 80 > ended.nfev
    again = sacma.minimize(lambda _: 1 / 0, X0, 0.5, budget=80, **arguments)
    assert bits(again) == bits(result)


def reached(generations: int) -> Callable[[Result], bool]:
    counted = itertools.count(1)
    return lambda _: next(counted) >= generations


@pytest.mark.parametrize("long", [{1}, {2, 11}])
def test_no_evaluation_holds_up_the_run(tmp_path: Path, long: set[int]) -> None:
    """Neither one of the first search, whose points all need values, nor a later one; the journal is the same run."""
    arguments: dict[str, Any] = {"seed": 1, "budget": 160, "journal": tmp_path / "journal.jsonl"}
    result = sacma.minimize(rosenbrock, X0, 0.5, workers=Simulated(4, long=long), **arguments)
    assert result.fun < 1e-4
    assert result.nit > 20
    assert bits(sacma.minimize(lambda _: 1 / 0, X0, 0.5, **arguments)) == bits(result)


def test_a_long_evaluation_does_not_hide_that_all_others_fail() -> None:
    """Failures in a row are those of evaluations that ended one after another."""
    result = sacma.minimize(lambda _: None, X0, 0.5, seed=1, budget=100, workers=Simulated(4, long={1}), max_failures=9)
    assert result.status == Status.FAILURES
    assert result.nfev <= 9 + 4


def test_ctrl_c(tmp_path: Path) -> None:
    """What had ended is the result; the same call makes the rest."""
    path = tmp_path / "journal.jsonl"
    calls = itertools.count(1)

    def interrupted(x: Array) -> float:
        if next(calls) == 30:
            raise KeyboardInterrupt
        return partly(x)

    arguments: dict[str, Any] = {"seed": 1, "budget": 80, "journal": path, "max_failures": None}
    first = sacma.minimize(interrupted, X0, 0.5, workers=Simulated(4), **arguments)
    assert (first.status, first.nfev) == (Status.INTERRUPTED, 29)
    again = itertools.count()
    second = sacma.minimize(partial(counting, again), X0, 0.5, workers=Simulated(4), **arguments)
    assert (second.nfev, len(sacma.read_journal(path).entries)) == (80, 80)
    assert next(again) <= 51
    assert all(number <= second.nfev for number in second.history.failures)


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
def test_a_journal_goes_on_in_any_way(tmp_path: Path, method: str) -> None:
    """Asynchronously, in generations, without workers, asked and told, saved and loaded: one run, computed again."""
    path, saved = tmp_path / "journal.jsonl", tmp_path / "saved.jsonl"
    arguments: dict[str, Any] = {"seed": 1, "journal": path, "max_failures": None, "method": method}
    before = b""

    def goes_on(budget: int, **workers: Any) -> None:
        nonlocal before
        result = sacma.minimize(partly, X0, 0.5, budget=budget, **workers, **arguments)
        content = path.read_bytes()
        assert content.startswith(before)
        before = content
        assert result.nfev == budget == content.count(b"\n") - 1

    goes_on(20, workers=Simulated(4))
    goes_on(26)
    goes_on(37, workers=Simulated(3))
    with ThreadPoolExecutor(2) as executor:
        goes_on(46, workers=executor, asynchronous=False)
    goes_on(57, workers=Simulated(6))
    with closing(sacma.Optimizer(X0, 0.5, budget=70, **arguments)) as es:
        assert es.result.nfev == 57
        while not es.stop():
            X = es.ask()
            es.tell(X[::-1], [math.nan if x[0] > 1.2 else rosenbrock(x) for x in X[::-1]])
        es.save(saved)
    goes_on(80, workers=Simulated(2))
    numbers = [json.loads(line)["number"] for line in path.read_bytes().splitlines()[1:]]
    assert sorted(numbers[:70]) != numbers[:70]
    loaded = sacma.Optimizer.load(saved)
    assert loaded.result.nfev == 70
    assert path.read_bytes().splitlines()[1:71] == saved.read_bytes().splitlines()[1:]
    again = sacma.minimize(lambda _: 1 / 0, X0, 0.5, budget=80, **arguments)
    whole = sacma.read_journal(path)
    np.testing.assert_array_equal(again.history.values, whole.values)
    np.testing.assert_array_equal(again.history.points, whole.points)


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """No evaluation is lost, and none made twice but for those that were running."""
    rng = np.random.default_rng(2)
    assert not asynchronous_failures(tmp_path / "killed.jsonl", 2, rng, threads=3, budget=60)


def test_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that take single points do; others get generations, and where True is asked for, they are refused."""
    call = partial(sacma.minimize, rosenbrock, X0, 0.5, seed=1, budget=60, method=GENERATIONS)
    alone = bits(call())

    def run(workers: Any, asynchronous: Any = None) -> bool:
        return bits(call(workers=workers, asynchronous=asynchronous)) == alone

    assert not run(Simulated(4))
    assert not run(Simulated(4), asynchronous=True)
    assert run(None, asynchronous=True)
    assert run(1, asynchronous=True)
    assert not run(3)
    with ThreadPoolExecutor(3) as executor:
        assert run(executor, asynchronous=False)
        monkeypatch.delattr(executor, "_max_workers")
        with pytest.raises(ValueError, match="asynchronous is True; allowed: False or None with an executor without"):
            run(executor, asynchronous=True)
    for wrong in (1, 0, "yes", 2.0):
        with pytest.raises(TypeError, match=r"asynchronous is .*; allowed: True, False"):
            run(None, asynchronous=wrong)


def test_dask(tmp_path: Path) -> None:
    """A client, or its executor: as many evaluations at a time as its workers have threads."""
    distributed = pytest.importorskip("distributed")

    def fun(x: Array) -> float:  # sent as it is, not by its name
        time.sleep(0.01)
        return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))

    in_generations: dict[str, Any] = {"seed": 1, "budget": 20, "method": GENERATIONS, "asynchronous": False}
    alone = bits(sacma.minimize(fun, X0, 0.5, **in_generations))
    with (
        dask_cluster(tmp_path / "cluster", workers=1, threads=2) as address,
        distributed.Client(address, set_as_default=False) as client,
    ):
        client.wait_for_workers(1)
        for name, workers in (("client", client), ("executor", client.get_executor(pure=False))):
            path = tmp_path / name
            result = sacma.minimize(fun, X0, 0.5, seed=1, budget=20, workers=workers, journal=path)
            assert result.nfev == 20
            assert len(sacma.read_journal(path).entries) == 20
            assert bits(sacma.minimize(fun, X0, 0.5, workers=workers, **in_generations)) == alone
        noted = tmp_path / "noted"

        def stepped(x: Array) -> float:
            """Note each evaluation, the second of the same point, too: a noisy run measures its best again."""
            with noted.open("a") as file:
                file.write(".")
            return float(x[0])

        many = sacma.minimize(stepped, [1.0], 1e6, bounds=(0, None), seed=1, budget=60, noisy=True, workers=client)
        assert len(np.unique(many.history.points)) < 60
        assert noted.stat().st_size == many.nfev == 60


@pytest.mark.parametrize(("method", "asynchronous"), [("cmaes", False), (DEFAULT, True)])
@pytest.mark.parametrize("what", ["journal", "executor", "callback"])
def test_an_error_loses_no_evaluation(tmp_path: Path, method: str, what: str, *, asynchronous: bool) -> None:
    """What other workers evaluate when a call ends by an error is in the result, and in the journal if it is there."""
    path, lock = tmp_path / "run.jsonl", threading.Lock()
    evaluated: list[float] = []

    def fun(x: Array) -> float:
        time.sleep(0.02)
        with lock:
            evaluated.append(float(x @ x))
            if len(evaluated) == 9:
                if what == "journal":
                    path.unlink()
                elif what == "executor":
                    executor.shutdown(wait=False)
        return float(x @ x)

    def callback(result: Result) -> None:
        if what == "callback" and result.nfev > 6:
            raise KeyError("mine")

    given: dict[str, Any] = {"seed": 1, "budget": 200, "method": method, "journal": path}
    errors = (sacma.JournalError, sacma.WorkersError, KeyError)
    with ThreadPoolExecutor(4) as executor, pytest.raises(errors) as error:
        sacma.minimize(fun, X0, 1.0, workers=executor, asynchronous=asynchronous, callback=callback, **given)
    if what == "callback":
        assert isinstance(error.value, KeyError)
    else:
        assert isinstance(error.value, sacma.JournalError | sacma.WorkersError)
        assert error.value.result is not None
        assert sorted(error.value.result.history.values) == sorted(evaluated)
    if what != "journal":  # the journal that is written again has one line less than the result
        known = sacma.read_journal(path)
        assert len(known.entries) == len(evaluated)
        paid = len(evaluated)
        again = sacma.minimize(fun, X0, 1.0, asynchronous=False, **given | {"budget": paid + 10})
        assert (again.nfev, len(evaluated)) == (paid + 10, paid + 10)
