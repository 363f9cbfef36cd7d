"""One candidate for each cluster of k-means, as in the published code of the paper's authors."""

import warnings
from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.part import Part
from sacma.surrogate.training_set import Indices
from sacma.surrogate.whitening import Array

ITERATIONS = 5
"""Iterations of Lloyd's algorithm. With hundreds of clusters of a few points each, more hardly change the choice."""


class KMeans(Part):
    """The candidate nearest to each of n_max k-means centroids."""

    name: Literal["kmeans"] = "kmeans"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the indices, ascending, of the candidates nearest to ``size`` centroids; fewer where two share one.

        The centroids start at candidates drawn at random: k-means++ ends no better here and takes 40 times as long.
        """
        from scipy.cluster.vq import kmeans2, vq  # noqa: PLC0415 slow to import

        with warnings.catch_warnings():
            # An empty cluster keeps its last centroid, whose nearest candidate is as good as any.
            warnings.filterwarnings("ignore", "One of the clusters is empty", UserWarning)
            centroids, _ = kmeans2(whitened, size, iter=ITERATIONS, minit="points", missing="warn", rng=rng)
        return np.unique(vq(centroids, whitened, check_finite=False)[0])
