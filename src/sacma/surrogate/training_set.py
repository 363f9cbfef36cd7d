"""Training sets: archived points, whitened, within a distance of m (Algorithm 1, step 5).

| symbol | here                  | meaning                                                   |
| ------ | --------------------- | --------------------------------------------------------- |
| 𝒜      | ``archive``           | all truly evaluated points                                |
| r      | ``radius``            | largest Mahalanobis distance to m of a training point     |
| n_req  | ``required``          | fewest points to train on                                 |
| n_max  | ``largest``           | most points to train on                                   |
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Grid, Kinds, Part, indices_of
from sacma.types import Array, Indices


@dataclass(frozen=True)
class Whitening:
    """z = W (x − m), with W any root of the precision matrix: WᵀW = (σ²C)⁻¹.

    The search distribution N(m, σ²C) is standard normal in this space. All roots give the same distances, and an
    isotropic covariance function uses nothing else.

    With a grid, x is the centre of a point's cell. So a model has the same prediction in all of a cell, as f has
    (Garrido-Merchán and Hernández-Lobato, *Dealing with categorical and integer-valued variables in Bayesian
    optimization with Gaussian processes*, Neurocomputing 2020).
    """

    mean: Array  # m, shape (D,)
    to_white: Array  # W, shape (D, D)
    grid: Grid | None = None  # of f

    def __call__(self, points: Array) -> Array:
        """Return the whitened ``points``, shape (n, D)."""
        centred = points if self.grid is None else self.grid.centred(points)
        return np.asarray((centred - self.mean) @ self.to_white.T)

    @cached_property
    def log_scale(self) -> tuple[float, int]:
        """Logarithm of the mean stretch of lengths over directions, ln |det W| / D, and a power of two beside it."""
        power = int(np.frexp(np.max(np.abs(self.to_white)))[1])
        return float(np.linalg.slogdet(np.ldexp(self.to_white, -power))[1]) / len(self.mean), power

    def log_stretch(self, other: "Whitening") -> float:
        """Return the logarithm of the mean stretch of lengths from another whitening to this one.

        It is the same to the bit where x has another unit, as long as that is a power of two.
        """
        (here, power), (there, other_power) = self.log_scale, other.log_scale
        return here - there + (power - other_power) * math.log(2.0)

    def inverse(self, whitened: Array) -> Array:
        """Return the points, shape (n, D), of which ``whitened`` is the image: x = m + W⁻¹z."""
        return np.asarray(self.mean + np.linalg.solve(self.to_white, whitened.T).T)

    def same_as(self, other: "Whitening") -> bool:
        """Return whether both are of one distribution."""
        return np.array_equal(self.mean, other.mean) and np.array_equal(self.to_white, other.to_white)

    def distances(self, points: Array) -> Array:
        """Return each point's Mahalanobis distance √((x − m)ᵀ (σ²C)⁻¹ (x − m)), shape (n,)."""
        return np.asarray(np.sqrt((self(points) ** 2).sum(axis=1)))


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


class Selection(Protocol):
    """A reduction of more than n_max candidates to at most n_max.

    ``newest_only``: it needs the newest n_max candidates only.
    """

    newest_only: bool

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the indices of ``size`` candidates, or fewer.

        Args:
            whitened: the candidates in whitened space, oldest first, shape (n, D), n > ``size``.
            size: n_max.
            rng: of random selections.
        """


class Recent(Part):
    """The newest n_max candidates."""

    name: Literal["recent"] = "recent"
    newest_only: ClassVar[bool] = True

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG002 one protocol
        """Return the indices of the newest ``size`` candidates."""
        return np.arange(len(whitened) - size, len(whitened))


class Nearest(Part):
    """The n_max candidates nearest to m; the older first among equals."""

    name: Literal["nearest"] = "nearest"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG002 one protocol
        """Return the indices of the ``size`` candidates nearest to m."""
        return np.argsort((whitened**2).sum(axis=1), kind="stable")[:size]


class KMeans(Part):
    """The candidate nearest to each of n_max k-means centroids, as in the published code of the paper's authors."""

    name: Literal["kmeans"] = "kmeans"
    seeding: Annotated[Literal["k-means++", "random"], Field(description="first centroids")] = "k-means++"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the indices of the candidates nearest to ``size`` centroids; fewer where two share one."""
        from sacma.surrogate.clustering import k_means_plus_plus, lloyd, nearest  # noqa: PLC0415 loads Numba

        if self.seeding == "random":
            seeds = rng.choice(len(whitened), size, replace=False)
        else:
            seeds = k_means_plus_plus(np.ascontiguousarray(whitened), rng.random(size))
        return nearest(lloyd(whitened, whitened[seeds]), whitened)

    def prepare(self) -> None:
        """Compile the seeding, or load it."""
        self.choose(np.eye(3), 2, np.random.default_rng(0))


GAP = 1e3  # least ratio of successive distances from the best value between which values are no longer those of f

NEIGHBOURS = 3


def implausible(values: Array, gap: float = GAP, spread: float = 0.0) -> NDArray[np.bool_]:
    """Return True for values, shape (n,), that are out of all proportion to at least half of them.

    They are what users return where a simulation fails. Above the median, the first value whose distance from the
    best is ``gap`` times that of the next lower one begins them, if it is ``gap`` times a ``spread``, too: a training
    set may lie around one optimum, with few ordinary values of other places.
    """
    ordered = np.sort(values)
    above = 0.5 * ordered - 0.5 * ordered[0]  # half, for the largest floats
    middle = (len(values) - 1) // 2
    rounding = 8.0 * np.finfo(float).eps * max(abs(ordered[0]), abs(ordered[middle]))
    with np.errstate(over="ignore"):
        apart = (above[middle + 1 :] > gap * above[middle:-1]) & (above[middle:-1] > rounding)
        apart &= above[middle + 1 :] > 0.5 * gap * spread
    if not apart.any():
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values > ordered[middle + int(np.argmax(apart))])


def plausible(training: TrainingSet, spread: float) -> TrainingSet:
    """Return a training set without implausible values, but for regions of them, which get the worst plausible one."""
    wrong = implausible(training.values, spread=spread)
    if not wrong.any():
        return training
    apart = ((training.inputs[wrong, None] - training.inputs) ** 2).sum(axis=2)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, 1 : 1 + NEIGHBOURS]
    kept = ~wrong
    kept[wrong] = wrong[nearest].all(axis=1)
    values = np.minimum(training.values, training.values[~wrong].max())
    return TrainingSet(training.inputs[kept], values[kept], training.indices[kept])


SELECTIONS = Kinds(Recent, Nearest, KMeans, usual="recent")
AnySelection = Annotated[Any, SELECTIONS]


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
        kept = indices_of(selection, selection.choose(whitened, largest, rng), len(indices))
        if not 0 < len(kept) <= largest:
            raise ValueError(f"{type(selection).__name__} chose {len(kept)} candidates; allowed: 1 to {largest}")
        whitened, indices = whitened[kept], indices[kept]
    return TrainingSet(inputs=whitened, values=archive.values[indices], indices=indices)


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
