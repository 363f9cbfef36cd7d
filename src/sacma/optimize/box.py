"""The user's coordinates and the strategy's: a scale for each, and bounds that no point leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds

from sacma.optimize.arguments import real_array, refuse, require
from sacma.surrogate.part import Grid
from sacma.types import Array

# Largest coordinate and scale: squares and quotients of smaller ones stay far from the end of the floats.
LARGEST = 1e100

# Share of the width of bounds, or of a single bound, by which a given point may be beyond: it was rounded.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class ScaledBox:
    """x = scale · z, moved onto the bounds where it lies beyond; z has the d of D coordinates that can vary."""

    lower: Array  # bounds of x, shape (D,); -inf where there is none
    upper: Array  # idem; inf where there is none
    scale: Array  # of each coordinate, shape (D,)
    grid: Grid | None = None  # cells of x in [0, 1]^D in which f is the same, where the scale is 1
    of_space: bool = False  # x are coordinates of a space

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

    @property
    def scaled_bounds(self) -> tuple[Array, Array]:
        """The bounds of z."""
        with np.errstate(over="ignore"):
            return self.scaled(self.lower), self.scaled(self.upper)

    def points(self, scaled: Sequence[Array]) -> Array:
        """Return the points x at which f is evaluated, shape (n, D), within the bounds."""
        points = np.array(scaled, dtype=float)
        if self.dimension < len(self.free):
            points = np.repeat(self.lower[None], len(points), axis=0)
            points[:, self.free] = scaled
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

    def within(self, name: str, points: Array) -> Array:
        """Return given points, shape (…, D), those rounded beyond a bound on it; refuse others beyond, or too far."""
        lower, upper = (self.lower, self.upper) if self.grid is None else (0.0 * self.scale, self.scale)
        far = np.abs(points) > LARGEST * np.minimum(1.0, self.scale)
        for place in map(tuple, np.argwhere(far | _beyond(points, lower, upper))):
            i, where = place[-1], "".join(f"[{n}]" for n in place)
            limit = f"at most {LARGEST:g}, also in units of the scale"
            inside = f"within its bounds, {lower[i]!s} to {upper[i]!s}"
            if self.of_space:
                inside = "coordinates of the space, from 0 to 1, or its parameters as a dict"
            allowed = limit if far[place] else inside
            refuse(f"{name}{where}", float(points[place]), allowed)
        return np.clip(points, self.lower, self.upper)

    def rows(self, name: str, given: object) -> Array:
        """Return given points, shape (n, D), as ``within`` does."""
        D = len(self.lower)
        allowed = f"points of {D} coordinates, one a row"
        points = real_array(name, given, allowed)
        require(not points.size or points.shape[1:] == (D,), name, given, allowed)
        return self.within(name, points.reshape(-1, D))


def box_of(lower: Array, upper: Array, scale: Array) -> ScaledBox:
    """Return a box whose bounds floats can tell from each other."""
    with np.errstate(all="ignore"):
        far = (np.abs([lower, upper]) > LARGEST * np.minimum(1.0, scale)) & np.isfinite([lower, upper])
        apart = (lower == upper) | (upper / scale - lower / scale >= 1 / LARGEST)
    for i in np.flatnonzero(far.any(axis=0) | ~apart | (lower == np.inf) | (upper == -np.inf)):
        allowed = f"lower ≤ upper, infinite or at most {LARGEST:g}, and apart for floats, also in units of the scale"
        refuse(f"bounds[{i}]", (float(lower[i]), float(upper[i])), allowed)
    return ScaledBox(lower, upper, scale)


def initial_point(value: object) -> Array:
    """Return x₀, shape (D,); a number is a point in 1-D."""
    allowed = f"a vector of one or more numbers between -{LARGEST:g} and {LARGEST:g}"
    x0 = np.atleast_1d(real_array("x0", value, allowed))
    require(x0.ndim == 1 and len(x0), "x0", value, allowed)
    return x0


def centre_of(bounds: Any) -> Array:
    """Return the x₀ of a call that has none, shape (D,): the centre of its bounds."""
    allowed = "without x0, finite ones of each coordinate, such as [(0, 1)] * D, or a scipy.optimize.Bounds of arrays"
    lower, upper = _sides(bounds, allowed)
    require(lower.ndim == 1 and np.all(np.isfinite([lower, upper])), "bounds", bounds, allowed)
    return np.asarray(lower / 2 + upper / 2)


def scale_of(value: object, dimension: int) -> Array:
    """Return the scale of each coordinate, shape (D,); one number holds for all."""
    allowed = f"a number from {1 / LARGEST:g} to {LARGEST:g}, or {dimension} of them, one a coordinate"
    scale = real_array("scale", value, allowed)
    moderate = np.all((scale >= 1 / LARGEST) & (scale <= LARGEST))
    require(moderate and scale.shape in {(), (dimension,)}, "scale", value, allowed)
    return np.broadcast_to(scale, dimension).copy()


def bounds_of(bounds: Any, x0: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds of x₀, each of shape (D,), infinite where there is none; see ``Optimizer``."""
    D = len(x0)
    if bounds is None:
        return np.full(D, -np.inf), np.full(D, np.inf)
    allowed = f"None, a pair (lower, upper), {D} such pairs, or scipy.optimize.Bounds(lows, highs); None, not NaN: open"
    lower, upper = _sides(bounds, allowed)
    paired = not isinstance(bounds, Bounds)
    require(lower.shape in {(), (D,)} or (lower.shape == (1,) and not paired), "bounds", bounds, allowed)
    if paired and lower.shape == (2,) and _beyond(x0, lower, upper).any():
        lows, highs = np.column_stack([lower, upper])  # as pycma has them
        require(_beyond(x0, lows, highs).any(), "bounds", bounds, allowed)
    distinct = "lower < upper in at least one coordinate, or all lows and highs as scipy.optimize.Bounds(lows, highs)"
    require(np.any(lower != upper), "bounds", bounds, f"{distinct}; here nothing can vary")
    return np.broadcast_to(lower, D).copy(), np.broadcast_to(upper, D).copy()


def _sides(bounds: Any, allowed: str) -> Sequence[Array]:
    """Return lower and upper bounds as they are given, one, or one a coordinate, infinite where there is none."""
    if isinstance(bounds, Bounds):
        return [real_array("bounds", side, allowed) for side in (bounds.lb, bounds.ub)]
    pairs = real_array("bounds", bounds, allowed, missing=True)
    none = np.array(bounds, dtype=object) == np.array(None)
    require(pairs.shape[-1:] == (2,) and np.all(none | ~np.isnan(pairs)), "bounds", bounds, allowed)
    return list(np.moveaxis(np.where(none, [-np.inf, np.inf], pairs), -1, 0))


def _beyond(points: Array, lower: Array, upper: Array) -> NDArray[np.bool_]:
    """Return True for each coordinate of points, shape (…, D), beyond a bound by more than a rounding."""
    with np.errstate(all="ignore"):
        width = upper - lower
        single = np.where(np.isfinite(lower), np.abs(lower), np.abs(upper))
        slack = ROUNDING * np.where(np.isfinite(width) & (width > 0.0), width, np.nan_to_num(single, posinf=0.0))
    return np.asarray((points < lower - slack) | (points > upper + slack))
