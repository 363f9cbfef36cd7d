"""The user's coordinates and the strategy's: a scale for each, and bounds that no point leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sacma.surrogate.whitening import Array, Grid


@dataclass(frozen=True, eq=False)
class ScaledBox:
    """x = scale · z, moved onto the bounds where it lies beyond; z has the d of D coordinates that can vary."""

    lower: Array  # bounds of x, shape (D,); -inf where there is none
    upper: Array  # idem; inf where there is none
    scale: Array  # of each coordinate, shape (D,)
    grid: Grid | None = None  # cells of x in which f is the same, where the scale is 1

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """True for each coordinate that can vary, shape (D,)."""
        return np.asarray(self.lower != self.upper)

    @cached_property
    def dimension(self) -> int:
        """The number d of coordinates that can vary."""
        return int(np.count_nonzero(self.free))

    @cached_property
    def bounded(self) -> bool:
        """True where any coordinate that can vary has a bound."""
        return bool(np.any((np.isfinite(self.lower) | np.isfinite(self.upper))[self.free]))

    @property
    def boxed(self) -> bool:
        """True where each coordinate has two bounds."""
        return bool(np.all(np.isfinite(self.lower) & np.isfinite(self.upper)))

    @cached_property
    def _unscaled(self) -> bool:
        return bool(np.all(self.scale == 1.0))

    @property
    def scaled_bounds(self) -> tuple[Array, Array]:
        """The bounds of z."""
        with np.errstate(over="ignore"):
            return self.scaled(self.lower), self.scaled(self.upper)

    def points(self, scaled: Sequence[Array]) -> Array:
        """Return the points x at which f is evaluated, shape (n, D), within the bounds."""
        points = np.array(scaled)
        if self.dimension < len(self.free):
            points = np.repeat(self.lower[None], len(points), axis=0)
            points[:, self.free] = scaled
        if not self._unscaled:
            points *= np.where(self.free, self.scale, 1.0)
        if self.bounded:
            points = np.clip(points, self.lower, self.upper)
        return points if self.grid is None else self.grid.centred(points)

    def scaled(self, points: Array) -> Array:
        """Return z, shape (…, d), of points x, shape (…, D)."""
        return (points / self.scale)[..., self.free]

    def another_start(self, x0: Array, sigma0: float, rng: np.random.Generator) -> Array:
        """Draw the x₀ of a restart: uniform between two finite bounds, else normal around the first x₀ with σ₀."""
        uniform, normal = np.zeros(len(x0)), np.zeros(len(x0))
        uniform[self.free], normal[self.free] = rng.uniform(size=self.dimension), rng.standard_normal(self.dimension)
        with np.errstate(over="ignore", invalid="ignore"):
            width = self.upper - self.lower
            drawn = np.where(np.isfinite(width), self.lower + uniform * width, x0 + sigma0 * self.scale * normal)
        return np.clip(drawn, self.lower, self.upper)
