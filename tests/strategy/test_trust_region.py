"""The search before the first run of CMA-ES, by itself and in the strategy."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.strategy.trust_region import TrustRegion
from sacma.surrogate.part import Context
from sacma.types import Array
from tests.strategy.runs import rosenbrock
from tests.surrogate.least_change import least_change

FREE = 1e300


def context(D: int, half: float = FREE) -> Context:
    return Context(D, (np.full(D, -half), np.full(D, half)), np.random.default_rng(1))


def moved(points: Array, cell: float) -> Array:
    """Return points moved to multiples of a width, as a device may do; of 0, not."""
    return cell * np.round(points / cell) if cell else points


def searched(
    f: Callable[[Array], float],
    start: Array,
    *,
    factor: float,
    half: float = FREE,
    radius: float = 1.0,
    cell: float = 0.0,
) -> tuple[Array, Array]:
    """Return the points of a search and their values."""
    region = TrustRegion(evaluations_factor=factor)
    search = region.search(start, radius, context(len(start), half), region.evaluations(len(start)))
    points: list[Array] = []
    values: list[float] = []
    asked = next(search, None)
    while asked is not None:
        asked[:] = moved(asked, cell)
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


def uneven_sphere(x: Array) -> float:
    return float(np.sum(np.arange(1.0, len(x) + 1.0) * (x - 0.3) ** 2))


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


def test_it_ends_where_it_cannot_become_better_than_a_rival() -> None:
    """At the optimum of its own; with a rival that is within reach it goes on as without one."""
    ends, points = [], []
    for rival in (-10.0, 0.0, math.inf):
        search = TrustRegion().search(np.ones(3), 1.0, context(3), 50, rival)
        asked, told = next(search), 0
        try:
            while True:
                told += len(asked)
                asked = search.send(np.array([uneven_sphere(x) for x in asked]))
        except StopIteration as end:
            points.append(end.value)
        ends.append(told)
    assert ends[0] <= 20 < ends[1] <= ends[2]
    np.testing.assert_allclose(points[0], 0.3, atol=0.05)
    np.testing.assert_allclose(points[2], 0.3, atol=1e-6)


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
    points, _ = searched(rosenbrock, np.array([-1.0, -0.6]), factor=2.5, half=1.0, radius=0.5)
    np.testing.assert_allclose(points, [[-1, -0.6], [-0.5, -0.6], [-1, -0.1], [0, -0.6], [-1, 0.4]])


def test_it_ends_on_a_plateau() -> None:
    """Where all points around the best have its value, the radius falls until the search has converged."""
    points, values = searched(lambda x: max(uneven_sphere(x), 4.0), np.full(3, 1.5), factor=100)
    assert np.min(values) == 4.0
    assert len(points) < 200


def test_failures_are_avoided() -> None:
    """Where f has no value beyond a border, the search goes on; where it has none at all, it ends."""
    _, values = searched(lambda x: ellipsoid(x) if x[0] < 0.0 else np.inf, np.full(3, -0.5), factor=15)
    assert np.isfinite(values).mean() > 0.5
    assert np.min(values) < 0.6 * values[0]
    points, _ = searched(lambda _: np.inf, np.zeros(3), factor=15)
    assert len(points) == 7


@pytest.mark.parametrize("offset", [0.0, 2.0**30])
def test_values_of_another_order_are_failures(offset: float) -> None:
    """A million times as far from the least as the first ones were from each other; wherever these are."""
    start = np.full(3, -0.5)
    first = [ellipsoid(start + step) for step in np.vstack([np.zeros(3), np.eye(3), -np.eye(3)])]
    beyond = np.ptp(first) * 1e6 + min(first)

    def walled(high: float) -> Callable[[Array], float]:
        return lambda x: (high if x[0] > -0.3 and x[1] != -0.5 else ellipsoid(x)) + offset

    failing, huge, large = (searched(walled(high), start, factor=9)[0] for high in (np.inf, 1.001 * beyond, 1e4))
    np.testing.assert_array_equal(failing, huge)
    assert np.max(failing[7:, 0]) > -0.3
    assert failing.shape != large.shape or not np.allclose(failing, large)
    plain, _ = searched(ellipsoid, start, factor=5)
    np.testing.assert_allclose(searched(lambda x: ellipsoid(x) + offset, start, factor=5)[0], plain, atol=1e-2)


def lowest(g: Array, H: Array, radius: float) -> Array:
    """Return where g·s + s·H·s/2 is lowest in a ball: Newton's step, or that whose multiplier Brent's method finds."""
    values, vectors = np.linalg.eigh(H)
    turned = vectors.T @ g

    def step(shift: float) -> Array:
        return np.asarray(-vectors @ (turned / (values + shift)))

    if values[0] > 0 and np.linalg.norm(step(0.0)) <= radius:
        return step(0.0)
    least = max(0.0, -values[0])
    scale = 1.0 + abs(values).max() + np.linalg.norm(g) / radius
    return step(brentq(lambda shift: np.linalg.norm(step(shift)) - radius, least + 1e-13 * scale, least + 2 * scale))


def uneven(x: Array) -> float:
    return ellipsoid(x) + 20.0 * float(np.sum((x - 0.5) ** 4)) + 5.0 * float(np.sin(3.0 * x[0]))


def exponential(c: float, values: Array) -> Array:
    return np.where(values > 0, c * np.exp(values / c) - c, values)


def logarithm(c: float, values: Array) -> Array:
    return np.where(values > 0, c * np.log(1 + np.abs(values) / c), values)


def seen_as(values: Array) -> list[tuple[Callable[[Array], Array], Callable[[Array], Array]]]:
    """Return functions of differences from the best of n values, and their inverses; all have a slope of 1 at 0."""
    differences = np.sort(values - values.min())
    shares, quantiles = differences[-1] / np.array([8.0, 4.0, 2.0, 1.0]), [1.0, 0.75, 0.5, 0.25, 0.1, 0.03]
    expanded = [(partial(exponential, c), partial(logarithm, c)) for c in shares]
    compressed = [(partial(logarithm, c), partial(exponential, c)) for c in np.quantile(differences, quantiles)]
    return [*expanded, (np.asarray, np.asarray), *compressed]


def given_way(points: Array, best: int, s: Array, *, better: bool, near: float) -> int:
    """Return the place of the point that gives way to one at a step s from the best."""
    centre, none = points[best], np.zeros((len(s), len(s)))
    at_new = [least_change(points - centre, unit, none) for unit in np.eye(len(points))]
    lagrange = [c + gradient @ s + 0.5 * s @ hessian @ s for c, gradient, hessian in at_new]
    away = np.linalg.norm(points - (centre + s if better else centre), axis=1)
    worth = np.abs(lagrange) * np.maximum(1.0, away / near) ** 6
    worth[best] *= better
    return int(np.argmax(worth))


def written_again(f: Callable[[Array], float], start: Array, evaluations: int, cell: float) -> Array:
    """Return the points of a search from Δ = ρ = 1, by the rules of docs/sacma_algorithm.md, without a box."""
    D = len(start)
    points = moved(np.vstack([start, start + np.eye(D), start - np.eye(D)]), cell)
    all_points, values = [*points.copy()], np.array([f(x) for x in points])
    spread = np.ptp(values)
    delta = rho = 1.0
    hessians = np.zeros((11, D, D))
    errors = np.array([0.0] * 4 + [-1.0] + [0.0] * 6)

    def evaluate(x: Array) -> float:
        all_points.append(x.copy())
        return f(x)

    while len(all_points) < evaluations:
        best = int(np.argmin(values))
        centre = points[best].copy()
        pairs, k = seen_as(values), int(np.argmin(errors))
        found = [
            least_change(points - centre, into(values - values[best]), H)
            for (into, _), H in zip(pairs, hessians, strict=True)
        ]
        hessians = np.array([H for *_, H in found])
        _, g, H = found[k]
        s = lowest(g, H, delta)
        length, promised = float(np.linalg.norm(s)), -float(g @ s + 0.5 * s @ H @ s)
        if length < 0.5 * rho or promised <= 0.0:
            ratio, after = -1.0, max(0.1 * delta, rho)
        else:
            new = moved(centre + s, cell)
            s, value = new - centre, evaluate(new)
            ratio = -float(pairs[k][0](np.array(value - values[best]))) / promised
            promises = [np.array(g @ s + 0.5 * s @ H @ s) for _, g, H in found]
            foreseen = [back(promise) for (_, back), promise in zip(pairs, promises, strict=True)]
            errors = 0.7 * errors + np.log(np.maximum(np.abs(foreseen - (value - values[best])) / spread, 1e-12))
            errors[4] -= 0.3
            after = 0.5 * length
            if ratio > 0.1:
                after = max(0.5 * delta, length if ratio <= 0.7 else 2.0 * length)
            place = given_way(points, best, s, better=value < values[best], near=max(0.1 * after, rho))
            points[place], values[place] = new, value
        delta = after if after > 1.5 * rho else rho
        if ratio > 0.1:
            continue
        best = int(np.argmin(values))
        away = np.linalg.norm(points - points[best], axis=1)
        far = int(np.argmax(away))
        if away[far] > 2.0 * delta and len(all_points) < evaluations:
            _, g, hessian = least_change(points - points[best], np.eye(len(points))[far], np.zeros((D, D)))
            reach = max(min(0.1 * away[far], 0.5 * delta), rho)
            steps = [lowest(sign * g, sign * hessian, reach) for sign in (1.0, -1.0)]
            s = max(steps, key=lambda s: abs(g @ s + 0.5 * s @ hessian @ s))
            points[far] = moved(points[best] + s, cell)
            values[far] = evaluate(points[far])
        elif away[far] <= 2.0 * delta and delta <= rho and ratio <= 0.0:
            rho *= 0.1
            delta = max(0.5 * delta, rho)
    return np.array(all_points)


@pytest.mark.parametrize(
    ("f", "D", "cell"),
    [(uneven, 3, 0.0), (uneven, 3, 0.03), (rosenbrock, 2, 0.0), (rosenbrock, 4, 0.0), (rosenbrock, 4, 0.03)],
)
def test_its_points_are_those_of_the_rules_written_again(f: Callable[[Array], float], D: int, cell: float) -> None:
    """Interpolation, steps, Δ, ρ, and which points give way; Δ and ρ change many times."""
    start, evaluations = np.linspace(-1.2, 1.3, D), 25 if cell else 36
    points, _ = searched(f, start, factor=evaluations / D, cell=cell)
    np.testing.assert_allclose(points, written_again(f, start, evaluations, cell), rtol=1e-5, atol=1e-6)


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


def test_where_interpolation_is_misled_there_is_no_search() -> None:
    """The run is that without one."""
    with_search, without = (run(strategy(start, noisy=True), 30)[0] for start in ({"name": "trust-region"}, None))
    np.testing.assert_array_equal(with_search, without)


@pytest.mark.parametrize("noisy", [False, True])
def test_it_begins_at_the_best_known_point(*, noisy: bool) -> None:
    """After x₀ has been evaluated, which may be better."""
    best = np.array([-3.0, 1.0, 2.5])
    known = np.vstack([np.linspace(0.0, 3.0, 21).reshape(7, 3), best]), np.append(np.arange(7.0) + 100.0, 0.5)
    points, _ = run(strategy({"name": "trust-region"}, archive=known, noisy=noisy), 30)
    alone, _ = run(strategy({"name": "trust-region"}), 1)
    np.testing.assert_array_equal(points[0], alone[0])
    if noisy:
        assert np.linalg.norm(points[1:13].mean(axis=0) - best) < 3.0
    else:
        steps = points[1:7] - best
        assert (np.count_nonzero(np.abs(steps) > 1e-12, axis=1) == 1).all()


def test_known_points_are_not_evaluated_again() -> None:
    """Where few points are known, the search is the same, and takes their values from the archive."""
    points, _ = run(strategy({"name": "trust-region"}), 15)
    known = points[[0, 3, 5]], np.array([ellipsoid(x) for x in points[[0, 3, 5]]])
    fewer, _ = run(strategy({"name": "trust-region"}, archive=known), 12)
    np.testing.assert_array_equal(fewer, np.delete(points, [0, 3, 5], axis=0))
