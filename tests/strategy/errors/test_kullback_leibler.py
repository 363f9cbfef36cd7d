"""The Kullback-Leibler error by quadrature, in closed cases, and relative to the largest so far."""

import math

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import multivariate_normal

from sacma.strategy.cma_update import SearchDistribution, cma_update
from sacma.strategy.errors.base import JudgedPopulation
from sacma.strategy.errors.kullback_leibler import KullbackLeibler, RelativeDivergence, kullback_leibler
from tests.strategy.judged import cma_state, judged


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


@pytest.mark.parametrize("exponent", [2.0, 1.0])
def test_the_error_is_of_the_models_update_to_the_true_one(exponent: float) -> None:
    """ε_raw = D_KL(update by ŷ ‖ update by y), in this direction."""
    rng = np.random.default_rng(5)
    state, points = cma_state(4, 8, seed=6)
    y, predictions = rng.standard_normal(8), rng.standard_normal((2, 8))
    raw = [kullback_leibler(cma_update(state, points, p), cma_update(state, points, y), exponent) for p in predictions]
    measure = KullbackLeibler().build() if exponent == 2.0 else RelativeDivergence(exponent)
    errors = [measure(JudgedPopulation(points, y, p, lambda: state)) for p in predictions]
    assert errors == pytest.approx([1.0, min(1.0, raw[1] / raw[0])])
    assert raw[1] < raw[0]  # or the second would be 1 whatever the scale


def test_what_is_not_finite_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A divergence of NaN or inf is no error, and does not become the measure of later ones."""
    raw = iter([math.nan, math.inf, 1.0, 2.0, 1.0])
    monkeypatch.setattr("sacma.strategy.errors.kullback_leibler.kullback_leibler", lambda *_: next(raw))
    measure = KullbackLeibler().build()
    y = np.arange(6.0)
    errors = [measure(judged(y, y)) for _ in range(5)]
    assert np.isnan(errors[:2]).all()
    assert errors[2:] == [1.0, 1.0, 0.5]


def test_the_error_is_relative_to_the_largest_so_far() -> None:
    """1 at each new maximum, the ratio to it otherwise, 0 for a perfect model; each strategy has its own."""
    state, points = cma_state(5, 8, seed=4)
    y = np.sum(points**2, axis=1)
    swapped = y.copy()
    swapped[np.argsort(y)[:2]] = swapped[np.argsort(y)[1::-1]]
    measure, another = KullbackLeibler().build(), KullbackLeibler().build()
    assert measure(JudgedPopulation(points, y, y, lambda: state)) == 0.0
    assert measure(JudgedPopulation(points, y, -y, lambda: state)) == 1.0
    assert 0.0 < measure(JudgedPopulation(points, y, swapped, lambda: state)) < 1.0
    assert another(JudgedPopulation(points, y, swapped, lambda: state)) == 1.0
