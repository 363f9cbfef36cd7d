"""The user's coordinates and the strategy's: a scale for each, and bounds that no point leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sacma.surrogate.whitening import Array, Grid


@dataclass(frozen=True, eq=False)
class ScaledBox:
    """x = scale · z, moved onto the bounds where it lies beyond."""

    lower: Array  # bounds of x, shape (D,); -inf where there is none
    upper: Array  # idem; inf where there is none
    scale: Array  # of each coordinate, shape (D,)
    grid: Grid | None = None  # cells of x in which f is the same, where the scale is 1

    @cached_property
    def bounded(self) -> bool:
        """True where any coordinate has a bound."""
        return bool(np.any(np.isfinite(self.lower) | np.isfinite(self.upper)))

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
            return self.lower / self.scale, self.upper / self.scale

    def points(self, scaled: Sequence[Array]) -> Array:
        """Return the points x at which f is evaluated, shape (n, D), within the bounds."""
        points = np.array(scaled)
        if not self._unscaled:
            points *= self.scale
        if self.bounded:
            points = np.clip(points, self.lower, self.upper)
        return points if self.grid is None else self.grid.centred(points)

    def scaled(self, points: Array) -> Array:
        """Return z of points x, shape (…, D)."""
        return points / self.scale

    def another_start(self, x0: Array, sigma0: float, rng: np.random.Generator) -> Array:
        """Draw the x₀ of a restart: uniform between two finite bounds, else normal around the first x₀ with σ₀."""
        uniform, normal = rng.uniform(size=len(x0)), rng.standard_normal(len(x0))
        with np.errstate(over="ignore", invalid="ignore"):
            width = self.upper - self.lower
            drawn = np.where(np.isfinite(width), self.lower + uniform * width, x0 + sigma0 * self.scale * normal)
        return np.clip(drawn, self.lower, self.upper)
