"""Evaluations of an objective and their workers."""

import contextlib
import math
import pickle
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sacma
from sacma.optimize.evaluation import LONGEST_FAILURE, evaluate, evaluate_apart, evaluation_of
from sacma.optimize.pool import Crew, Processes, crew_of

NUMBERS = [2, np.int8(2), np.array([[2]]), [2.0], Fraction(2), np.ma.array([2.0], mask=[False])]
MISTAKES: list[Any] = ["2", np.str_("2"), b"2", 2j, np.array([1.0, 2.0]), {}]
MISSING: list[Any] = [None, math.nan, -math.inf, [], 10**400, np.ma.masked, np.ma.array([[2.0]], mask=[[True]])]
# Also numbers below a mask, and dates that a float can be made of.
MISSING += [[np.ma.masked], pd.NA, pd.NaT, np.timedelta64("NaT", "ns"), np.timedelta64(2, "ns")]


@pytest.mark.parametrize("returned", NUMBERS, ids=repr)
def test_one_number_is_a_value(returned: Any) -> None:
    """Numbers of any kind, and arrays and lists of one of them."""
    found = evaluation_of(returned)
    assert (found.value, found.failure, type(found.value)) == (2.0, "", float)


@pytest.mark.parametrize("returned", [*MISTAKES, *MISSING], ids=repr)
def test_anything_else_is_a_failure(returned: Any) -> None:
    """With what was given, in one line. Told, what is missing is one, and what is something else is refused."""
    found = evaluation_of(returned)
    assert math.isnan(found.value)
    assert found.failure.startswith("f is ")
    assert found.failure.endswith("; allowed: one finite number")
    assert "\n" not in found.failure
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=1, method="cmaes")
    X = es.ask()[:2]
    if any(returned is each for each in MISSING):
        es.tell(X, [1.0, returned])
        assert es.result.failures == 1
    else:
        with pytest.raises(TypeError, match=r"^values\[1\] is .*; allowed: a number, or None where"):
            es.tell(X, [1.0, returned])


def of_a_class_that_raises(base: type, method: str) -> Any:
    """Return an object of a class, of which a special method raises."""

    def refuse(*_: object) -> Any:
        raise ArithmeticError(method)

    return type("Odd", (base,), {method: property(refuse) if method == "__class__" else refuse})()


@pytest.mark.parametrize("base", [float, list])
@pytest.mark.parametrize("method", ["__float__", "__len__", "__repr__", "__array__", "__class__"])
def test_an_object_that_raises_is_a_value_or_a_failure(base: type, method: str) -> None:
    """Whatever raises when something is made of it: the run goes on, in ``minimize`` and in ask and tell."""
    odd = of_a_class_that_raises(base, method)
    found = sacma.minimize(lambda _: odd, [0.5], 1.0, seed=1, budget=3, method="cmaes", max_failures=None)
    assert found.nfev == 3
    es = sacma.Optimizer([0.5], 1.0, seed=1, method="cmaes")
    (point, *_) = es.ask()
    with contextlib.suppress(TypeError):  # what is never a number is refused
        es.tell([point], [odd])
        assert es.result.nfev == 1


def test_an_exception_is_a_failure() -> None:
    """Its kind and text are kept, in one line."""

    class OddError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def fun(_: np.ndarray) -> float:
        raise ValueError("no\nmesh")

    point = np.zeros(2)
    assert evaluate(fun, point).failure == "ValueError: no mesh"

    def odd(_: np.ndarray) -> float:
        raise OddError

    assert evaluate(odd, point).failure == "OddError"


def squared(x: np.ndarray) -> float:
    return float(x[0] ** 2)


def test_all_ways_give_the_same_outcomes() -> None:
    """Each task's outcome comes under its own place, in whatever order."""
    tasks = [(place, np.array([float(place)])) for place in range(4)]
    with ThreadPoolExecutor(4) as executor:
        ways = [Crew(None), Crew(executor), Crew(Processes(2))]
        for way in ways:
            with closing(way):
                for _ in range(2):
                    found = way.evaluate(squared, partial(next, iter(tasks), None))
                    assert {place: evaluation.value for place, evaluation in found} == {0: 0, 1: 1, 2: 4, 3: 9}
        taken = [threading.Event() for _ in tasks]

        def last_first(x: np.ndarray) -> float:
            """End when the outcome of the next task has been taken."""
            if x[0] < 3:
                assert taken[int(x[0]) + 1].wait(60)
            return squared(x)

        unordered = []
        for place, _ in ways[1].evaluate(last_first, partial(next, iter(tasks), None)):
            unordered.append(place)
            taken[place].set()
    assert unordered == [3, 2, 1, 0]


def test_what_has_not_begun_is_cancelled() -> None:
    """When an error ends the run, no further evaluation begins in an executor."""
    begun = []

    def fun(x: np.ndarray) -> float:
        begun.append(x)
        time.sleep(0.05)
        return 0.0

    def interrupted(crew: Crew) -> None:
        tasks = iter([(i, np.zeros(1)) for i in range(50)])
        next(crew.evaluate(fun, lambda: next(tasks, None)))
        crew.rest(KeyboardInterrupt())

    with ThreadPoolExecutor(1) as executor:
        interrupted(Crew(executor))
    assert len(begun) <= 3
    boundless = Boundless()
    interrupted(Crew(boundless))
    assert len(boundless.submitted) == 50  # it has a queue of its own
    assert sum(future.cancelled() for future in boundless.submitted) > 40


class Boundless(Executor):
    """An executor of one thread that does not tell its number."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1)
        self.submitted: list[Any] = []

    def submit(self, *arguments: Any, **named: Any) -> Any:
        """Queue a call."""
        self.submitted.append(self._threads.submit(*arguments, **named))
        return self.submitted[-1]


def test_workers() -> None:
    """None and 1 are this thread, other numbers are processes, executors are taken."""
    for alone in (None, 1):
        crew = crew_of(alone, None)
        assert crew.executor is None
        assert not crew.several
    for number in (2, -1):
        for asynchronous, found in ((None, True), (False, False)):
            several = crew_of(number, asynchronous)
            assert isinstance(several.executor, Processes)
            assert (several.asynchronous, several.several) == (found, True)
    with ThreadPoolExecutor(1) as executor:
        assert crew_of(executor, None) == Crew(executor)
    boundless = Boundless()
    assert crew_of(boundless, None) == Crew(boundless, asynchronous=False)
    for wrong in (0, -2, 1.5):
        with pytest.raises(ValueError, match=r"workers is .*; allowed: None, an integer"):
            crew_of(wrong, None)


def test_a_masked_array_of_values_is_told() -> None:
    """Its masked elements are failed evaluations."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=1, method="cmaes")
    es.tell(es.ask(), np.ma.array([1.0, 2.0, 0.0, 4.0, 5.0, 0.0], mask=np.arange(6) % 3 == 2))
    assert (es.result.failures, es.result.fun) == (2, 1.0)


@given(st.text())
def test_texts_of_exceptions_are_printable(text: str) -> None:
    """A failure is one short line without what steers a terminal, whatever the exception says and is called."""

    def fun(_: np.ndarray) -> float:
        raise type(f"Odd\x1b[2J{text[:3]}".replace("\0", ""), (Exception,), {})(text)

    failure = evaluate(fun, np.zeros(2)).failure
    assert failure.isprintable()
    assert len(failure) <= LONGEST_FAILURE + 2
    raised = evaluate(lambda _: (_ for _ in ()).throw(RuntimeError("\x1b]0;title\x07" + 1000 * "x")), np.zeros(2))
    assert raised.failure.startswith("RuntimeError: \\x1b]0;title\\x07xxx")


class OwnKeyError(KeyError):
    """Of a library; it cannot be sent to another process."""

    def __init__(self, one: str, other: object) -> None:
        super().__init__(one, other)


def test_a_mistake_comes_back_from_another_process() -> None:
    """Python's own type that it is, its text, and as a note the traceback."""

    def fun(x: np.ndarray) -> float:
        if x[0]:
            raise OwnKeyError("own", object())
        return dict[str, float]()["a"]

    for x, text in ((0.0, "'a'"), (1.0, "('own', <object")):
        sent = pickle.loads(pickle.dumps(evaluate_apart(fun, np.array([x]))))  # noqa: S301 what executors do
        error = sent.raised
        assert type(error) is KeyError
        assert text in str(error)
        assert "in fun" in error.__notes__[0]
    assert evaluate(lambda _: 1 / 0, np.zeros(1)).raised is None
