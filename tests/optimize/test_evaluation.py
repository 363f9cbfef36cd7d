"""What an evaluation gives, and who makes it."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import joblib
import numpy as np
import pytest

from sacma.optimize.evaluation import Evaluator, InExecutor, InJoblib, Serial, evaluate, evaluator_of, outcome_of

NUMBERS = [2, 2.0, True, np.float32(2), np.int8(2), np.array(2.0), np.array([[2]]), [2.0], (2,), Fraction(2)]
FAILURES: list[Any] = [
    None,
    "2",
    b"2",
    math.nan,
    math.inf,
    -math.inf,
    2j,
    np.array([1.0, 2.0]),
    [],
    {},
    10**400,
    np.array(["2"]),
]


@pytest.mark.parametrize("returned", NUMBERS, ids=repr)
def test_one_number_is_a_value(returned: Any) -> None:
    """Numbers of any kind, and arrays and lists of one of them."""
    found = outcome_of(returned)
    assert (found.value, found.failure) == (1.0 if returned is True else 2.0, "")
    assert type(found.value) is float


@pytest.mark.parametrize("returned", FAILURES, ids=repr)
def test_anything_else_is_a_failure(returned: Any) -> None:
    """With what was given, in one line."""
    found = outcome_of(returned)
    assert math.isnan(found.value)
    assert found.failure.startswith("f is ")
    assert found.failure.endswith("; allowed: one finite number")
    assert "\n" not in found.failure


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


def slower_first(x: np.ndarray) -> float:
    time.sleep(0.02 * (3 - x[0]))
    return float(x[0] ** 2)


def test_all_ways_give_the_same_outcomes() -> None:
    """Each task's outcome comes under its own place, in whatever order."""
    tasks = [(place, np.array([float(place)])) for place in range(4)]
    with ThreadPoolExecutor(4) as executor:
        ways: list[Evaluator] = [
            Serial(),
            InExecutor(executor),
            InJoblib(joblib.Parallel(n_jobs=2, backend="threading")),
            InJoblib(joblib.Parallel(n_jobs=2, backend="threading", return_as="generator_unordered")),
        ]
        for way in ways:
            assert {place: found.value for place, found in way(slower_first, tasks)} == {0: 0, 1: 1, 2: 4, 3: 9}
        unordered = [place for place, _ in ways[1](slower_first, tasks)]
    assert unordered == [3, 2, 1, 0]


def test_what_has_not_begun_is_cancelled() -> None:
    """When nobody takes outcomes any more, no further evaluation begins in an executor."""
    begun = []

    def fun(x: np.ndarray) -> float:
        begun.append(x)
        time.sleep(0.05)
        return 0.0

    with ThreadPoolExecutor(1) as executor:
        outcomes = iter(InExecutor(executor)(fun, [(i, np.zeros(1)) for i in range(50)]))
        next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]  # a generator
    assert len(begun) <= 3


def test_workers() -> None:
    """None and 1 are this thread, other numbers are joblib's, executors and joblib's own object are taken."""
    assert isinstance(evaluator_of(None), Serial)
    assert isinstance(evaluator_of(1), Serial)
    assert isinstance(evaluator_of(2), InJoblib)
    assert isinstance(evaluator_of(-1), InJoblib)
    assert isinstance(evaluator_of(joblib.Parallel(2)), InJoblib)
    with ThreadPoolExecutor(1) as executor:
        assert isinstance(evaluator_of(executor), InExecutor)
    for wrong in (0, -2, 1.5):
        with pytest.raises(ValueError, match=r"workers is .*; allowed: None, an integer"):
            evaluator_of(wrong)
