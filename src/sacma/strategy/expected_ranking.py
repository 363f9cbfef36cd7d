"""Expected ranking difference (ERDE): the expected change of the ranking when the value of one point becomes known.

| symbol | here                   | meaning                                                               |
| ------ | ---------------------- | --------------------------------------------------------------------- |
| ŷ, Σ   | ``posterior``          | joint posterior mean and covariance of a population, (λ,) and (λ, λ)  |
| σ_n²   | ``posterior.noise``    | noise variance                                                        |
| μ      | ``parents``            | number of parents                                                     |
| y_k    |                        | the true value of point k                                             |
"""

import math

import numpy as np

from sacma.strategy.errors import largest_ranking_difference, ranks
from sacma.surrogate.compiled import compiled, inlined
from sacma.surrogate.model import Posterior
from sacma.types import Array


def expected_ranking_difference(posterior: Posterior, parents: int) -> Array:
    """Return the expected change of the ranking of all other points when f(x_k) becomes known, for each k.

    Before it is known, y_k ~ N(ŷ_k, Σ_kk + σ_n²). Once it is, the posterior means of the others are straight lines
    in its standardised value t:

        ŷ_i(t) = ŷ_i + t Σ_ik / √(Σ_kk + σ_n²),

    so that their ranks r_i(t) are constant between the crossings of two lines, and

        ERDE_k = E_t Σ_{i ≠ k: r_i ≤ μ} |r_i(t) − r_i| / max_π Σ_{i: π(i) ≤ μ} |i − π(i)|,   t ~ N(0, 1),

    is a sum over these intervals. Ranks are among the λ − 1 others, r_i by ŷ_i, and μ is at most λ − 1. The result
    has shape (λ,), each value in [0, 1].
    """
    others = len(posterior.mean) - 1
    if others < 2:  # noqa: PLR2004 one point has one rank
        return np.zeros(others + 1)
    parents = min(parents, others)
    covariance = np.ascontiguousarray(posterior.covariance)
    expected = _expected_differences(posterior.mean, ranks(posterior.mean), covariance, posterior.noise, parents)
    return np.asarray(expected / largest_ranking_difference(others, parents))


FARTHEST = 38.0  # distance at which crossings have no probability left in a float


@inlined
def _expected_displacement(i: int, k: int, mean: Array, rank: Array, slopes: Array) -> float:
    """Return E_t |r_i(t) − r_i|, given the slopes of the lines in y_k."""
    crossings, steps = np.empty(len(mean)), np.empty(len(mean))
    number, displaced = 0, 0.0  # r_i(t) − r_i long before all crossings, and then after each
    for j in range(len(mean)):
        steeper = slopes[i] - slopes[j]
        if j == k or not abs(steeper) > 0.0:
            continue
        # Long before they cross, the steeper of two lines is the lower one.
        displaced += (steeper < 0.0) * 1.0 - (rank[j] < rank[i]) * 1.0
        step = 1.0 if steeper > 0.0 else -1.0
        crossing = (mean[j] - mean[i]) / steeper
        if crossing <= -FARTHEST:
            displaced += step
        elif crossing < FARTHEST:
            crossings[number], steps[number] = crossing, step
            number += 1
    expected, probability = 0.0, 0.0
    for at in np.argsort(crossings[:number]):
        reached = 0.5 * math.erfc(-crossings[at] / math.sqrt(2.0))
        expected += abs(displaced) * (reached - probability)
        displaced, probability = displaced + steps[at], reached
    return expected + abs(displaced) * (1.0 - probability)


@compiled
def _expected_differences(mean: Array, rank: Array, covariance: Array, noise: float, parents: int) -> Array:
    """Return E_t Σ |r_i(t) − r_i| for each k; ``rank`` is r among all, with ties broken."""
    size = len(mean)
    expected = np.zeros(size)
    for k in range(size):
        spread = math.sqrt(max(covariance[k, k], 0.0) + noise)
        if not spread > 0.0:
            continue
        slopes = covariance[k] / spread
        for i in range(size):
            if i != k and rank[i] - (rank[k] < rank[i]) <= parents:
                expected[k] += _expected_displacement(i, k, mean, rank, slopes)
    return expected
