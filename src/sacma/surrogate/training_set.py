"""Selection of the archive points that a model is trained on (Algorithm 1, step 5).

| symbol | here                  | meaning                                                   |
| ------ | --------------------- | --------------------------------------------------------- |
| 𝒜      | ``archive``           | all truly evaluated points                                |
| r      | ``radius``            | largest Mahalanobis distance to m of a training point     |
| n_req  | ``required``          | fewest points to train on                                 |
| n_max  | ``largest``           | most points to train on                                   |
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sacma.surrogate.archive import Archive
from sacma.surrogate.whitening import Whitening
from sacma.types import Array

Indices = NDArray[np.intp]


class Selection(Protocol):
    """A reduction of more than n_max candidates to at most n_max.

    ``newest_only``: it needs the newest n_max candidates only.
    """

    newest_only: bool

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the indices, ascending, of ``size`` candidates.

        Args:
            whitened: the candidates in whitened space, oldest first, shape (n, D), n > ``size``.
            size: n_max.
            rng: of random selections.
        """


@dataclass(frozen=True)
class TrainingSet:
    """Whitened inputs, shape (n, D), and objective values, shape (n,).

    ``indices`` are the positions of the points in the archive, ascending, shape (n,); empty: they are in none.
    """

    inputs: Array
    values: Array
    indices: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))

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

    ``whitening`` is of the distribution that the current population was sampled from. None where fewer than n_req
    points are in reach.
    """
    whitened, indices = _in_reach(archive, whitening, radius, largest if selection.newest_only else len(archive))
    if len(indices) < required:
        return None
    if len(indices) > largest:
        kept = _chosen(selection, whitened, largest, rng)
        whitened, indices = whitened[kept], indices[kept]
    return TrainingSet(inputs=whitened, values=archive.values[indices], indices=indices)


def _chosen(selection: Selection, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
    """Return the candidates that a selection keeps; raise ValueError for other indices than it may return."""
    kept = np.asarray(selection.choose(whitened, size, rng))
    fits = kept.ndim == 1 and kept.dtype.kind == "i" and 0 < len(kept) <= size
    if not fits or kept[0] < 0 or kept[-1] >= len(whitened) or (kept[1:] <= kept[:-1]).any():
        given = f"{len(kept)} of them" if kept.ndim == 1 else f"an array of shape {kept.shape}"
        allowed = f"1 to {size} indices from 0 to {len(whitened) - 1}, ascending"
        raise ValueError(f"{type(selection).__name__} chose {given}, {kept!r}; allowed: {allowed}")
    return kept


def _in_reach(archive: Archive, whitening: Whitening, radius: float, enough: int) -> tuple[Array, Indices]:
    """Return the archive's points within the radius, whitened and oldest first, and their indices.

    Goes back in the archive until at least ``enough`` are found: whitening all of a long archive would be slow.
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
