"""Error measures against brute force, SciPy and quadrature."""

import math
from itertools import permutations

import numpy as np
import pytest
from sacma.strategy.model_error import (
    JudgedPopulation,
    KullbackLeiblerError,
    ModelError,
    kendall_tau,
    kendall_tau_b,
    kullback_leibler,
    largest_ranking_difference,
    make_model_error,
    ranks,
)
from scipy.integrate import dblquad
from scipy.stats import kendalltau, multivariate_normal

from sacma.strategy.cma_es import CMAES
from sacma.strategy.cma_update import CMAState, SearchDistribution, cma_update
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings
from sacma.surrogate.whitening import Array


def cma_state(D: int, population_size: int, rng: np.random.Generator) -> tuple[CMAState, Array]:
    es = CMAES(np.ones(D), population_size, CMAESSettings(), (np.full(D, -5.0), np.full(D, 5.0)), rng)
    es.ask()
    return es.state(), es.sampled


def judged(values: Array, predicted: Array) -> JudgedPopulation:
    state, points = cma_state(3, len(values), np.random.default_rng(0))
    return JudgedPopulation(points, values, predicted, lambda: state)


def error(measure: str, **settings: object) -> ModelError:
    return make_model_error(AdaptiveSCMAESSettings.model_validate({"model_error": measure, **settings}))


@pytest.mark.parametrize("size", range(2, 30))
def test_tau_is_scipys_without_ties(size: int) -> None:
    """On untied data all definitions of τ agree."""
    rng = np.random.default_rng(size)
    a, b = rng.standard_normal((2, size))
    assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)


def test_tied_pairs_count_in_neither() -> None:
    """By the paper's definition: (n_c − n_d) over all pairs, so ties pull τ to 0."""
    assert kendall_tau(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)


def test_kendall_error_spans_zero_to_one() -> None:
    """0 for the same ranking, 1 for the reverse."""
    y = np.arange(8.0)
    assert error("kendall")(judged(y, y**3)) == 0.0
    assert error("kendall")(judged(y, -y)) == 1.0


@pytest.mark.parametrize("size", range(2, 9))
def test_largest_ranking_difference_by_brute_force(size: int) -> None:
    """The closed form is the maximum over all permutations, for every μ ≤ λ/2."""
    for parents in range(1, size // 2 + 1):
        brute = max(
            sum(abs(i - p) for i, p in enumerate(pi, start=1) if p <= parents)
            for pi in permutations(range(1, size + 1))
        )
        assert largest_ranking_difference(size, parents) == brute


def test_ranking_difference_by_hand() -> None:
    """λ = 4, μ = 2: predicted ranks 1 and 2 truly have ranks 3 and 1; |3 − 1| + |1 − 2| = 3 of at most 4."""
    y = np.array([3.0, 1.0, 4.0, 2.0])
    predicted = np.array([1.0, 2.0, 3.0, 4.0])
    assert largest_ranking_difference(4, 2) == 4
    assert error("ranking_difference")(judged(y, predicted)) == pytest.approx(3 / 4)


def test_ranking_difference_is_over_the_best_predicted() -> None:
    """λ = 4, μ = 2: the two best predicted truly rank 1 and 4; the two truly best are predicted 1 and 3.

    |1 − 1| + |4 − 2| = 2 over the best predicted; it would be |1 − 1| + |2 − 3| = 1 over the truly best.
    """
    y = np.array([1.0, 4.0, 2.0, 3.0])
    predicted = np.array([1.0, 2.0, 3.0, 4.0])
    assert error("ranking_difference")(judged(y, predicted)) == pytest.approx(2 / 4)


def test_ranking_difference_spans_zero_to_one() -> None:
    """0 for the same ranking; 1 for the worst, found by search; never outside."""
    y = np.arange(6.0)
    errors = [error("ranking_difference")(judged(y, np.array(p, dtype=float))) for p in permutations(range(6))]
    assert min(errors) == 0.0
    assert max(errors) == 1.0


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

    integral, _ = dblquad(integrand, -25, 25, -25, 25, epsabs=1e-7)
    assert kullback_leibler(p, q) == pytest.approx(integral, abs=1e-5)


def test_divergence_in_closed_cases() -> None:
    """Zero of a distribution to itself; ½ |Δm|²/σ² for a mere shift; D(r − 1 − ln r)/2 for a mere scale."""
    rng = np.random.default_rng(3)
    p = distribution(4, rng)
    assert kullback_leibler(p, p) == pytest.approx(0.0, abs=1e-12)
    unit = SearchDistribution(np.zeros(3), 2.0, np.eye(3))
    shifted = SearchDistribution(np.array([1.0, 2.0, 2.0]), 2.0, np.eye(3))
    assert kullback_leibler(shifted, unit) == pytest.approx(0.5 * 9 / 4)
    wide = SearchDistribution(np.zeros(3), 3.0, np.eye(3))
    ratio = (3.0 / 2.0) ** 2
    assert kullback_leibler(wide, unit) == pytest.approx(0.5 * 3 * (ratio - 1 - np.log(ratio)))
    assert kullback_leibler(wide, unit, exponent=1.0) == pytest.approx(0.5 * 3 * (1.5 - 1 - np.log(1.5)))


@pytest.mark.parametrize(("kl_scale", "exponent"), [("sigma_squared", 2.0), ("sigma", 1.0)])
def test_kl_error_is_of_the_models_update_to_the_true_one(kl_scale: str, exponent: float) -> None:
    """ε_raw = D_KL(update by ŷ ‖ update by y), in this direction and with the covariance that the settings ask for."""
    rng = np.random.default_rng(6)
    state, points = cma_state(4, 8, rng)
    y, predictions = rng.standard_normal(8), rng.standard_normal((2, 8))
    raw = [kullback_leibler(cma_update(state, points, p), cma_update(state, points, y), exponent) for p in predictions]
    settings = AdaptiveSCMAESSettings.model_validate({"model_error": "kullback_leibler", "kl_scale": kl_scale})
    measure = make_model_error(settings)
    errors = [measure(JudgedPopulation(points, y, p, lambda: state)) for p in predictions]
    assert errors == pytest.approx([1.0, min(1.0, raw[1] / raw[0])])
    assert raw[1] < raw[0]  # or the second would be 1 whatever the scale


def test_kl_error_ignores_what_is_not_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    """A divergence of NaN or inf is no error, and does not become the measure of later ones."""
    raw = iter([math.nan, math.inf, 1.0, 2.0, 1.0])
    monkeypatch.setattr("sacma.strategy.model_error.kullback_leibler", lambda *_: next(raw))
    measure = KullbackLeiblerError()
    y = np.arange(6.0)
    errors = [measure(judged(y, y)) for _ in range(5)]
    assert np.isnan(errors[:2]).all()
    assert errors[2:] == [1.0, 1.0, 0.5]


def test_kl_error_is_relative_to_the_largest_so_far() -> None:
    """1 at each new maximum, the ratio to it otherwise, 0 for a perfect model."""
    rng = np.random.default_rng(4)
    state, points = cma_state(5, 8, rng)
    y = np.sum(points**2, axis=1)
    error = KullbackLeiblerError()
    assert error(JudgedPopulation(points, y, y, lambda: state)) == 0.0
    assert error(JudgedPopulation(points, y, -y, lambda: state)) == 1.0
    swapped = y.copy()
    swapped[np.argsort(y)[:2]] = swapped[np.argsort(y)[1::-1]]
    assert 0.0 < error(JudgedPopulation(points, y, swapped, lambda: state)) < 1.0


def test_tau_b_is_scipys_with_ties() -> None:
    """τ-b agrees with SciPy's on data full of ties, and the Kendall error uses it when told to."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        a, b = rng.integers(0, 4, (2, 9)).astype(float)
        assert kendall_tau_b(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)
        tau_b = error("kendall", kendall_tau="b")
        assert tau_b(judged(a, b)) == pytest.approx((1 - kendalltau(a, b).statistic) / 2)
    assert math.isnan(kendall_tau_b(np.ones(4), np.arange(4.0)))


def test_ranking_difference_over_the_truly_best() -> None:
    """The example above, summed over the truly best instead: 1 of at most 4."""
    y = np.array([1.0, 4.0, 2.0, 3.0])
    predicted = np.array([1.0, 2.0, 3.0, 4.0])
    assert error("ranking_difference", rank_over="true_best")(judged(y, predicted)) == pytest.approx(1 / 4)


def test_kl_discount_falls_to_one_in_five_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal divergences, each the largest, the error rises as 1/2, 1/1.8, …, 1/1.2, 1, 1."""
    monkeypatch.setattr("sacma.strategy.model_error.kullback_leibler", lambda *_: 3.0)
    measure = error("kullback_leibler", kl_discount=2.0)
    y = np.arange(6.0)
    expected = [1 / 2, 1 / 1.8, 1 / 1.6, 1 / 1.4, 1 / 1.2, 1, 1]
    assert [measure(judged(y, y)) for _ in range(7)] == pytest.approx(expected)
