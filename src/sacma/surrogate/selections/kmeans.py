"""One candidate for each cluster of k-means, as in the published code of the paper's authors."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from sacma.surrogate.part import Part
from sacma.surrogate.training_set import Indices
from sacma.types import Array

ITERATIONS = 5
"""Iterations of Lloyd's algorithm. With hundreds of clusters of a few points each, more hardly change the choice."""


class KMeans(Part):
    """The candidate nearest to each of n_max k-means centroids."""

    name: Literal["kmeans"] = "kmeans"
    seeding: Annotated[
        Literal["k-means++", "random"],
        Field(description="points at which the centroids start; k-means++ is MATLAB's default, so the authors'"),
    ] = "k-means++"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the indices, ascending, of the candidates nearest to ``size`` centroids; fewer where two share one."""
        from scipy.cluster.vq import vq  # noqa: PLC0415 slow to import

        centroids = lloyd(whitened, whitened[self._seeds(whitened, size, rng)])
        return np.unique(vq(centroids, whitened, check_finite=False)[0])

    def _seeds(self, points: Array, size: int, rng: np.random.Generator) -> Indices:
        if self.seeding == "random":
            return rng.choice(len(points), size, replace=False)
        from sacma.surrogate.seeding import k_means_plus_plus  # noqa: PLC0415 loads Numba

        return k_means_plus_plus(np.ascontiguousarray(points), rng.random(size))

    def prepare(self) -> None:
        """Compile the seeding, or load it."""
        self.choose(np.eye(3), 2, np.random.default_rng(0))


def lloyd(points: Array, centroids: Array) -> Array:
    """Return the centroids, shape (k, D), after a few iterations of Lloyd's algorithm; those of empty clusters stay.

    Args:
        points: shape (n, D).
        centroids: at first, shape (k, D).
    """
    from scipy.cluster.vq import vq  # noqa: PLC0415 slow to import

    size, centroids, last = len(centroids), centroids.copy(), None
    for _ in range(ITERATIONS):
        cluster = vq(points, centroids, check_finite=False)[0]
        if last is not None and np.array_equal(cluster, last):
            break
        last = cluster
        counts = np.bincount(cluster, minlength=size)
        filled = counts > 0
        for axis, coordinates in enumerate(points.T):
            sums = np.bincount(cluster, weights=coordinates, minlength=size)
            centroids[filled, axis] = sums[filled] / counts[filled]
    return centroids
