"""Error measures as in the published code."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from sacma.strategy.cma_update import cma_update
from sacma.strategy.errors.as_run import (
    KendallAsRun,
    KullbackLeiblerAsRun,
    RankingDifferenceAsRun,
    kendall_tau_b,
)
from sacma.strategy.errors.base import JudgedPopulation
from sacma.strategy.errors.kullback_leibler import kullback_leibler
from tests.strategy.judged import cma_state, judged


def test_tau_b_is_scipys_with_ties() -> None:
    """On data full of ties; NaN where all are tied in one."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        a, b = rng.integers(0, 4, (2, 9)).astype(float)
        assert kendall_tau_b(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)
        assert KendallAsRun().build()(judged(a, b)) == pytest.approx((1 - kendalltau(a, b).statistic) / 2)
    assert math.isnan(kendall_tau_b(np.ones(4), np.arange(4.0)))


def test_ranking_difference_over_the_truly_best() -> None:
    """λ = 4, μ = 2: the two truly best are predicted 1 and 3, so |1 − 1| + |2 − 3| = 1 of at most 4."""
    population = judged([1.0, 4.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0])
    assert RankingDifferenceAsRun().build()(population) == pytest.approx(1 / 4)


def test_the_discount_falls_to_one_in_five_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal divergences, each the largest, the error rises as 1/2, 1/1.8, …, 1/1.2, 1, 1."""
    monkeypatch.setattr("sacma.strategy.errors.kullback_leibler.kullback_leibler", lambda *_: 3.0)
    measure, y = KullbackLeiblerAsRun(discount=2.0).build(), np.arange(6.0)
    expected = [1 / 2, 1 / 1.8, 1 / 1.6, 1 / 1.4, 1 / 1.2, 1, 1]
    assert [measure(judged(y, y)) for _ in range(7)] == pytest.approx(expected)


def test_undefined_divergences_are_no_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither NaN nor zeros at the beginning make the discount fall."""
    raw = iter([math.nan, 0.0, 3.0])
    monkeypatch.setattr("sacma.strategy.errors.kullback_leibler.kullback_leibler", lambda *_: next(raw))
    measure, y = KullbackLeiblerAsRun().build(), np.arange(6.0)
    errors = [measure(judged(y, y)) for _ in range(3)]
    assert math.isnan(errors[0])
    assert errors[1:] == [0.0, 0.5]


def test_the_divergence_is_of_covariances_sigma_C() -> None:
    """Not σ²C; without a discount, relative to the largest."""
    rng = np.random.default_rng(5)
    state, points = cma_state(4, 8, seed=6)
    y, predictions = rng.standard_normal(8), rng.standard_normal((2, 8))
    measure = KullbackLeiblerAsRun(discount=1.0).build()
    # h_σ divides the number of the generation by λ.
    early = replace(state, generation=(state.generation + 1) / 8 - 1)
    raw = [kullback_leibler(cma_update(early, points, p), cma_update(early, points, y), 1.0) for p in predictions]
    errors = [measure(JudgedPopulation(points, y, p, lambda: state)) for p in predictions]
    assert errors == pytest.approx([1.0, min(1.0, raw[1] / raw[0])])
    assert raw[1] < raw[0]  # or the second would be 1 whatever the scale
