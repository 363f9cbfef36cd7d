"""A search in a trust region with interpolating quadratic functions, as in Powell's NEWUOA and BOBYQA.

M. J. D. Powell, *The NEWUOA software for unconstrained optimization without derivatives*, 2006; *The BOBYQA algorithm
for bound constrained optimization without derivatives*, 2009. The subproblem is solved by an eigendecomposition, and
the matrix of the interpolation is inverted anew at each step: at such dimensions that costs less than f.
"""

import math
import sys
from collections.abc import Generator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from sacma.surrogate.part import Context, Part
from sacma.surrogate.quadratic import Interpolation, Quadratic, minimum
from sacma.surrogate.training_set import implausible
from sacma.surrogate.warp import EXPANSIONS, QUANTILES, Warp, warps
from sacma.types import Array

# Ratios of the actual reduction of f to the predicted one, between which the radius neither shrinks nor grows.
POOR, GOOD = 0.1, 0.7

ROUNDING = 1e-9  # of the radius, by which a point may be beyond the box
LEAST_RADIUS = 1e-8  # of the first: the search has converged

# Share of the distance to a rival's value: where the model promises less within the first radius, a search ends.
HOPELESS = 0.25

# Ratio of differences of values from which on larger ones are of failures: a few points differ by their axes alone.
MOST_UNITS = 1e6


NONE, LEVELS = len(EXPANSIONS), len(EXPANSIONS) + 1 + len(QUANTILES)  # the place of no warp among all, and their number

# Factor of the logarithm of an error at each new one, that of errors without a warp, and the least error.
FORGETS, MARGIN, LEAST_ERROR = 0.7, 1.0, 1e-12


class View(NamedTuple):
    """Differences from the best value seen through a warp, as a quadratic function of the step in units of Δ."""

    warp: Warp
    model: Quadratic


Search = Generator[Array, Array, Array | None]  # yields points for f, shape (n, D), and takes their values, shape (n,)
Evaluation = Generator[Array, Array, tuple[Array, Array]]  # idem; returns points, where f was evaluated, and values


class TrustRegion(Part):
    """Searches in a trust region, from x₀ and later elsewhere; CMA-ES begins at the best point, with a smaller σ₀."""

    name: Literal["trust-region"] = "trust-region"
    evaluations_factor: Annotated[float, Field(gt=0, le=1000, description="evaluations of the search/D")] = 5.0
    step_share: Annotated[float, Field(gt=0, le=1, description="σ₀ of the run after a search/sigma0")] = 0.25
    elsewhere: Annotated[bool, Field(description="search elsewhere, too, where a run has become narrow")] = True

    def evaluations(self, dimension: int) -> int:
        """Return the number of evaluations of the search."""
        return math.ceil(self.evaluations_factor * dimension)

    def search(self, start: Array, radius: float, context: Context, most: int, rival: float = math.inf) -> Search:
        """Search from ``start``, shape (D,): yield points for f, shape (n, D), and take their values, shape (n,).

        Values are finite, or infinite where f has failed. The search has so many evaluations at most. It ends by itself
        where it has converged, or its model promises too little to become better than a rival's value. It returns the
        best point, or None where values say nothing.
        """
        points = _first_points(np.clip(start, *context.box), radius, context.box)
        return _search(_Region(points, radius, most), context.box, rival)


class _Region:
    """The interpolation points, their values, the radii Δ ≥ ρ, and the evaluations that are left."""

    def __init__(self, points: Array, radius: float, left: int) -> None:
        self.points = points
        self.values = np.full(len(points), np.inf)  # in units of their spread
        self.left = left
        self.radius = self.resolution = radius  # Δ, ρ
        self.hessians = np.zeros((LEVELS, points.shape[1], points.shape[1]))  # of warped values in units of x
        self.errors = np.where(np.arange(LEVELS) == NONE, -MARGIN, 0.0)  # logarithms, smoothed

    @property
    def best(self) -> int:
        """The number of the best point."""
        return int(np.argmin(self.values))

    @property
    def centre(self) -> Array:
        """The best point."""
        return np.asarray(self.points[self.best])

    def distances(self) -> Array:
        """Return the distances of all points from the best one."""
        return np.asarray(np.linalg.norm(self.points - self.centre, axis=1))

    def interpolation(self) -> Interpolation:
        """Return the interpolation through the points, in units of Δ."""
        return Interpolation.of((self.points - self.centre) / self.radius)

    def views(self, interpolation: Interpolation) -> list[View]:
        """Return the values through each warp; that of a failure is the worst, twice as far above the best."""
        differences = self.values - self.values[self.best]
        finite = np.isfinite(differences)
        some = np.max(differences[finite]) > sys.float_info.min  # else all are the same
        through = warps(differences[finite]) if some else [Warp(0.0, math.inf)]
        found = []
        for level in range(LEVELS):
            warp = through[min(level, len(through) - 1)]
            values = _warped(warp, differences)
            values[~finite] = 2.0 * np.max(values[finite])
            model = interpolation.through(values, self.hessians[level] * self.radius**2)
            self.hessians[level] = model.hessian / self.radius**2
            found.append(View(warp, model))
        return found

    def learn(self, views: list[View], step: Array, value: float) -> None:
        """Take a new value at a step, in units of Δ, as a sample of the errors of all models."""
        if not np.isfinite(value):
            return
        foreseen = np.array([_unwarped(warp, model(step)) for warp, model in views])
        errors = np.clip(np.abs(foreseen - (value - self.values[self.best])), LEAST_ERROR, MOST_UNITS)
        self.errors = FORGETS * self.errors + np.log(np.nan_to_num(errors, nan=MOST_UNITS))
        self.errors[NONE] -= MARGIN * (1.0 - FORGETS)

    @property
    def chosen(self) -> int:
        """The warp with the least errors."""
        return int(np.argmin(self.errors))

    def evaluated(self, points: Array) -> Evaluation:
        """Evaluate points with f, shape (n, D), as far as evaluations are left; some may be moved."""
        asked = points[: self.left].copy()
        self.left -= len(asked)
        values = yield asked
        return asked, values

    def shrink(self) -> None:
        """Lower the resolution: the points around the best one say no more."""
        self.resolution *= 0.1
        self.radius = max(0.5 * self.radius, self.resolution)


def _warped(warp: Warp, differences: Array) -> Array:
    """Return warped differences from the best value, with a slope of 1 there."""
    return warp(differences) if np.isinf(warp.c) else warp.c * warp(differences)


def _unwarped(warp: Warp, value: float) -> float:
    """Return a difference from the best value."""
    return float(warp.inverse(np.array([value if np.isinf(warp.c) else value / warp.c]))[0])


def _spread(values: Array) -> float:
    """Return the difference of the largest and the least plausible value; 0 where they are no scale of the others."""
    finite = values[np.isfinite(values)]
    if len(finite):
        finite = finite[~implausible(finite, MOST_UNITS)]
    with np.errstate(over="ignore"):
        spread = float(np.ptp(finite)) if len(finite) else 0.0
    return spread if sys.float_info.min < spread < math.inf else 0.0


def _in_units(values: Array, unit: float, least: float) -> Array:
    """Return values in a unit; those too far from the least one to be of use in a model are infinite."""
    with np.errstate(over="ignore"):
        return np.where(np.abs(values / unit - least / unit) < MOST_UNITS, values / unit, np.inf)


def _search(region: _Region, box: tuple[Array, Array], rival: float) -> Search:
    """Search until the radius is too small, too little is promised or no evaluation is left."""
    lower, upper = box
    first, least = region.radius, LEAST_RADIUS * region.radius
    asked, told = yield from region.evaluated(region.points)
    if not region.left or not (spread := _spread(told)):
        return None
    least_value = float(np.min(told))
    region.points[:], region.values[:] = asked, _in_units(told, spread, least_value)
    while region.left and region.resolution > least and np.isfinite(region.values[region.best]):
        centre, unit = region.centre.copy(), region.radius
        inner = _inside(region, box)
        interpolation = region.interpolation()
        views = region.views(interpolation)
        warp, model = views[region.chosen]
        if not np.all(np.isfinite(model.hessian)) or not np.all(np.isfinite(model.gradient)):
            return None
        step = minimum(model, 1.0, *inner)
        length = unit * float(np.linalg.norm(step))
        expected = model(np.zeros(len(step))) - model(step)
        if length < 0.5 * region.resolution or expected <= 0.0:
            ratio, radius_next = -1.0, max(0.1 * unit, region.resolution)
        else:
            wanted = np.clip(centre + unit * step, lower, upper)
            (point,), told = yield from region.evaluated(wanted[None])
            (value,) = _in_units(told, spread, least_value)
            if not np.array_equal(point, wanted):
                step = (point - centre) / unit
            reduction = -float(_warped(warp, np.array([value - region.values[region.best]]))[0])
            ratio = reduction / expected
            region.learn(views, step, value)
            radius_next = _next_radius(ratio, unit, length)
            _replace(region, interpolation.weights(step), point, value, max(0.1 * radius_next, region.resolution))
        region.radius = radius_next if radius_next > 1.5 * region.resolution else region.resolution
        if ratio > POOR or not region.left:
            continue
        farthest = int(np.argmax(distances := region.distances()))
        if distances[farthest] > 2.0 * region.radius:
            length = max(min(0.1 * distances[farthest], 0.5 * region.radius), region.resolution)
            point = _instructive(region, farthest, length, box)
            (region.points[farthest],), told = yield from region.evaluated(point[None])
            (region.values[farthest],) = _in_units(told, spread, least_value)
        elif region.radius <= region.resolution and ratio <= 0.0:
            promised = model(np.zeros(len(step))) - model(minimum(model, first / unit, *inner))
            if promised < HOPELESS * (region.values[region.best] - rival / spread):
                break
            region.shrink()
    return region.centre.copy()


def _inside(region: _Region, box: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the bounds of steps from the best point, in units of Δ."""
    with np.errstate(over="ignore"):
        return (box[0] - region.centre) / region.radius, (box[1] - region.centre) / region.radius


def _first_points(start: Array, radius: float, box: tuple[Array, Array]) -> Array:
    """Return x₀ and two points along each coordinate, shape (2D + 1, D): on both sides where the box has room."""
    lower, upper = box
    D = len(start)
    points = np.tile(start, (2 * D + 1, 1))
    for i in range(D):
        with np.errstate(over="ignore"):
            r = min(radius, 0.5 * (upper[i] - lower[i]))
        rounding = ROUNDING * r
        above, below = start[i] + r <= upper[i] + rounding, start[i] - r >= lower[i] - rounding
        first, second = (r, -r) if above and below else (r, 2.0 * r) if above else (-r, -2.0 * r)
        points[1 + i, i] = np.clip(start[i] + first, lower[i], upper[i])
        points[1 + D + i, i] = np.clip(start[i] + second, lower[i], upper[i])
    return points


def _next_radius(ratio: float, radius: float, length: float) -> float:
    """Return Δ after a step of a length."""
    if ratio <= POOR:
        return 0.5 * length
    return max(0.5 * radius, length if ratio <= GOOD else 2.0 * length)


def _replace(region: _Region, weights: Array, point: Array, value: float, near: float) -> None:
    """Put a new point in the place of one that is far from the best and without which the others determine a model."""
    best, better = region.best, value < region.values[region.best]
    distances = np.linalg.norm(region.points - (point if better else region.centre), axis=1)
    worth = np.abs(weights) * np.maximum(1.0, distances / near) ** 6
    if not better:
        worth[best] = -1.0
    place = int(np.argmax(worth))
    region.points[place], region.values[place] = point, value


def _instructive(region: _Region, number: int, length: float, box: tuple[Array, Array]) -> Array:
    """Return a point near the best one, to replace one that is far: where the Lagrange function of that is largest."""
    centre, unit, inner = region.centre, region.radius, _inside(region, box)
    lagrange = region.interpolation().lagrange(number)
    steps = [minimum(sided, length / unit, *inner) for sided in (lagrange, -lagrange)]
    step = max(steps, key=lambda s: abs(lagrange(s)))
    return np.asarray(np.clip(centre + unit * step, *box))
