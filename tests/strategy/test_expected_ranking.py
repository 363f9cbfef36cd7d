"""The expected ranking difference against what it is said to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sacma.strategy.errors import largest_ranking_difference
from sacma.strategy.expected_ranking import expected_ranking_difference
from sacma.surrogate.gaussian_process import Hyperparameters, fit_gaussian_process
from sacma.surrogate.model import Posterior
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array


def drawn(size: int, seed: int, *, rank: int | None = None) -> Posterior:
    """A posterior with any covariance, singular ones among them."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size, rank or size))
    return Posterior(2.0 * rng.standard_normal(size), root @ root.T, 0.1)


def by_hand(posterior: Posterior, parents: int, k: int, values: Array) -> Array:
    """The ranking difference of the others for each value that point k may have, conditioning on it one by one."""
    others = [i for i in range(len(posterior.mean)) if i != k]
    parents = min(parents, len(others))
    before = np.argsort(np.argsort(posterior.mean[others]))
    differences = []
    for value in values:
        gain = posterior.covariance[others, k] / (posterior.covariance[k, k] + posterior.noise)
        mean = posterior.mean[others] + gain * (value - posterior.mean[k])
        after = np.argsort(np.argsort(mean))
        differences.append(sum(abs(after[i] - before[i]) for i in range(len(others)) if before[i] < parents))
    return np.array(differences) / largest_ranking_difference(len(others), parents)


@pytest.mark.parametrize(("size", "parents"), [(3, 1), (4, 2), (6, 3), (8, 4), (9, 9), (12, 6)])
@pytest.mark.parametrize("rank", [None, 1])
def test_it_is_the_mean_over_values(size: int, parents: int, rank: int | None) -> None:
    """Its sum over intervals is the mean over 4,000 quantiles of y_k of the difference found by conditioning."""
    posterior = drawn(size, seed=size, rank=rank)
    quantiles = norm.ppf((np.arange(4000) + 0.5) / 4000)
    expected = []
    for k in range(size):
        spread = np.sqrt(posterior.covariance[k, k] + posterior.noise)
        expected.append(np.mean(by_hand(posterior, parents, k, posterior.mean[k] + spread * quantiles)))
    np.testing.assert_allclose(expected_ranking_difference(posterior, parents), expected, atol=2e-3)


def test_conditioning_is_what_one_more_point_does_to_the_process() -> None:
    """A process fixed at the same hyperparameters, trained on y_k too, ranks the others as the straight lines do."""
    rng = np.random.default_rng(1)
    inputs, new = rng.standard_normal((25, 2)), rng.standard_normal((6, 2))
    values = np.sum(inputs**2, axis=1) + np.sin(3 * inputs[:, 0])
    process = fit_gaussian_process(TrainingSet(inputs, values), start=Hyperparameters(0.5, 2.5e-5))
    assert not isinstance(process, str)
    posterior = process.posterior(new)

    def covariance(a: Array, b: Array) -> Array:
        s = np.sqrt(5.0) * np.linalg.norm(a[:, None] - b, axis=2) / process.hyperparameters.length
        return np.asarray(process.signal * (1 + s + s**2 / 3) * np.exp(-s))

    targets = (values - process.center) / process.scale - process.mean
    for k, value in ((0, posterior.mean[0] + 1.0), (4, posterior.mean[4] - 0.5)):
        known = np.vstack([inputs, new[k]])
        A = covariance(known, known) + posterior.noise * np.eye(len(known))
        dense = process.mean + covariance(new, known) @ np.linalg.solve(A, [*targets, value - process.mean])
        gain = posterior.covariance[:, k] / (posterior.covariance[k, k] + posterior.noise)
        lines = posterior.mean + gain * (value - posterior.mean[k])
        np.testing.assert_allclose(lines, dense, atol=1e-6)
    np.testing.assert_allclose(posterior.center + posterior.scale * posterior.mean, process.predict(new), rtol=1e-10)
    alone = process.posterior(new, joint=False)
    np.testing.assert_allclose(alone.covariance, np.diag(posterior.covariance), rtol=1e-9)
    np.testing.assert_array_equal(alone.mean, posterior.mean)


@given(st.integers(2, 9), st.integers(1, 9), st.integers(0, 10**6), st.booleans(), st.booleans())
def test_it_is_a_share_whatever_the_posterior(
    size: int,
    parents: int,
    seed: int,
    constant: bool,  # noqa: FBT001 hypothesis draws them
    certain: bool,  # noqa: FBT001 idem
) -> None:
    """It lies in [0, 1], is finite, and 0 where nothing is uncertain; equal predictions are no exception."""
    of = drawn(size, seed)
    posterior = Posterior(
        np.zeros(size) if constant else of.mean, np.zeros((size, size)) if certain else of.covariance, 0.0
    )
    expected = expected_ranking_difference(posterior, parents)
    assert expected.shape == (size,)
    assert np.all((expected >= 0.0) & (expected <= 1.0 + 1e-12))
    if certain:
        assert not expected.any()
