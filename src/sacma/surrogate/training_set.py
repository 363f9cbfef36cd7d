"""Which archive points a model is trained on (Algorithm 1, step 5).

| symbol | here                  | meaning                                                   |
| ------ | --------------------- | --------------------------------------------------------- |
| 𝒜      | ``archive``           | all truly evaluated points                                |
| r      | ``radius``            | largest Mahalanobis distance to m of a training point     |
| n_req  | ``required``          | fewest points to train on                                 |
| n_max  | ``largest``           | most points to train on                                   |
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import cdist

from sacma.surrogate.archive import Archive
from sacma.surrogate.whitening import Array, Whitening

Indices = NDArray[np.intp]


def most_recent(whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG001 one protocol
    """Take the newest ``size`` candidates."""
    return np.arange(len(whitened) - size, len(whitened))


def nearest(whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG001 one protocol
    """Take the ``size`` candidates nearest to the distribution's mean; the older first among equals."""
    order = np.argsort(np.sum(whitened**2, axis=1), kind="stable")
    return np.sort(order[:size])


def by_kmeans(whitened: Array, size: int, rng: np.random.Generator) -> Indices:
    """Take the candidate nearest to each of ``size`` k-means centroids; fewer where centroids share one."""
    with warnings.catch_warnings():
        # An empty cluster keeps its last centroid, whose nearest candidate is as good as any.
        warnings.filterwarnings("ignore", "One of the clusters is empty", UserWarning)
        centroids, _ = kmeans2(whitened, size, minit="++", missing="warn", rng=rng)
    return np.unique(np.argmin(cdist(centroids, whitened), axis=1))


Selection = Callable[[Array, int, np.random.Generator], Indices]

SELECTIONS: Mapping[str, Selection] = {"recent": most_recent, "nearest": nearest, "kmeans": by_kmeans}
"""Reductions of the candidates, shape (n, D) in whitened space and oldest first, to n_max of them."""


@dataclass(frozen=True)
class TrainingSet:
    """Whitened inputs, shape (n, D), and objective values, shape (n,)."""

    inputs: Array
    values: Array

    def __len__(self) -> int:
        return len(self.values)


def select_training_set(
    archive: Archive,
    whitening: Whitening,
    *,
    radius: float,
    required: int,
    largest: int,
    selection: str,
    rng: np.random.Generator,
) -> TrainingSet | None:
    """Choose n_tr archive points within the Mahalanobis distance r of m, n_req ≤ n_tr ≤ n_max.

    Args:
        archive: 𝒜.
        whitening: of the distribution that the current population was sampled from.
        radius: r.
        required: n_req.
        largest: n_max.
        selection: how more than n_max candidates are reduced, a key of ``SELECTIONS``.
        rng: used by selections that draw.

    Returns:
        The training set, or None where fewer than n_req points are in reach.
    """
    whitened = whitening(archive.points)
    in_reach = np.flatnonzero(np.sum(whitened**2, axis=1) <= radius**2)
    if len(in_reach) < required:
        return None
    if len(in_reach) > largest:
        in_reach = in_reach[SELECTIONS[selection](whitened[in_reach], largest, rng)]
    return TrainingSet(inputs=whitened[in_reach], values=archive.values[in_reach])
