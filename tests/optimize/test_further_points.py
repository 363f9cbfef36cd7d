"""Points beside those that a run asks for, and what it learns from them."""

from typing import Any

import numpy as np
import pytest

import sacma
from sacma.types import Array


def bowl(x: Array) -> float:
    return float(np.sum((x - 0.3) ** 2 * [1, 100]))


def until(es: Any, evaluations: int) -> Any:
    """Tell an optimizer so many values, and return it."""
    while es.result.nfev < evaluations:
        X = es.ask()
        es.tell(X, [bowl(x) for x in X])
    return es


def begun(**options: Any) -> sacma.Optimizer:
    return sacma.Optimizer([0.0, 0.0], 0.5, seed=1, **options)


def drawn(es: Any, count: int) -> Array:
    rng, run = np.random.default_rng(1), es._run
    points: Array = run.call.box.points([run._search.further(rng).seen for _ in range(count)])
    return points


def test_they_are_within_the_bounds_and_change_nothing() -> None:
    """The run goes on as if none had been drawn."""
    es, other = (until(begun(bounds=(-0.1, 0.4)), 6) for _ in range(2))
    points = drawn(es, 200)
    assert (points.min(), points.max()) == (-0.1, 0.4)
    assert np.array_equal(until(es, 12).ask(), until(other, 12).ask())


def test_models_learn_from_them() -> None:
    """Their values are in the archive, in the strategy's coordinates; they count as no evaluations."""
    es = until(begun(scale=[1.0, 0.1]), 30)
    archive, before = es._run._search.strategy._archive, es.result.nfev
    count = len(archive)
    es.tell([[50.0, 0.2]], [7.0])
    assert (len(archive), es.result.nfev) == (count + 1, before)
    assert np.allclose(archive.points[-1], [50.0, 2.0])
    assert archive.values[-1] == 7.0


@pytest.mark.parametrize("point", ["asked", "rounded", "far"])
def test_a_point_that_is_told_twice_beside_pending_ones_is_logged_once(point: str) -> None:
    """With its first value, whether it was asked for, took the place of another, or took none."""
    optimizer = begun(method="cmaes")
    X = optimizer.ask()
    x = {"asked": X[0], "rounded": np.round(X[0], 1), "far": np.array([40.0, 40.0])}[point]
    optimizer.tell([x], [1.0])
    evaluations = optimizer.result.nfev
    optimizer.tell([x], [2.0])
    assert optimizer.pending
    assert len(optimizer._run.log.entries) == 1
    assert (optimizer.result.nfev, optimizer.result.fun) == (evaluations, 1.0)
