"""Constraints of a call: SciPy's forms of them, or numbers that f gives beside its value, as g ≤ 0 and h = 0."""

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, NonlinearConstraint
from scipy.sparse import issparse

from sacma.files.printable import one_line, shown
from sacma.optimize.arguments import checked_function, real_array, refuse, require, whole
from sacma.optimize.evaluation import ConstrainedValue
from sacma.optimize.space import Space
from sacma.types import Array

MOST_CONSTRAINTS = 1000

FORMS = "None, a number m of constraints where fun returns (f, g), or SciPy's constraints: an object, dict or several"
NUMBER = f"None, or the number m of constraints, an integer from 0 to {MOST_CONSTRAINTS}"


@dataclass(frozen=True, eq=False)
class ConstraintFunction:
    """Numbers c(x) with lower and upper bounds, infinite where there is none: equal ones make an equality."""

    name: str  # in messages
    function: Callable[..., Any]  # from x to c, shape (k,)
    lower: Array  # shape (k,)
    upper: Array  # shape (k,)

    @property
    def _kinds(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Masks of c, each of shape (k,): equalities, those with a lower bound, those with an upper one."""
        equal = self.lower == self.upper
        return equal, ~equal & np.isfinite(self.lower), ~equal & np.isfinite(self.upper)

    @property
    def equalities(self) -> list[bool]:
        """True for each h, False for each g, in the order of ``__call__``."""
        equal, below, above = map(np.count_nonzero, self._kinds)
        return [True] * equal + [False] * (below + above)

    def __call__(self, point: Any) -> Array:
        """Return h = c − lower of equalities, then g = lower − c, then g = c − upper, where they are finite.

        Raises TypeError where the function does not give k numbers, which is a mistake in it.
        """
        c, k = _numbers(self.name, self.function(point)), len(self.lower)
        allowed = f"{k}, as many as of lb and ub, or at x0"
        require(len(c) == k, f"the number of numbers of {self.name}", len(c), allowed, of_type=True)
        equal, below, above = self._kinds
        return np.concatenate([(c - self.lower)[equal], (self.lower - c)[below], (c - self.upper)[above]])


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a call of ``minimize``; without parts f gives them itself."""

    equalities: tuple[bool, ...] = ()  # m, True where h = 0, False where g ≤ 0
    parts: tuple[ConstraintFunction, ...] = ()

    def beside(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that evaluates ``fun`` and the constraints at the same point.

        It can be sent to other processes, and each function gets a point of its own to write to.
        """
        return partial(self._outcome, fun) if self.equalities else fun

    def _outcome(self, fun: Callable[..., Any], point: Any) -> ConstrainedValue:
        m = len(self.equalities)
        if self.parts:
            value = fun(copy.copy(point))
            return ConstrainedValue(value, np.concatenate([part(copy.copy(point)) for part in self.parts]), m)
        returned = fun(point)
        if not isinstance(returned, tuple | list) or len(returned) != 2:  # noqa: PLR2004 a pair
            given = f"f is {shown(returned)}; allowed: a pair (f, g), a value and {m} constraints"
            missing = returned is None or (isinstance(returned, float) and math.isnan(returned))
            raise ValueError(given) if missing else TypeError(given)  # the second is a mistake in f
        value, g = returned
        return ConstrainedValue(value, g, m)


def number_of_constraints(given: object) -> Constraints:
    """Return m inequalities, where ``given`` is their number."""
    m = 0 if given is None else whole("constraints", given, NUMBER, most=MOST_CONSTRAINTS)
    return Constraints((False,) * m)


def constraints_of(given: Any, x0: Array, space: Space | None) -> Constraints:
    """Return the constraints that ``minimize`` is given, one of ``FORMS``.

    A function whose bounds do not say how many numbers it gives is called once, at x₀, shape (D,).
    """
    if isinstance(given, Constraints):
        return given
    if given is None or isinstance(given, int | float | np.number):
        return number_of_constraints(given)
    several = [given] if isinstance(given, Mapping | LinearConstraint | NonlinearConstraint) else given
    require(isinstance(several, list | tuple), "constraints", given, FORMS, of_type=True)
    point: Any = x0 if space is None else space.params(x0)
    parts = tuple(_part(f"constraints[{i}]", each, point) for i, each in enumerate(several))
    equalities = tuple(equal for part in parts for equal in part.equalities)
    m = len(equalities)
    require(m <= MOST_CONSTRAINTS, "constraints", f"{m} of them", f"at most {MOST_CONSTRAINTS}")
    return Constraints(equalities, parts)


def _part(name: str, given: Any, x0: Any) -> ConstraintFunction:
    """Return a constraint, whose function is called once at x₀ where bounds do not say how many numbers it gives."""
    if isinstance(given, Mapping):
        given = _of_dict(name, given)
    elif isinstance(given, LinearConstraint):
        given = _of_matrix(name, given, x0)
    require(isinstance(given, NonlinearConstraint), name, given, FORMS, of_type=True)
    feasible = given.keep_feasible
    require(not np.any(feasible), f"{name}.keep_feasible", feasible, "False: only bounds are never left")
    ends, bounds = f"{name}'s lb and ub", (given.lb, given.ub)
    allowed = "numbers lb ≤ ub, not NaN, infinite where there is no bound: one, or one for each number of fun"
    lower, upper = (real_array(ends, side, allowed) for side in bounds)
    count = max(lower.size, upper.size)
    if count == 1:
        count = _count(name, given.fun, x0, listed=max(lower.ndim, upper.ndim) > 0)
    fit = {lower.size, upper.size} <= {1, count} and max(lower.ndim, upper.ndim) <= 1
    require(fit and np.all((lower <= upper) & (lower < np.inf) & (upper > -np.inf)), ends, bounds, allowed)
    return ConstraintFunction(name, given.fun, *(np.broadcast_to(side, count).copy() for side in (lower, upper)))


def _count(name: str, fun: Callable[..., Any], x0: Any, *, listed: bool) -> int:
    """Return the number of values of a function at x₀; where it fails there, 1 if bounds are ``listed``."""
    try:
        return len(_numbers(name, fun(copy.copy(x0))))
    except Exception as error:  # noqa: BLE001 the border of the user's function
        if listed:
            return 1
        allowed = "a function that has values at x0, or a NonlinearConstraint with lb and ub of as many numbers"
        refuse(name, fun, f"{allowed}; there it raised {one_line(f'{type(error).__name__}: {error}', 200)}")


def _of_matrix(name: str, given: LinearConstraint, x0: Any) -> NonlinearConstraint:
    """Return a constraint on A x."""
    allowed = "a NonlinearConstraint or a dict in a space, whose functions get the dict of parameters"
    require(not isinstance(x0, Mapping), name, given, allowed)
    allowed = f"a matrix of finite numbers with a column a coordinate, {len(x0)}"
    matrix = np.atleast_2d(real_array(f"{name}.A", given.A.toarray() if issparse(given.A) else given.A, allowed))
    require(matrix.shape[1:] == x0.shape and np.all(np.isfinite(matrix)), f"{name}.A", given.A, allowed)
    return NonlinearConstraint(partial(np.matmul, matrix), given.lb, given.ub, keep_feasible=given.keep_feasible)


def _of_dict(name: str, given: Mapping[str, Any]) -> NonlinearConstraint:
    """Return a constraint of SciPy's older methods, whose inequalities are c(x) ≥ 0."""
    kind, fun = given.get("type"), given.get("fun")
    require(kind in {"ineq", "eq"}, f"{name}['type']", kind, "'ineq', where fun(x) ≥ 0, or 'eq', where fun(x) = 0")
    checked_function(f"{name}['fun']", fun)
    function, upper = with_arguments(given["fun"], given.get("args", ())), np.inf if kind == "ineq" else 0.0
    return NonlinearConstraint(function, 0.0, upper)


def with_arguments(fun: Callable[..., Any], arguments: Any) -> Callable[[Any], Any]:
    """Return a function of the point alone, which can be sent to other processes."""
    return partial(_called, fun, arguments if isinstance(arguments, tuple) else (arguments,))


def _called(fun: Callable[..., Any], arguments: tuple[Any, ...], point: Any) -> Any:
    return fun(point, *arguments)


def _numbers(name: str, given: Any) -> Array:
    """Return the values of a constraint function as a vector, NaN for None."""
    allowed = "a number, or a vector of them"
    numbers = np.atleast_1d(real_array(f"what {name} gives", given, allowed, missing=True))
    require(numbers.ndim == 1, f"what {name} gives", given, allowed)
    return numbers
