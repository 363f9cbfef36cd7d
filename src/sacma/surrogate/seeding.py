"""Seeds of k-means clustering, compiled."""

import numpy as np
from numpy.typing import NDArray

from sacma.surrogate.compiled import compiled, inlined_sums
from sacma.types import Array


@inlined_sums
def _squared_distance(points: Array, i: int, j: int) -> float:
    """‖xᵢ − xⱼ‖²."""
    total = 0.0
    for d in range(points.shape[1]):
        difference = points[i, d] - points[j, d]
        total += difference * difference
    return total


@compiled
def k_means_plus_plus(points: Array, uniform: Array) -> NDArray[np.intp]:
    """Draw seeds by k-means++: each point with a probability in proportion to its squared distance to the seeds so far.

    Args:
        points: shape (n, D), n ≥ k.
        uniform: k numbers of [0, 1), which decide the draws.

    Returns:
        The indices of the seeds, shape (k,). Once all points coincide with seeds, the last point is repeated.

    Source: Arthur, Vassilvitskii, *k-means++: The Advantages of Careful Seeding*, SODA 2007, one candidate a draw.
    """
    n = len(points)
    seeds = np.empty(len(uniform), dtype=np.intp)
    seeds[0] = int(uniform[0] * n)
    squares = np.full(n, np.inf)
    for k in range(1, len(uniform)):
        total = 0.0
        for i in range(n):
            squares[i] = min(squares[i], _squared_distance(points, i, seeds[k - 1]))
            total += squares[i]
        rest = uniform[k] * total
        seeds[k] = n - 1
        for i in range(n):
            rest -= squares[i]
            if rest < 0.0:
                seeds[k] = i
                break
    return seeds
