"""The criteria: what a point is worth, and which points f gets."""

from typing import cast

import numpy as np
import pytest
from scipy.stats import norm

from sacma.strategy.criteria import CRITERIA, Criterion, select_points
from sacma.surrogate.model import Posterior
from sacma.types import Array
from tests.strategy.test_expected_ranking import drawn

POSTERIOR = drawn(9, seed=2)
PARENTS = 4


def worth_of(name: str, posterior: Posterior, parents: int) -> Array:
    criterion = cast("Criterion", CRITERIA[name]())
    return criterion.worth(posterior, parents)


def test_own_rank_is_the_mean_displacement_by_simulation() -> None:
    """Over drawn values of each point, with noise; ranks among the predictions of the others."""
    noisy = Posterior(POSTERIOR.mean, POSTERIOR.covariance, noise=2.0)
    worth = worth_of("own-rank", noisy, PARENTS)
    rng = np.random.default_rng(1)
    for i, mean in enumerate(POSTERIOR.mean):
        others = np.delete(POSTERIOR.mean, i)
        values = rng.normal(mean, np.sqrt(POSTERIOR.covariance[i, i] + noisy.noise), 40_000)
        moved = np.abs(np.sum(others[None] < values[:, None], axis=1) - np.sum(others < mean))
        assert worth[i] == pytest.approx(np.mean(moved), abs=5.0 * np.std(moved) / 200.0)


def test_own_rank_of_a_large_population_is_nearly_that_over_all() -> None:
    """256 of 3,000 others stand for them; each point is left out where it is one of these."""
    rng = np.random.default_rng(3)
    mean, variance = rng.standard_normal(3000) ** 3, rng.uniform(0.01, 4.0, 3000)
    exact = np.array(
        [
            np.sum(norm.cdf(-np.abs(np.delete(mean, i) - mean[i]) / np.sqrt(s2 + 0.1)))
            for i, s2 in enumerate(variance[:200])
        ]
    )
    worth = worth_of("own-rank", Posterior(mean, variance, 0.1), 1)
    np.testing.assert_allclose(worth[:200], exact, atol=0.004 * 3000)
    certain = Posterior(np.arange(3000.0)[::-1], np.zeros(3000), 0.0)
    np.testing.assert_array_equal(worth_of("own-rank", certain, 1), 0.0)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_criteria_that_need_no_covariances_know_none(criterion: str) -> None:
    """Each point by itself has the same worth; ERDE needs the joint posterior."""
    alone = Posterior(POSTERIOR.mean, np.diag(POSTERIOR.covariance), POSTERIOR.noise)
    np.testing.assert_array_equal(alone.variance, POSTERIOR.variance)
    assert CRITERIA[criterion].joint == (criterion == "ranking-difference")
    if not CRITERIA[criterion].joint:
        worth = worth_of(criterion, POSTERIOR, PARENTS)
        np.testing.assert_array_equal(worth_of(criterion, alone, PARENTS), worth)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("number", [1, 4, 9])
def test_the_points_worth_most_are_chosen_in_their_order(criterion: str, number: int) -> None:
    """So many as asked, ascending, none worth less than one left out; all of them, where all are asked for."""
    worth = worth_of(criterion, POSTERIOR, PARENTS)
    chosen = select_points(worth, POSTERIOR.variance, number)
    assert list(chosen) == sorted(set(chosen))
    assert len(chosen) == number
    assert number == 9 or worth[chosen].min() >= np.delete(worth, chosen).max()


def test_variance_decides_among_equals() -> None:
    """Where no value would change the ranking, the least certain point is evaluated."""
    posterior = Posterior(np.array([1.0, 2.0, 3.0]), np.diag([1.0, 9.0, 4.0]), 0.0)
    worth = worth_of("ranking-difference", posterior, 1)
    assert not worth.any()
    assert list(select_points(worth, posterior.variance, 2)) == [1, 2]
    np.testing.assert_array_equal(posterior.variance, [1.0, 9.0, 4.0])
