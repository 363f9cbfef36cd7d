"""The search before the first run of CMA-ES, by itself and in the strategy."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from sacma.strategy.settings import StrategySettings
from sacma.strategy.starts.trust_region import TrustRegion, _Region, _replace
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.part import Context
from sacma.surrogate.whitening import Array

FREE = 1e300


def context(D: int, half: float = FREE) -> Context:
    return Context(D, (np.full(D, -half), np.full(D, half)), np.random.default_rng(1))


def searched(
    f: Callable[[Array], float], start: Array, *, factor: float, half: float = FREE, radius: float = 1.0
) -> tuple[Array, Array]:
    """Return the points of a search and their values."""
    search = TrustRegion(evaluations_factor=factor).search(start, radius, context(len(start), half))
    points: list[Array] = []
    values: list[float] = []
    asked = next(search, None)
    while asked is not None:
        points.extend(asked)
        values.extend(told := [f(x) for x in asked])
        try:
            asked = search.send(np.array(told))
        except StopIteration:
            break
    return np.array(points), np.array(values)


def ellipsoid(x: Array) -> float:
    D = len(x)
    A = np.linalg.qr(np.random.default_rng(D).standard_normal((D, D)))[0]
    return float(np.sum(10.0 ** np.linspace(0, 3, D) * (A @ (x - 0.3)) ** 2))


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


@pytest.mark.parametrize("factor", [0.01, 0.5, 1.7, 5, 9])
def test_it_has_no_more_evaluations_than_it_may(factor: float) -> None:
    """To the point, whatever part of the first points that is; one at least, or the strategy would ask for none."""
    points, _ = searched(rosenbrock, np.zeros(4), factor=factor)
    assert len(points) == math.ceil(4 * factor)
    np.testing.assert_array_equal(points[0], np.zeros(4))


@pytest.mark.parametrize("D", [1, 2, 5])
def test_a_quadratic_function_is_minimised(D: int) -> None:
    """To a thousandth of its first value within 25 D evaluations; axes differ by a factor of 30 in length."""
    _, values = searched(ellipsoid, np.full(D, -1.0), factor=25)
    assert np.min(values) < 1e-3 * values[0]


@pytest.mark.parametrize("f", [ellipsoid, rosenbrock])
def test_it_keeps_up_with_scipys_search_of_the_same_kind(f: Callable[[Array], float]) -> None:
    """COBYQA: after 5 D and 10 D evaluations the mean logarithm over starts is no worse by half a decade."""
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    for seed in range(20):
        start = np.random.default_rng(seed).uniform(-2, 2, 5)
        _, values = searched(f, start, factor=10)
        told: list[float] = []
        minimize(lambda x: told.append(f(x)) or told[-1], start, method="COBYQA", options={"maxfev": 50})  # type: ignore[func-returns-value]  # noqa: B023 used at once
        for of, lowest in ((ours, values), (theirs, np.array(told))):
            of.append([np.log10(np.min(lowest[:n])) for n in (25, 50)])
    assert np.all(np.mean(ours, axis=0) < np.mean(theirs, axis=0) + 0.5)


def test_all_points_are_in_the_box_and_the_optimum_may_be_on_its_border() -> None:
    """Initial points at a border have both of theirs on the inner side."""
    points, values = searched(lambda x: float(np.sum((x - 2.0) ** 2)), np.array([1.0, -1.0, 0.2]), factor=15, half=1.0)
    assert np.all(np.abs(points) <= 1.0)
    assert np.min(values) == pytest.approx(3.0, rel=1e-6)
    points, _ = searched(rosenbrock, np.array([1.0, 0.99]), factor=2.5, half=1.0, radius=0.5)
    np.testing.assert_allclose(points, [[1, 0.99], [0.5, 0.99], [1, 0.49], [0, 0.99], [1, -0.01]])


def test_failures_are_avoided() -> None:
    """Where f has no value beyond a border, the search goes on; where it has none at all, it ends."""
    _, values = searched(lambda x: ellipsoid(x) if x[0] < 0.0 else np.inf, np.full(3, -0.5), factor=15)
    assert np.isfinite(values).mean() > 0.5
    assert np.min(values) < 0.6 * values[0]
    points, _ = searched(lambda _: np.inf, np.zeros(3), factor=15)
    assert len(points) == 7


@pytest.mark.parametrize("f", [lambda _: 1.0, lambda x: 1e300 * float(np.sum(x**2)), lambda x: 1e-300 * float(x @ x)])
def test_extreme_values(f: Callable[[Array], float]) -> None:
    """Plateaus and values near the largest and least: points stay finite, and the search may end."""
    points, _ = searched(f, np.ones(3), factor=15)
    assert np.all(np.isfinite(points))


def test_a_new_point_takes_the_place_of_one_that_can_be_spared() -> None:
    """By its Lagrange function and its distance; the best point stays unless the new one is better."""
    points = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [-0.1, 0.0], [0.0, -3.0]])
    for weights, value, place in (
        ([9.0, 1.0, 2.0, 1.0, 1e-9], 0.5, 2),
        ([9.0, 1.0, 2.0, 1.0, 1e-9], -0.5, 0),
        ([0.0, 1.0, 1.0, 1.0, 0.1], 0.5, 4),
    ):
        region = _Region(points.copy(), 1.0, left=9)
        region.values[:] = [0.0, 1.0, 1.0, 1.0, 1.0]
        _replace(region, np.array(weights), np.array([0.05, 0.05]), value, near=1.0)
        assert np.flatnonzero(np.any(region.points != points, axis=1)).tolist() == [place]
        assert region.values[place] == value


def test_a_model_of_failures() -> None:
    """They are twice as far above the best as the worst is."""
    region = _Region(np.array([[0.0], [1.0], [-1.0]]), 1.0, left=9)
    region.values[:] = [3.0, 5.0, np.inf]
    model = region.model(region.interpolation())
    assert [model(np.array([s])) for s in (0.0, 1.0, -1.0)] == pytest.approx([0.0, 2.0, 4.0])


def strategy(start: dict[str, Any] | None, **given: Any) -> SurrogateStrategy:
    content = {
        "model": {"name": "gaussian-process"},
        "control": {"name": "approximate-ranking"},
        "restarts": {"name": "ipop", "evaluates_initial_points": True},
        "start": start,
    }
    box = np.full(3, -5.0), np.full(3, 5.0)
    rng = np.random.default_rng(2)
    return SurrogateStrategy(
        StrategySettings.model_validate(content), initial_point=lambda: np.ones(3), box=box, rng=rng, **given
    )


def run(es: SurrogateStrategy, evaluations: int) -> tuple[Array, list[int]]:
    points: list[Array] = []
    sizes = []
    while len(points) < evaluations:
        asked = es.ask()
        points.extend(asked)
        sizes.append(len(asked))
        es.tell([ellipsoid(x) for x in asked])
    return np.array(points), sizes


def test_cma_es_begins_where_the_search_ends() -> None:
    """At the best point, with a share of σ₀; models learn from all points, and the first is x₀."""
    es = strategy({"name": "trust-region", "evaluations_factor": 6, "step_share": 0.125})
    points, sizes = run(es, 18)
    assert sizes == [7] + [1] * 11
    expected, values = searched(ellipsoid, np.ones(3), factor=6, half=5.0, radius=8 / 3)
    np.testing.assert_allclose(points, expected)
    best = points[np.argmin(values)]
    np.testing.assert_allclose(es._sampling.mean, best)
    assert es._sampling.sigma == pytest.approx(8 / 3 / 8)
    assert len(es._archive) == 18
    again, _ = run(strategy({"name": "trust-region", "evaluations_factor": 6, "step_share": 0.125}), 60)
    np.testing.assert_array_equal(again[:18], points)


def test_where_interpolation_is_misled_or_something_is_known_there_is_no_search() -> None:
    """The run is that without one."""
    known = np.linspace(0.0, 1.0, 21).reshape(7, 3), np.arange(7.0)
    for given in ({"noisy": True}, {"archive": known}):
        with_search, without = (run(strategy(start, **given), 30)[0] for start in ({"name": "trust-region"}, None))
        np.testing.assert_array_equal(with_search, without)


def test_known_points_are_not_evaluated_again() -> None:
    """Where few points are known, the search is the same, and takes their values from the archive."""
    points, _ = run(strategy({"name": "trust-region"}), 15)
    known = points[[0, 3, 5]], np.array([ellipsoid(x) for x in points[[0, 3, 5]]])
    fewer, _ = run(strategy({"name": "trust-region"}, archive=known), 12)
    np.testing.assert_array_equal(fewer, np.delete(points, [0, 3, 5], axis=0))


def test_other_points_may_come_in_between() -> None:
    """Further points are of the distribution around x₀, models learn from them, and the search is shorter."""
    es = strategy({"name": "trust-region"})
    alone, _ = run(strategy({"name": "trust-region"}), 15)
    rng = np.random.default_rng(3)
    points: list[Array] = []
    while es.true_evaluations < 15:
        asked = es.ask()
        further = es.further(rng)
        assert not es.take(further, ellipsoid(further.seen) + 1e6)
        points.extend(asked)
        es.tell([ellipsoid(x) for x in asked])
    np.testing.assert_array_equal(points, alone[:11])  # and four others
    assert es._sampling.sigma == pytest.approx(8 / 3 / 4)  # CMA-ES has begun
