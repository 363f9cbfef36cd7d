"""Which archive points a model is trained on (Algorithm 1, step 5).

| symbol | here                  | meaning                                                   |
| ------ | --------------------- | --------------------------------------------------------- |
| 𝒜      | ``archive``           | all truly evaluated points                                |
| r      | ``radius``            | largest Mahalanobis distance to m of a training point     |
| n_req  | ``required``          | fewest points to train on                                 |
| n_max  | ``largest``           | most points to train on                                   |
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2, vq

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


KMEANS_ITERATIONS = 5
"""Of Lloyd's algorithm. With hundreds of clusters of a few points each, further ones hardly change the choice."""


def by_kmeans(whitened: Array, size: int, rng: np.random.Generator) -> Indices:
    """Take the candidate nearest to each of ``size`` k-means centroids; fewer where centroids share one.

    The centroids start at candidates drawn at random: k-means++ ends no better here and takes 40 times as long.
    """
    with warnings.catch_warnings():
        # An empty cluster keeps its last centroid, whose nearest candidate is as good as any.
        warnings.filterwarnings("ignore", "One of the clusters is empty", UserWarning)
        centroids, _ = kmeans2(whitened, size, iter=KMEANS_ITERATIONS, minit="points", missing="warn", rng=rng)
    return np.unique(vq(centroids, whitened, check_finite=False)[0])


@dataclass(frozen=True)
class Selection:
    """A reduction of the candidates, shape (n, D) in whitened space and oldest first, to n_max of them.

    Args:
        choose: returns indices of candidates in ascending order, given how many and a source of randomness.
        newest_only: whether it needs no more than the newest n_max candidates.
    """

    choose: Callable[[Array, int, np.random.Generator], Indices]
    newest_only: bool = False


RECENT = Selection(most_recent, newest_only=True)
NEAREST = Selection(nearest)
KMEANS = Selection(by_kmeans)


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
    selection: Selection,
    rng: np.random.Generator,
) -> TrainingSet | None:
    """Choose n_tr archive points within the Mahalanobis distance r of m, n_req ≤ n_tr ≤ n_max.

    Args:
        archive: 𝒜.
        whitening: of the distribution that the current population was sampled from.
        radius: r.
        required: n_req.
        largest: n_max.
        selection: how more than n_max candidates are reduced.
        rng: used by selections that draw.

    Returns:
        The training set, or None where fewer than n_req points are in reach.
    """
    whitened, indices = _in_reach(archive, whitening, radius, largest if selection.newest_only else len(archive))
    if len(indices) < required:
        return None
    if len(indices) > largest:
        kept = selection.choose(whitened, largest, rng)
        whitened, indices = whitened[kept], indices[kept]
    return TrainingSet(inputs=whitened, values=archive.values[indices])


def _in_reach(archive: Archive, whitening: Whitening, radius: float, enough: int) -> tuple[Array, Indices]:
    """Return the archive's points within the radius, whitened and oldest first, and their indices.

    Goes back in the archive until at least ``enough`` are found: the whole of it grows long.
    """
    parts: list[tuple[Array, Indices]] = []
    found, end = 0, len(archive)
    while end > 0 and found < enough:
        start = max(0, end - max(64, 2 * enough))
        whitened = whitening(archive.points[start:end])
        within = np.flatnonzero(np.einsum("ij,ij->i", whitened, whitened) <= radius**2)
        parts.append((whitened[within], within + start))
        found += len(within)
        end = start
    parts.reverse()
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty_like(archive.points), np.empty(0, dtype=np.intp)
    return np.concatenate([part for part, _ in parts]), np.concatenate([where for _, where in parts])
