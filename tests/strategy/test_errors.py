"""The error measures (Algorithm 2) against SciPy, quadrature, brute force, and by hand."""

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import kendalltau, multivariate_normal

from sacma.strategy.cma_update import SearchDistribution, cma_update
from sacma.strategy.errors import (
    ERRORS,
    JudgedPopulation,
    RelativeDivergence,
    kendall_tau,
    kendall_tau_b,
    kullback_leibler,
    largest_ranking_difference,
    ranks,
)
from tests.strategy.judged import box, cma_state, judged


def measure(name: str) -> Any:
    return ERRORS[name]().build(box(3))


@pytest.mark.parametrize("size", [2, 3, 8, 29])
def test_tau_is_scipys(size: int) -> None:
    """Without ties all definitions agree; τ-b with ties; NaN where all are tied in one."""
    rng = np.random.default_rng(size)
    for _ in range(10):
        a, b = rng.standard_normal((2, size))
        assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)
        a, b = rng.integers(0, 4, (2, 9)).astype(float)
        assert kendall_tau_b(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)
        assert measure("kendall-as-run")(judged(a, b)) == pytest.approx((1 - kendalltau(a, b).statistic) / 2)
    assert math.isnan(kendall_tau_b(np.ones(4), np.arange(4.0)))


def test_tau_of_ties_and_of_huge_values() -> None:
    """(n_c − n_d) over all pairs, so ties pull τ to 0; values may lie more than the largest float apart."""
    assert kendall_tau(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)
    assert kendall_tau(np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])) == 1.0


@pytest.mark.parametrize("name", ["kendall", "ranking-difference", "kendall-as-run", "ranking-difference-as-run"])
def test_rankings_span_zero_to_one(name: str) -> None:
    """0 for the same ranking; 1 for the worst of all; never outside."""
    of = measure(name)
    errors = [of(judged(np.arange(6.0), np.array(p, dtype=float))) for p in permutations(range(6))]
    assert (errors[0], min(errors), max(errors)) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("size", range(2, 8))
def test_the_largest_ranking_difference_by_brute_force(size: int) -> None:
    """The closed form is the maximum over all permutations, for every μ ≤ λ."""
    for parents in range(1, size + 1):
        brute = max(
            sum(abs(i - p) for i, p in enumerate(pi, start=1) if p <= parents)
            for pi in permutations(range(1, size + 1))
        )
        assert largest_ranking_difference(size, parents) == brute


@pytest.mark.parametrize(
    ("values", "expected", "as_run"),
    [
        (
            [3.0, 1.0, 4.0, 2.0],
            3 / 4,
            3 / 4,
        ),  # predicted 1 and 2, truly 3 and 1: |3 − 1| + |1 − 2| of at most 4; the truly best 2 and 4
        ([1.0, 4.0, 2.0, 3.0], 2 / 4, 1 / 4),  # predicted 1 and 2, truly 1 and 4; the truly best are predicted 1 and 3
    ],
)
def test_ranking_differences_by_hand(values: list[float], expected: float, as_run: float) -> None:
    """λ = 4, μ = 2, over the best predicted; in the published code over the truly best."""
    population = judged(values, [1.0, 2.0, 3.0, 4.0])
    assert measure("ranking-difference")(population) == pytest.approx(expected)
    assert measure("ranking-difference-as-run")(population) == pytest.approx(as_run)


def test_ranks_of_equal_values_are_distinct() -> None:
    """Equal values take their ranks in order, so that exactly μ points are the best μ."""
    np.testing.assert_array_equal(ranks(np.array([2.0, 1.0, 2.0, 1.0])), [3, 1, 4, 2])


def distribution(D: int, rng: np.random.Generator) -> SearchDistribution:
    A = rng.standard_normal((D, D))
    return SearchDistribution(rng.standard_normal(D) * 0.3, float(rng.uniform(0.8, 1.2)), A @ A.T + np.eye(D))


def test_divergence_by_quadrature() -> None:
    """In two dimensions, the closed form is the integral of p ln(p/q)."""
    rng = np.random.default_rng(2)
    p, q = distribution(2, rng), distribution(2, rng)
    P, Q = (multivariate_normal(d.mean, d.sigma**2 * d.C) for d in (p, q))

    def integrand(y: float, x: float) -> float:
        return float(P.pdf([x, y]) * (P.logpdf([x, y]) - Q.logpdf([x, y])))

    integral, _ = dblquad(integrand, -12, 12, -12, 12, epsabs=1e-3)
    assert kullback_leibler(p, q) == pytest.approx(integral, abs=1e-3)


def test_divergence_in_closed_cases() -> None:
    """Zero of a distribution to itself; ½ |Δm|²/σ² for a mere shift; D(r − 1 − ln r)/2 for a mere scale."""
    p = distribution(4, np.random.default_rng(3))
    assert kullback_leibler(p, p) == pytest.approx(0.0, abs=1e-12)
    unit, shifted, wide = (
        SearchDistribution(np.array(mean), sigma, np.eye(3))
        for mean, sigma in (([0.0] * 3, 2.0), ([1.0, 2.0, 2.0], 2.0), ([0.0] * 3, 3.0))
    )
    assert kullback_leibler(shifted, unit) == pytest.approx(0.5 * 9 / 4)
    for exponent in (2.0, 1.0):
        ratio = 1.5**exponent
        assert kullback_leibler(wide, unit, exponent) == pytest.approx(1.5 * (ratio - 1 - np.log(ratio)))


@pytest.mark.parametrize(("name", "exponent", "discounts"), [("", 2.0, (1, 1)), ("-as-run", 1.0, (2.0, 1.8))])
def test_the_error_is_of_the_models_update_to_the_true_one(
    name: str, exponent: float, discounts: tuple[float, float]
) -> None:
    """ε_raw = D_KL(update by ŷ ‖ update by y); in the published code of σC, discounted, h_σ divided by λ."""
    rng = np.random.default_rng(5)
    state, points = cma_state(4, 8, seed=6)
    y, predictions = rng.standard_normal(8), rng.standard_normal((2, 8))
    of = replace(state, generation=(state.generation + 1) / 8 - 1) if name else state
    raw = [kullback_leibler(cma_update(of, points, p), cma_update(of, points, y), exponent) for p in predictions]
    error = measure(f"kullback-leibler{name}")
    errors = [error(JudgedPopulation(points, y, p, lambda: state)) for p in predictions]
    assert raw[1] < raw[0]  # or the second would be 1 whatever the scale
    assert errors == pytest.approx([1.0 / discounts[0], raw[1] / raw[0] / discounts[1]])


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("kullback-leibler", [math.nan, math.inf, 1.0, 2.0, 1.0], [math.nan, math.nan, 1.0, 1.0, 0.5]),
        ("kullback-leibler-as-run", [3.0] * 7, [1 / 2, 1 / 1.8, 1 / 1.6, 1 / 1.4, 1 / 1.2, 1, 1]),
        ("kullback-leibler-as-run", [math.nan, 0.0, 3.0], [math.nan, 0.0, 0.5]),
    ],
)
def test_errors_are_relative_to_the_largest_so_far(
    name: str, raw: list[float], expected: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 at each new maximum; what is not finite is no error, and no measure of later ones, nor an update."""
    left = iter(raw)
    monkeypatch.setattr("sacma.strategy.errors.kullback_leibler", lambda *_: next(left))
    of, y = measure(name), np.arange(6.0)
    np.testing.assert_allclose([of(judged(y, y)) for _ in raw], expected)


def test_each_strategy_has_its_own_largest_divergence() -> None:
    """0 for a perfect model; the first of another is the largest."""
    state, points = cma_state(5, 8, seed=4)
    y = np.sum(points**2, axis=1)
    of, another = RelativeDivergence(), RelativeDivergence()
    assert of(JudgedPopulation(points, y, y, lambda: state)) == 0.0
    assert of(JudgedPopulation(points, y, -y, lambda: state)) == 1.0
    assert another(JudgedPopulation(points, y, y[::-1].copy(), lambda: state)) == 1.0
