"""The arguments of ``minimize`` and ``Optimizer``, checked and in one form."""

import inspect
import math
import secrets
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sacma.optimize.arguments import flag, is_masked, number, real_array, require, whole
from sacma.optimize.box import LARGEST, ScaledBox, bounds_of, box_of, centre_of, initial_point, scale_of
from sacma.optimize.constraints import Constraints, constraints_of
from sacma.optimize.methods import COMPOSED, Method, method_of
from sacma.optimize.space import Space
from sacma.process_wide import unbroken
from sacma.types import Array

SMALLEST_SIGMA, LARGEST_SIGMA = 1e-100, 1e100
SIGMA = f"a number from {SMALLEST_SIGMA:g} to {LARGEST_SIGMA:g}: the initial deviation in units of the scale"
SHARE = 1 / 6  # σ₀ as a share of the widths of the bounds, for calls that give none
LARGEST_SEED = 2**128 - 1
FEWEST_NOISY = 10  # smallest budget of a noisy call: two evaluations make a mean with an error
LARGEST_KEPT = 2000  # coordinates of a call that a file can hold: CMA-ES needs many matrices of D × D numbers
LARGEST_COUNT = 10**18  # largest number of evaluations and failures that a limit can have


@dataclass(frozen=True)
class Limits:
    """Limits that end a run, and change nothing before its end."""

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
        """Coordinates of each parameter, of the d that can vary; without a space the names are x0, x1, and so on."""
        if self.space is not None:
            return {name: place for name, place in self.space.places.items() if place.start < place.stop}
        return {f"x{i}": slice(k, k + 1) for k, i in enumerate(np.flatnonzero(self.box.free))}

    def coordinates(self, name: str, given: Any) -> Array:
        """Return the coordinates of given points, shape (n, D); in a space they may be dicts."""
        if self.space is not None and isinstance(given, Sequence) and all(isinstance(each, Mapping) for each in given):
            return self.space.points(given, name)
        return self.box.rows(name, given)

    def seeded(self, seed: int | None = None) -> "Call":
        """Return the call with a seed: its own, the one given, or one drawn from the system's entropy."""
        drawn = secrets.randbits(64) if seed is None else seed
        return self if self.seed is not None else replace(self, seed=drawn)


@unbroken()  # nothing that is imported is left by halves
def checked_call(
    x0: Any = None,
    sigma0: object = None,
    *,
    method: object,
    space: Any = None,
    bounds: object = None,
    scale: object = None,
    population_size: object = None,
    budget: Any = None,
    target: Any = None,
    time_limit: Any = None,
    seed: object = None,
    known: object = None,
    max_failures: Any = None,
    tolerance: object = None,
    restarts: Any = None,
    noisy: object = False,
    constraints: object = None,
    budget_factor: float = math.inf,
) -> Call:
    """Return the call that arguments of ``Optimizer`` and ``minimize`` make.

    Where there is no budget, it is ``budget_factor`` evaluations a dimension.
    """
    limits = _limits(budget=budget, target=target, time_limit=time_limit, max_failures=max_failures, restarts=restarts)
    if space is not None:
        require(isinstance(space, Space), "space", space, "a sacma.Space, or None", of_type=True)
        for name, given in (("bounds", bounds), ("scale", scale)):
            require(given is None, name, given, "None beside a space, which has ranges")
    several = _is_several(x0)
    points = [_point(each, space, bounds) for each in (x0 if several else [x0])]
    require(len({len(point) for point in points}) == 1, "x0", x0, "points of the same length")
    if space is None:
        box, sigma = _box_and_sigma(bounds, scale, sigma0, points[0])
    else:
        lower, upper = space.bounds
        box = ScaledBox(lower, upper, np.ones(space.dimension), space if space.discrete else None, of_space=True)
        sigma = checked_sigma(SHARE if sigma0 is None else sigma0)
    points = [box.within(f"x0[{i}]" if several else "x0", point) for i, point in enumerate(points)]
    chosen = method_of(method, sigma0=sigma, bounded=box.bounded, boxed=box.boxed, population_size=population_size)
    sampling = f"with integers, steps and choices, a method that samples populations: {COMPOSED}"
    require(box.grid is None or chosen.allows_discrete, "method", method, sampling)
    kept = constraints_of(constraints, points[0], space)
    m = len(kept.equalities)
    for name, given in (("constraints", constraints if m else None), ("restarts", restarts), ("noisy", noisy or None)):
        asked = f"None with a method that calls f itself; methods that take it: {COMPOSED}"
        require(given is None or chosen.strategy is not None, name, given, asked)
    if seed is not None:
        seed = whole("seed", seed, "an integer ≥ 0 and below 2**128, or None for one that is drawn", most=LARGEST_SEED)
    archive = None if known is None else _evaluated(known, box, space, m)
    x = points[0] if space is None or archive is None else _as_known(points[0], archive[0])
    ends = _tolerance(tolerance, box.dimension)
    if budget is None:
        limits = replace(limits, budget=budget_factor * box.dimension)
    guesses = (tuple(points) if noisy else _without_values(points, archive)) if several else ()
    x = guesses[0] if guesses else x
    call = Call(x, box, sigma, chosen, seed, archive, limits, space, kept, guesses, ends, flag("noisy", noisy))
    _check_noise(call)
    _warn_of_steps(call)
    return call


ARGUMENTS = frozenset(inspect.signature(checked_call).parameters)


def check_size(call: Call) -> None:
    """Refuse a call too large for a file: a run that is read is computed again, with matrices of D × D numbers."""
    D, composed = len(call.x0), call.method.composed
    beside = "in a journal or a saved optimizer"
    require(D <= LARGEST_KEPT, "x0", f"a vector of {D} numbers", f"at most {LARGEST_KEPT} {beside}")
    settings: Any = call.method.settings if composed is None else composed.sampling
    factor = 1.0 if composed is None else getattr(composed.restarts, "first_factor", 1.0)
    size, most = int(factor * (getattr(settings, "population_size", None) or 0)), LARGEST_KEPT**2 // D
    require(size <= most, "population_size", size, f"at most {most} {beside} of {D} coordinates")


def _tolerance(given: object, dimension: int) -> Tolerance | None:
    """Return the tolerance of a call; a number is an absolute one."""
    if given is None:
        return None
    if not isinstance(given, Tolerance):
        allowed = "a number ≥ 0, the least gain over 10 evaluations a dimension; a sacma.Tolerance; or None"
        given = Tolerance(number("tolerance", given, allowed, least=0.0))
    return given if given.evaluations is not None else replace(given, evaluations=PATIENCE * dimension)


USUAL_SHARES = 1e-4, 10.0  # of the width of bounds that σ₀ can be without a warning


def _warn_of_steps(call: Call) -> None:
    """Warn of a σ₀ that is far from the width of any bounds, in units of the scale: units differ then."""
    with np.errstate(all="ignore"):
        shares = call.sigma0 * call.box.scale / (call.box.upper - call.box.lower)
        beyond = np.abs(np.log(shares / np.clip(shares, *USUAL_SHARES)))
    i = int(np.argmax(np.where(np.isfinite(beyond), beyond, 0.0)))
    if call.space is None and 0.0 < beyond[i] < np.inf:  # the unit of a space is the range
        warnings.warn(
            f"sigma0 is {shares[i]:.1g} times the width of the bounds of coordinate {i}; give a scale, of each "
            "coordinate a change of the same size, or leave out sigma0",
            stacklevel=6,  # the call of minimize or Optimizer
        )


def _check_noise(call: Call) -> None:
    """Check the arguments that noise excludes."""
    if call.noisy:
        needed = f"a budget of {FEWEST_NOISY} evaluations or more, of which the last fifth measures the best points"
        require(FEWEST_NOISY <= call.limits.budget < math.inf, "noisy", call.noisy, f"False, or True with {needed}")
        allowed = "False beside a tolerance, which single values do not show: leave the tolerance out"
        require(call.tolerance is None, "noisy", call.noisy, allowed)
        allowed = "False beside equalities, which noise never keeps: give inequalities of a tolerance"
        require(not any(call.equalities), "noisy", call.noisy, allowed)


def _is_several(x0: Any) -> bool:
    """Recognize several points in the place of x₀: a list of vectors or of dicts, or a matrix."""
    kinds = (list, tuple, np.ndarray)
    listed = isinstance(x0, kinds) and getattr(x0, "ndim", 1) > 0 and len(x0) > 0
    return listed and all(isinstance(point, (*kinds, Mapping)) for point in x0)


def _point(x0: Any, space: Space | None, bounds: object) -> Array:
    """Return one x₀, shape (D,); in a space of coordinates, or of parameters, missing ones in the middle of ranges."""
    if space is None:
        return centre_of(bounds) if x0 is None else initial_point(x0)
    if x0 is None or isinstance(x0, Mapping):
        return space.partial_point(x0 or {}, "x0")
    point, allowed = initial_point(x0), f"None, values by the names of parameters, or {space.dimension} coordinates"
    require(len(point) == space.dimension, "x0", x0, allowed)
    return point


def _without_values(points: Sequence[Array], archive: tuple[Array, ...] | None) -> tuple[Array, ...]:
    """Return different points, in their order, that are not in the archive."""
    known = set() if archive is None else set(map(tuple, archive[0]))
    return tuple(point for key, point in {tuple(point): point for point in points}.items() if key not in known)


def _as_known(x0: Array, points: Array) -> Array:
    """Return the nearest of known points where it is x₀ but for the rounding of parameters, else x₀."""
    distances = np.max(np.abs(points - x0), axis=1)
    nearest = int(np.argmin(distances))
    return points[nearest].copy() if distances[nearest] <= ROUNDING else x0


def _evaluated(known: Any, box: ScaledBox, space: Space | None, m: int) -> tuple[Array, ...] | None:
    """Return points that are evaluated already, shape (n, D), and their values, shape (n,), without failed ones.

    With m constraints, also these, shape (n, m).
    """
    shapes = [f"(n, {len(box.lower)})", "(n,)", f"(n, {m})"][: 3 if m else 2]
    allowed = f"a {'triple (X, y, G)' if m else 'pair (X, y)'} of arrays of shapes {', '.join(shapes)}"
    listed = isinstance(known, Sequence)
    require(listed and len(known) == len(shapes), "known", known, allowed, of_type=not listed)
    points, values, *rest = known
    if space is not None and isinstance(points, Sequence) and any(isinstance(point, Mapping) for point in points):
        points = space.points(points, "known[0]")
    if is_masked(values):  # an evaluation whose value is masked has failed
        values = [None if value is np.ma.masked else value for value in values]
    X = box.rows("known[0]", points)
    failed = "numbers, None or NaN where an evaluation failed"
    outcomes = [real_array(f"known[{i}]", part, failed, missing=True) for i, part in enumerate((values, *rest), 1)]
    given = [part.shape for part in (X, *outcomes)]
    if not X.size and not any(part.size for part in outcomes):
        return None
    fit = given[1:] == [(len(X),), (len(X), m)][: len(outcomes)]
    require(fit, "known", f"of shapes {' and '.join(map(str, given))}", allowed)
    finite = np.isfinite(np.column_stack(outcomes)).all(axis=1)
    return tuple(part[finite] for part in (X, *outcomes)) if finite.any() else None


def _box_and_sigma(bounds: object, scale: object, sigma0: object, x0: Array) -> tuple[ScaledBox, float]:
    """Return scale and bounds, and σ₀; where there is none, it is ``SHARE`` of the widths of the bounds."""
    lower, upper = bounds_of(bounds, x0)
    scales = np.ones(len(x0)) if scale is None else scale_of(scale, len(x0))
    if sigma0 is not None:
        return box_of(lower, upper, scales), checked_sigma(sigma0)
    varies = lower != upper
    with np.errstate(all="ignore"):
        widths = np.where(varies, np.abs(upper - lower), 1.0)
    allowed = f"{SIGMA}; None where each coordinate has two bounds, at most {LARGEST:g} apart"
    require(np.all(widths <= LARGEST), "sigma0", None, allowed)
    if scale is None:
        return box_of(lower, upper, widths), SHARE
    return box_of(lower, upper, scales), checked_sigma(SHARE * float(np.min((widths / scales)[varies])))


def checked_sigma(sigma0: object) -> float:
    """Return σ₀."""
    return number("sigma0", sigma0, SIGMA, least=SMALLEST_SIGMA, most=LARGEST_SIGMA)


def _limits(*, target: Any, time_limit: Any, **counts: Any) -> Limits:
    """Return the limits that the arguments make; None is no limit."""
    given: dict[str, float] = {}
    for name, count in counts.items():
        least = 0 if name == "restarts" else 1
        if count is not None:
            allowed = f"an integer ≥ {least}, up to {LARGEST_COUNT:g}, or None"
            given[name] = whole(name, count, allowed, least=least, most=LARGEST_COUNT)
    if target is not None:
        given["target"] = number("target", target, "a number below infinity, or None", most=sys.float_info.max)
    if time_limit is not None:
        given["time_limit"] = number("time_limit", time_limit, "seconds > 0, or None", least=math.ulp(0.0))
    return Limits(**given)
