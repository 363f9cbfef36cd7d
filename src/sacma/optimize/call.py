"""The arguments of ``minimize`` and ``Optimizer``, checked and in one form."""

import math
import secrets
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sacma.optimize.arguments import (
    LARGEST,
    box_of,
    centre_of,
    evaluated,
    flag,
    initial_point,
    number,
    refuse,
    scale_of,
    whole,
    within_box,
)
from sacma.optimize.constraints import Constraints, constraints_of
from sacma.optimize.methods import COMPOSED, Method, method_of
from sacma.optimize.scaled_box import ScaledBox
from sacma.optimize.space import Space
from sacma.surrogate.whitening import Array

SMALLEST_SIGMA, LARGEST_SIGMA = 1e-100, 1e10
SIGMA = f"a number from {SMALLEST_SIGMA:g} to {LARGEST_SIGMA:g}: the initial deviation in units of the scale"
SHARE = 1 / 6  # σ₀ as a share of the widths of the bounds, for calls that give none
LARGEST_SEED = 2**128 - 1
FEWEST_NOISY = 10  # smallest budget of a noisy call: two evaluations make a mean with an error
LARGEST_KEPT = 2000  # coordinates of a call that a file can hold: CMA-ES needs many matrices of D × D numbers
MOST_BESIDE = 100_000  # points that are begun and not evaluated, beside a population
LARGEST_COUNT = 10**18  # largest number of evaluations and failures that a limit can have


@dataclass(frozen=True)
class Limits:
    """Limits that end a run. They do not change what it does until then."""

    budget: float = math.inf  # most evaluations; inf: as many as are asked for
    target: float = -math.inf  # value at and below which it ends; -inf: none
    time_limit: float = math.inf  # seconds; inf: none
    max_failures: float = math.inf  # failed evaluations in a row; inf: any number
    restarts: float = math.inf  # of the method; inf: as many as it makes


@dataclass(frozen=True)
class Tolerance:
    """A least gain over some evaluations, below which a run of the method has come to its end.

    It is the larger one of ``absolute`` and ``relative`` times the best value's size.

    >>> import sacma
    >>> found = sacma.minimize(lambda x: x @ x, [1, 1], 0.3, tolerance=sacma.Tolerance(1e-6), restarts=0, seed=1)
    >>> found.status.name, found.success, bool(found.fun < 1e-6)
    ('TOLERANCE', True, True)
    """

    absolute: float = 0.0  # in units of f
    relative: float = 0.0
    evaluations: int | None = None  # None: 10 a dimension

    def __post_init__(self) -> None:
        for name in ("absolute", "relative"):
            number(f"tolerance.{name}", getattr(self, name), "a number ≥ 0", least=0.0)
        if self.evaluations is not None:
            whole("tolerance.evaluations", self.evaluations, "an integer ≥ 1, or None: 10 a dimension", least=1)


PATIENCE = 10  # evaluations a dimension


ROUNDING = 1e-12  # of a coordinate of a space, from parameters and back


@dataclass(frozen=True, eq=False)
class Call:
    """Arguments of a run; with the values that it gets, they decide every point."""

    x0: Array  # initial point, shape (D,)
    box: ScaledBox  # scale and bounds
    sigma0: float  # in units of the scale
    method: Method  # its settings hold σ₀, too, where it has one
    seed: int | None  # of all random numbers
    known: tuple[Array, ...] | None  # points evaluated already, shape (n, D), values, shape (n,), constraints, (n, m)
    limits: Limits  # when it ends
    space: Space | None = None  # of named parameters, whose coordinates all points are
    constraints: Constraints = field(default_factory=Constraints)  # besides bounds
    guesses: tuple[Array, ...] = ()  # points to be evaluated first, the best of which takes the place of x₀
    tolerance: Tolerance | None = None  # the least gain of a run
    noisy: bool = False  # f differs from evaluation to evaluation: the last part of a budget measures the best points

    @property
    def equalities(self) -> tuple[bool, ...]:
        """True for each constraint h = 0, False for each g ≤ 0; m of them."""
        return self.constraints.equalities

    @property
    def combinations(self) -> float:
        """Number of points at which f can be evaluated; infinite but in a space of discrete parameters."""
        return math.inf if self.space is None else self.space.combinations

    @property
    def parameters(self) -> dict[str, slice]:
        """The coordinates of each parameter that can vary, among those that can; otherwise x0, x1, and so on."""
        if self.space is not None:
            return {name: place for name, place in self.space.places.items() if place.start < place.stop}
        return {f"x{i}": slice(k, k + 1) for k, i in enumerate(np.flatnonzero(self.box.free))}

    def seeded(self, seed: int | None = None) -> "Call":
        """Return the call with a seed: its own, the one given, or one drawn from the system's entropy."""
        if self.seed is not None:
            return self
        return replace(self, seed=secrets.randbits(64) if seed is None else seed)


def checked_call(
    x0: object,
    sigma0: object,
    limits: Limits,
    *,
    method: object,
    bounds: object = None,
    scale: object = None,
    population_size: object = None,
    seed: object = None,
    known: object = None,
    space: object = None,
    constraints: object = None,
    tolerance: object = None,
) -> Call:
    """Return the call that the arguments make; in a ``space``, points are its coordinates, or parameters."""
    if space is not None:
        if not isinstance(space, Space):
            refuse("space", space, "a sacma.Space, or None", of_type=True)
        for name, given in (("bounds", bounds), ("scale", scale)):
            if given is not None:
                refuse(name, given, "None beside a space, which has ranges")
        x0, known, bounds = _point_in(space, x0), _known_in(space, known), np.column_stack(space.bounds)
        scale, sigma0 = 1.0, SHARE if sigma0 is None else sigma0
    guesses = [initial_point(guess) for guess in x0] if _is_several(x0) else []  # type: ignore[attr-defined]
    if any(len(guess) != len(guesses[0]) for guess in guesses):
        refuse("x0", x0, "points of the same length")
    x = guesses[0] if guesses else centre_of(bounds) if x0 is None else initial_point(x0)
    scale, sigma = scale_of_search(scale, sigma0, bounds, x)
    scales = scale_of(scale, x)
    lower, upper = box_of(bounds, x, scales)
    x, *guesses = (within_box("x0", each, lower, upper, scales) for each in (x, *guesses))
    grid = space if space is not None and space.discrete else None
    box = ScaledBox(lower, upper, scales, grid)
    chosen = method_of(method, sigma0=sigma, bounded=box.bounded, boxed=box.boxed, population_size=population_size)
    if grid is not None and not chosen.allows_discrete:
        refuse("method", method, f"with integers, steps and choices, a method that samples populations: {COMPOSED}")
    kept = constraints_of(constraints, x, space)
    if (m := len(kept.equalities)) and chosen.strategy is None:
        refuse(
            "constraints", f"{m} of them", f"None with a method that calls f itself; methods that take them: {COMPOSED}"
        )
    if seed is not None:
        allowed = "an integer ≥ 0 and below 2**128, or None for one that is drawn"
        seed = whole("seed", seed, allowed, most=LARGEST_SEED)
    given = evaluated(known, lower, upper, scales, constraints=m)
    if space is not None and given is not None:
        x = _as_known(x, given[0])
    return Call(
        x, box, sigma, chosen, seed, given, limits, space, kept, tuple(guesses), _tolerance(tolerance, box.dimension)
    )


def check_size(call: Call) -> None:
    """Refuse a call that a file must not hold: to compute it again, as is done with what is read, takes much memory."""
    D, factor = len(call.x0), 1.0
    if D > LARGEST_KEPT:
        refuse("x0", f"a vector of {D} numbers", f"at most {LARGEST_KEPT} in a journal or a saved optimizer")
    settings: Any = call.method.settings
    if call.method.composed is not None:
        settings, factor = call.method.composed.sampling, getattr(call.method.composed.restarts, "first_factor", 1.0)
    size = factor * (getattr(settings, "population_size", None) or 0)
    if size * D > LARGEST_KEPT**2:
        most = f"at most {LARGEST_KEPT**2 // D} in a journal or a saved optimizer of {D} coordinates"
        refuse("population_size", int(size), most)


def _tolerance(given: object, dimension: int) -> Tolerance | None:
    """Return the tolerance of a call; a number is an absolute one."""
    if given is None:
        return None
    if not isinstance(given, Tolerance):
        allowed = "a number ≥ 0, the least gain over 10 evaluations a dimension; a sacma.Tolerance; or None"
        given = Tolerance(number("tolerance", given, allowed, least=0.0))
    return given if given.evaluations is not None else replace(given, evaluations=PATIENCE * dimension)


USUAL_SHARES = 1e-4, 10.0  # of the width of bounds that σ₀ can be without a warning


def warn_of_steps(call: Call) -> None:
    """Warn of a σ₀ that is far from the width of any bounds, in units of the scale: units differ then."""
    with np.errstate(all="ignore"):
        shares = call.sigma0 * call.box.scale / (call.box.upper - call.box.lower)
    if call.space is not None:  # whose unit is the range
        return
    odd = np.isfinite(shares) & (shares > 0.0) & ((shares < USUAL_SHARES[0]) | (shares > USUAL_SHARES[1]))
    if np.any(odd):
        i = max(np.flatnonzero(odd), key=lambda i: abs(math.log(shares[i])))
        warnings.warn(
            f"sigma0 is {shares[i]:.1g} times the width of the bounds of coordinate {i}; give a scale, of each "
            "coordinate a change of the same size, or leave out sigma0",
            stacklevel=3,
        )


def with_noise(call: Call, noisy: object) -> Call:
    """Return the call of a function that is ``noisy``, or not; its budget is what the run is divided by."""
    if not flag("noisy", noisy):
        return call
    if not FEWEST_NOISY <= call.limits.budget < math.inf:
        needed = f"a budget of {FEWEST_NOISY} evaluations or more, of which the last fifth measures the best points"
        refuse("noisy", noisy, f"False, or True with {needed}")
    if call.tolerance is not None:
        refuse("noisy", noisy, "False beside a tolerance, which single values do not show: leave the tolerance out")
    if any(call.equalities):
        refuse("noisy", noisy, "False beside equalities, which noise never keeps: give inequalities of a tolerance")
    return replace(call, noisy=True)


def _is_several(x0: object) -> bool:
    """Recognize several points in the place of x₀: a list of vectors or of dicts, or a matrix."""
    if isinstance(x0, np.ndarray):
        return x0.ndim == 2 and len(x0) > 0  # noqa: PLR2004 a matrix
    kinds = (Sequence, np.ndarray, Mapping)
    several = isinstance(x0, Sequence) and not isinstance(x0, str | bytes) and len(x0) > 0
    return several and all(isinstance(point, kinds) and not isinstance(point, str | bytes) for point in x0)  # type: ignore[attr-defined]


def _point_in(space: Space, x0: Any) -> object:
    """Return x₀ of a space: parameters, those that are missing in the middle of their ranges, or coordinates."""
    allowed = f"None, values by the names of parameters, or {space.dimension} coordinates"
    if _is_several(x0):
        return [_point_in(space, point) for point in x0]
    if x0 is None or isinstance(x0, Mapping):
        return np.clip(space.partial_point(x0 or {}, "x0"), *space.bounds)
    if (point := initial_point(x0)).shape != (space.dimension,):
        refuse("x0", x0, allowed)
    return _within(space, point)


def _as_known(x0: Array, points: Array) -> Array:
    """Return the nearest of known points where it is x₀ but for the rounding of parameters, else x₀."""
    if not len(points):
        return x0
    distances = np.max(np.abs(points - x0), axis=1)
    nearest = int(np.argmin(distances))
    return points[nearest].copy() if distances[nearest] <= ROUNDING else x0


def _known_in(space: Space, known: Any) -> object:
    """Return known points of a space, which may be parameters, with coordinates."""
    if not isinstance(known, Sequence) or len(known) not in {2, 3}:  # others are refused later
        return known
    points, *rest = known
    if isinstance(points, Sequence) and any(isinstance(point, Mapping) for point in points):
        points = space.points(points, "known[0]")
    return _within(space, points), *rest


def _within(space: Space, points: Any) -> object:
    """Return points of [0, 1]^D, shape (…, D), within the bounds of a space, which end at centres of cells."""
    try:
        given = np.asarray(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return points  # refused later, as what has another shape
    if not given.ndim or given.shape[-1] != space.dimension:
        return points
    return np.where((given >= 0.0) & (given <= 1.0), np.clip(given, *space.bounds), given)


def scale_of_search(scale: object, sigma0: object, bounds: object, x0: Array) -> tuple[object, float]:
    """Return scale and σ₀; where there is no σ₀, it is ``SHARE`` of the widths of the bounds."""
    if sigma0 is not None:
        return scale, checked_sigma(sigma0)
    lower, upper = box_of(bounds, x0, np.ones(len(x0)))
    widths = np.where(lower < upper, upper - lower, 1.0)
    if not np.all(widths <= LARGEST):
        refuse("sigma0", None, f"{SIGMA}; None where each coordinate has two bounds, at most {LARGEST:g} apart")
    if scale is None:
        return widths, SHARE
    return scale, checked_sigma(SHARE * float(np.min((widths / scale_of(scale, x0))[lower < upper])))


def checked_sigma(sigma0: object) -> float:
    """Return σ₀."""
    return number("sigma0", sigma0, SIGMA, least=SMALLEST_SIGMA, most=LARGEST_SIGMA)


def checked_limits(
    *,
    budget: object = None,
    target: object = None,
    time_limit: object = None,
    max_failures: object = None,
    restarts: object = None,
) -> Limits:
    """Return the limits that the arguments make; None is no limit."""
    given: dict[str, float] = {}
    if budget is not None:
        allowed = f"an integer ≥ 1, in evaluations, up to {LARGEST_COUNT:g}, or None"
        given["budget"] = whole("budget", budget, allowed, least=1, most=LARGEST_COUNT)
    if target is not None:
        allowed = "a number below infinity, or None: no target"
        given["target"] = number("target", target, allowed, most=sys.float_info.max)
    if time_limit is not None:
        given["time_limit"] = number("time_limit", time_limit, "seconds > 0, or None", least=math.ulp(0.0))
    if max_failures is not None:
        allowed = f"an integer ≥ 1, up to {LARGEST_COUNT:g}, or None for any number"
        given["max_failures"] = whole("max_failures", max_failures, allowed, least=1, most=LARGEST_COUNT)
    if restarts is not None:
        allowed = f"an integer ≥ 0, up to {LARGEST_COUNT:g}, or None for as many as the method makes"
        given["restarts"] = whole("restarts", restarts, allowed, most=LARGEST_COUNT)
    return Limits(**given)
