"""The space in which a search distribution N(m, σ²C) is the standard normal distribution."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sacma.types import Array


class Grid(Protocol):
    """Cells of points in which f is the same, as where it takes integers."""

    def centred(self, points: Array) -> Array:
        """Return points, shape (…, D), moved to the centres of their cells."""

    def widths(self, point: Array) -> Array:
        """Return the widths of the cell around a point, shape (D,): 0 where f differs from coordinate to coordinate."""


def read_only(array: Array) -> Array:
    """Return a view of ``array`` that nobody can write to: parts of users are given the strategy's own arrays."""
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class Whitening:
    """z = W (x − m), with W any root of the precision matrix: WᵀW = (σ²C)⁻¹.

    All roots give the same distances, and an isotropic covariance function uses nothing else.

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
    def log_scale(self) -> float:
        """Logarithm of the mean stretch of lengths over directions: ln |det W| / D."""
        return float(np.linalg.slogdet(self.to_white)[1]) / len(self.mean)

    def inverse(self, whitened: Array) -> Array:
        """Return the points, shape (n, D), of which ``whitened`` is the image: x = m + W⁻¹z."""
        return np.asarray(self.mean + np.linalg.solve(self.to_white, whitened.T).T)

    def same_as(self, other: "Whitening") -> bool:
        """Return whether both are of one distribution."""
        return np.array_equal(self.mean, other.mean) and np.array_equal(self.to_white, other.to_white)

    def distances(self, points: Array) -> Array:
        """Return each point's Mahalanobis distance √((x − m)ᵀ (σ²C)⁻¹ (x − m)), shape (n,)."""
        return np.asarray(np.sqrt((self(points) ** 2).sum(axis=1)))
