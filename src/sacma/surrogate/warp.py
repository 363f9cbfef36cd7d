"""Warps: increasing functions of values, from strong expansion over none to strong compression."""

import math
from dataclasses import dataclass

import numpy as np

from sacma.types import Array

# c as quantiles of y − y_min, from little to much compression; before all of them none.
QUANTILES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.03)

EXPANSIONS = (8.0, 4.0, 2.0, 1.0)  # ranges of y over c, from much to little expansion; before none
LEAST_SCALE = 1e-100  # of c, over the range of the values: no warped value overflows


@dataclass(frozen=True)
class Warp:
    """w(y) = ln(1 + (y − y_min)/c) or exp((y − y_min)/c) − 1, below y_min continued by its tangent.

    It is y − y_min where c is infinite.
    """

    least: float  # y_min
    c: float
    expands: bool = False  # by the exponential

    def __call__(self, values: Array) -> Array:
        """Return warped values."""
        above = values - self.least
        if np.isinf(self.c):
            return np.asarray(above)
        with np.errstate(over="ignore"):
            warped = (np.expm1 if self.expands else np.log1p)(np.maximum(above, 0.0) / self.c)
        return np.asarray(np.where(above > 0.0, warped, above / self.c))

    def inverse(self, warped: Array) -> Array:
        """Return the values of warped ones, infinite where they are too large for a float."""
        if np.isinf(self.c):
            return np.asarray(self.least + warped)
        with np.errstate(over="ignore"):
            above = (np.log1p if self.expands else np.expm1)(np.maximum(warped, 0.0))
            return np.asarray(self.least + self.c * np.where(warped > 0.0, above, warped))

    def stretch(self, value: float) -> float:
        """Return 1/w′(y)."""
        above = max(value - self.least, 0.0)
        if self.expands:
            return self.c * math.exp(-above / self.c)
        return 1.0 if np.isinf(self.c) else self.c + above

    def unit(self, unit: float) -> float:
        """Return the unit of warped values where that of values is ``unit``: those of ln and exp have none."""
        return unit if np.isinf(self.c) else 1.0

    def log_slopes(self, values: Array, unit: float = 1.0) -> Array:
        """Return ln w′(y) of each value, in a unit."""
        if np.isinf(self.c):
            return np.zeros(len(values))
        above = np.maximum(values - self.least, 0.0) / self.c
        return np.asarray((above if self.expands else -np.log1p(above)) - np.log(self.c / unit))


def warps(values: Array) -> list[Warp]:
    """Return the warps to choose from: expansions, strong ones first, none, and compressions, weak ones first."""
    ordered = np.sort(values)
    least, last = float(ordered[0]), len(values) - 1
    scales = np.interp(np.multiply(QUANTILES, last), np.arange(last + 1), ordered - least)
    expanding = [Warp(least, float(scales[0]) / times, expands=True) for times in EXPANSIONS]
    compressing = [Warp(least, float(c)) for c in scales if c > LEAST_SCALE * scales[0]]
    return [*expanding, Warp(least, np.inf), *compressing]
