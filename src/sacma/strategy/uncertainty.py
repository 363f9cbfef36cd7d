"""Which points of a population f is to evaluate: those that would tell most of how it ranks.

| symbol | here                   | meaning                                                               |
| ------ | ---------------------- | --------------------------------------------------------------------- |
| ŷ, Σ   | ``posterior``          | joint posterior mean and covariance of a population, (λ,) and (λ, λ)  |
| s²     | ``variance``           | diagonal of Σ                                                         |
| σ_n²   | ``posterior.noise``    | noise variance                                                        |
| y*     | ``best_value``         | lowest true value so far                                              |
| μ      | ``parents``            | number of parents                                                     |
| y_k    |                        | what f would say of point k                                           |
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sacma.strategy.model_error import largest_ranking_difference, ranks
from sacma.surrogate.gaussian_process import Posterior
from sacma.surrogate.whitening import Array

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Predicted:
    """A population that f has not seen, and what a model knows of it.

    Args:
        posterior: its joint posterior.
        best_value: y*, the lowest true value so far, in the units of the posterior.
        parents: μ.
    """

    posterior: Posterior
    best_value: float
    parents: int


def expected_ranking_difference(population: Predicted) -> Array:
    """Return for each point k by how much f(x_k) is expected to change the ranking of the others (ERDE).

    Before it is known, y_k ~ N(ŷ_k, Σ_kk + σ_n²). Once it is, the posterior means of the others are straight lines
    in its standardised value t:

        ŷ_i(t) = ŷ_i + t Σ_ik / √(Σ_kk + σ_n²),

    so that their ranks r_i(t) are constant between the crossings of two lines, and

        ERDE_k = E_t Σ_{i ≠ k: r_i ≤ μ} |r_i(t) − r_i| / max_π Σ_{i: π(i) ≤ μ} |i − π(i)|,   t ~ N(0, 1),

    is a sum over these intervals. Ranks are among the λ − 1 others, r_i by ŷ_i, and μ is at most λ − 1.

    Returns:
        Shape (λ,), each in [0, 1].
    """
    mean, others = population.posterior.mean, len(population.posterior.mean) - 1
    if others < 2:  # noqa: PLR2004 one point has one rank
        return np.zeros(len(mean))
    parents = min(population.parents, others)
    parts = 1 + len(mean) ** 2 * (parents + 1) // LARGEST_PART
    differences = [
        _expected_differences(population.posterior, points, parents)
        for points in np.array_split(np.arange(len(mean)), min(parts, len(mean)))
    ]
    return np.concatenate(differences) / largest_ranking_difference(others, parents)


LARGEST_PART = 20_000
"""Crossings that are in memory at a time: there are about λ²μ in all."""


def _expected_differences(posterior: Posterior, points: Indices, parents: int) -> Array:
    """Return E_t Σ |r_i(t) − r_i| for each of ``points``: axis 0 is k, axis 1 is i, axis 2 is j, that i crosses."""
    mean = posterior.mean
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.clip(np.diag(posterior.covariance), 0.0, None) + posterior.noise)
        slopes = np.nan_to_num(posterior.covariance[points] / spread[points, None], posinf=0.0, neginf=0.0)

    rank = ranks(mean)  # it also says which of equals is first
    best = np.flatnonzero(rank <= parents + 1)  # whichever k is, the μ best of the others are among these
    is_k = points[:, None] == np.arange(len(mean))
    counts = ~is_k[:, best] & (rank[best] - (rank[points, None] < rank[best]) <= parents)

    steeper = np.where(is_k[:, None, :], 0.0, slopes[:, best, None] - slopes[:, None, :])
    step = np.sign(steeper)  # by which r_i changes where i and j cross, t growing
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        crossing = np.where(step != 0.0, (mean - mean[best, None]) / steeper, np.inf)
    # Long before, the steeper of two is the lower; at ŷ, the one with the lower rank.
    first = np.sum(np.where(step != 0.0, (step < 0.0) * 1.0 - (rank < rank[best, None]), 0.0), axis=2, keepdims=True)

    in_order = np.argsort(crossing, axis=2)
    displaced = np.concatenate([first, first + np.cumsum(np.take_along_axis(step, in_order, axis=2), axis=2)], axis=2)
    reached = ndtr(np.take_along_axis(crossing, in_order, axis=2))
    expected = np.sum(np.abs(displaced) * np.diff(reached, axis=2, prepend=0.0, append=1.0), axis=2)
    return np.asarray(np.sum(expected * counts, axis=1))


def variance(population: Predicted) -> Array:
    """Return the posterior variance of each point, shape (λ,)."""
    return np.asarray(np.diag(population.posterior.covariance))


def probability_of_improvement(population: Predicted) -> Array:
    """Return the probability that f is below the best value so far at each point, Φ((y* − ŷ_i)/s_i), shape (λ,)."""
    spread = np.sqrt(np.clip(variance(population), np.finfo(float).tiny, None))
    return np.asarray(ndtr((population.best_value - population.posterior.mean) / spread))


CRITERIA: Mapping[str, Callable[[Predicted], Array]] = {
    "ranking_difference": expected_ranking_difference,
    "variance": variance,
    "improvement": probability_of_improvement,
}
"""What each point of a population is worth, by name: f evaluates those with the largest values."""


def worth_evaluating(criterion: str, population: Predicted, number: int) -> Indices:
    """Return the indices, ascending, of ``number`` points: by a criterion, and by variance among equals."""
    worth = CRITERIA[criterion](population)
    return np.sort(np.lexsort((-variance(population), -worth))[:number])
