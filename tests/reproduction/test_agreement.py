"""Agreement with the paper's mean ranks, where it is known beforehand."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from reproduction.agreement import agreement
from sacma.types import Array

PAPER = np.array([4.5, 3.5, 4.0, 3.3, 2.5, 3.2])


def test_without_noise_an_experiment_repeats_itself() -> None:
    """All trials alike: only the choice of functions is left to chance."""
    rng = np.random.default_rng(1)
    logs = np.repeat(rng.normal(size=(6, 24, 1)) + PAPER[:, None, None], 15, axis=2)
    found = agreement(logs, PAPER, rng)
    ranks = np.argsort(np.argsort(logs[:, :, 0], axis=0), axis=0).mean(axis=1) + 1
    assert found.rho == pytest.approx(spearmanr(ranks, PAPER).statistic)
    assert found.difference == pytest.approx(np.sqrt(np.mean((ranks - PAPER) ** 2)))
    assert (found.least_rho, found.most_difference) == (1.0, 0.0)
    assert found.low < found.rho <= found.high


def test_resampled_trials_scatter_as_new_ones_do() -> None:
    """What an experiment of known noise has with its repetition, by simulation, and by resampling one of them."""
    rng = np.random.default_rng(3)
    places = 0.3 * PAPER[:, None, None] + rng.normal(size=(1, 24, 1))

    def experiment() -> Array:
        logs: Array = places + rng.normal(size=(6, 24, 15))
        return logs

    def ranks(logs: Array) -> Array:
        medians = np.median(logs, axis=2)
        mean: Array = (np.argsort(np.argsort(medians, axis=0), axis=0) + 1).mean(axis=1)
        return mean

    pairs = [(ranks(experiment()), ranks(experiment())) for _ in range(150)]
    least = np.quantile([spearmanr(a, b).statistic for a, b in pairs], 0.05)
    most = np.quantile([np.sqrt(np.mean((a - b) ** 2)) for a, b in pairs], 0.95)
    found = [agreement(experiment(), PAPER, rng) for _ in range(6)]
    assert np.mean([of.least_rho for of in found]) == pytest.approx(least, abs=0.15)
    assert np.mean([of.most_difference for of in found]) == pytest.approx(most, rel=0.2)
