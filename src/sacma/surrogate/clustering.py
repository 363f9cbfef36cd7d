"""k-means clustering: seeds by k-means++, compiled, and Lloyd's algorithm."""

import numpy as np
from scipy.cluster.vq import vq

from sacma.surrogate.compiled import compiled, inlined_sums
from sacma.types import Array, Indices

# Iterations of Lloyd's algorithm. With hundreds of clusters of a few points each, more hardly change the choice.
ITERATIONS = 5


@inlined_sums
def _squared_distance(points: Array, i: int, j: int) -> float:
    """‖xᵢ − xⱼ‖²."""
    total = 0.0
    for d in range(points.shape[1]):
        difference = points[i, d] - points[j, d]
        total += difference * difference
    return total


@compiled
def k_means_plus_plus(points: Array, uniform: Array) -> Indices:
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


def lloyd(points: Array, centroids: Array) -> Array:
    """Return the centroids, shape (k, D), after a few iterations of Lloyd's algorithm; those of empty clusters stay.

    Args:
        points: shape (n, D).
        centroids: at first, shape (k, D).
    """
    size, centroids, last = len(centroids), centroids.copy(), None
    for _ in range(ITERATIONS):
        cluster = nearest(points, centroids)
        if last is not None and np.array_equal(cluster, last):
            break
        last = cluster
        counts = np.bincount(cluster, minlength=size)
        filled = counts > 0
        for axis, coordinates in enumerate(points.T):
            sums = np.bincount(cluster, weights=coordinates, minlength=size)
            centroids[filled, axis] = sums[filled] / counts[filled]
    return centroids


def nearest(points: Array, others: Array) -> Indices:
    """Return the index of the nearest of ``others``, shape (k, D), to each of ``points``, shape (n, D)."""
    return np.asarray(vq(points, others, check_finite=False)[0], dtype=np.intp)
