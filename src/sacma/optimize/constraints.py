"""Constraints of a call: SciPy's forms of them, or numbers that f gives beside its value, as g ≤ 0 and h = 0."""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

from sacma.files.printable import one_line, shown
from sacma.optimize.arguments import real_array, refuse, whole
from sacma.optimize.evaluation import ConstrainedValue
from sacma.optimize.space import Space
from sacma.surrogate.whitening import Array

MOST_CONSTRAINTS = 1000

FORMS = (
    "None, a number m of constraints that fun returns beside its value, as (f, g), or a "
    "scipy.optimize.NonlinearConstraint, LinearConstraint, dict with type 'ineq' or 'eq' and fun, or a sequence of them"
)
NUMBER = f"None, or the number m of constraints, an integer from 0 to {MOST_CONSTRAINTS}"


@dataclass(frozen=True, eq=False)
class ConstraintFunction:
    """Numbers c(x) with lower and upper bounds, infinite where there is none: equal ones make an equality."""

    name: str  # in messages
    function: Callable[..., Any]  # from x and ``arguments`` to c, shape (k,)
    lower: Array  # shape (k,)
    upper: Array  # shape (k,)
    arguments: tuple[Any, ...] = ()

    @property
    def equalities(self) -> list[bool]:
        """True for each h, False for each g, in the order of ``__call__``."""
        equal = self.lower == self.upper
        sided = np.isfinite(self.lower[~equal]).sum() + np.isfinite(self.upper[~equal]).sum()
        return [True] * int(equal.sum()) + [False] * int(sided)

    def __call__(self, point: Any) -> Array:
        """Return h = c − lower of equalities, then g = lower − c, then g = c − upper, where they are finite.

        Raises ValueError where the function does not give k numbers.
        """
        numbers = _numbers(self.name, self.function(point, *self.arguments))
        if numbers.shape != self.lower.shape:
            raise ValueError(f"{self.name} gives {len(numbers)} numbers; allowed: {len(self.lower)}, as at x0")
        equal = self.lower == self.upper
        below, above = ~equal & np.isfinite(self.lower), ~equal & np.isfinite(self.upper)
        return np.concatenate(
            [(numbers - self.lower)[equal], (self.lower - numbers)[below], (numbers - self.upper)[above]]
        )


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a call of ``minimize``; without parts f gives them itself."""

    equalities: tuple[bool, ...] = ()  # m, True where h = 0, False where g ≤ 0
    parts: tuple[ConstraintFunction, ...] = ()

    def beside(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that evaluates ``fun`` and the constraints at the same point."""
        return WithConstraints(fun, self) if self.equalities else fun


@dataclass(frozen=True)
class WithConstraints:
    """A function and its constraints; it can be sent to other processes. Each gets a point of its own to write to."""

    fun: Callable[..., Any]
    constraints: Constraints

    def __call__(self, point: Any) -> ConstrainedValue:
        """Return f and the constraints at a point."""
        number, parts = len(self.constraints.equalities), self.constraints.parts
        if parts:
            value = self.fun(copy.copy(point))
            return ConstrainedValue(value, np.concatenate([part(copy.copy(point)) for part in parts]), number)
        returned = self.fun(point)
        if not isinstance(returned, tuple | list) or len(returned) != 2:  # noqa: PLR2004 a pair
            given = f"f is {shown(returned)}; allowed: a pair (f, g), a value and {number} constraints"
            missing = returned is None or (isinstance(returned, float) and math.isnan(returned))
            raise ValueError(given) if missing else TypeError(given)  # the second is a mistake in f
        value, constraints = returned
        return ConstrainedValue(value, constraints, number)


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
    several = [given] if isinstance(given, _SINGLE) else given
    if not isinstance(several, Sequence) or isinstance(several, str | bytes):
        refuse("constraints", given, FORMS, of_type=True)
    point: Any = x0 if space is None else space.params(x0)
    parts = tuple(_part(f"constraints[{i}]", each, point) for i, each in enumerate(several))
    equalities = tuple(equal for part in parts for equal in part.equalities)
    if len(equalities) > MOST_CONSTRAINTS:
        refuse("constraints", f"{len(equalities)} of them", f"at most {MOST_CONSTRAINTS}")
    return Constraints(equalities, parts)


_SINGLE = (Mapping, LinearConstraint, NonlinearConstraint)


def _part(name: str, given: object, x0: Any) -> ConstraintFunction:
    if isinstance(given, Mapping):
        return _of_dict(name, given, x0)
    if not isinstance(given, LinearConstraint | NonlinearConstraint):
        refuse(name, given, FORMS, of_type=True)
    if np.any(given.keep_feasible):
        refuse(f"{name}.keep_feasible", given.keep_feasible, "False: only bounds are never left")
    if isinstance(given, NonlinearConstraint):
        return _bounded(name, given.fun, (given.lb, given.ub), x0)
    if isinstance(x0, Mapping):
        refuse(name, given, "a NonlinearConstraint or a dict in a space, whose functions get the dict of parameters")
    matrix = np.atleast_2d(_dense(name, given.A))
    if matrix.ndim != 2 or matrix.shape[1] != len(x0):  # noqa: PLR2004 a matrix
        refuse(f"{name}.A", f"of shape {matrix.shape}", f"a matrix with a column a coordinate, {len(x0)}")
    if not np.all(np.isfinite(matrix)):
        refuse(f"{name}.A", given.A, "finite numbers")
    return _bounded(name, _Linear(matrix), (given.lb, given.ub), x0, count=len(matrix))


@dataclass(frozen=True)
class _Linear:
    """A x."""

    matrix: Array

    def __call__(self, point: Array) -> Array:
        return np.asarray(self.matrix @ point)


def _dense(name: str, matrix: Any) -> Array:
    return real_array(f"{name}.A", matrix.toarray() if hasattr(matrix, "toarray") else matrix, "a matrix of numbers")


def _of_dict(name: str, given: Mapping[str, Any], x0: Any) -> ConstraintFunction:
    """Return a constraint of SciPy's older methods, whose inequalities are c(x) ≥ 0."""
    kind, fun, arguments = given.get("type"), given.get("fun"), given.get("args", ())
    if kind not in {"ineq", "eq"}:
        refuse(f"{name}['type']", kind, "'ineq', where fun(x) ≥ 0, or 'eq', where fun(x) = 0")
    if not callable(fun):
        refuse(f"{name}['fun']", fun, "a function", of_type=True)
    if more := sorted(map(str, given.keys() - {"type", "fun", "args", "jac"})):
        refuse(f"a key of {name}", more[0], "type, fun, args and jac, which is not used")
    arguments = arguments if isinstance(arguments, tuple) else (arguments,)
    return _bounded(name, fun, (0.0, np.inf if kind == "ineq" else 0.0), x0, arguments=arguments)


def _bounded(
    name: str,
    fun: Callable[..., Any],
    bounds: tuple[Any, Any],
    x0: Any,
    *,
    count: int | None = None,
    arguments: tuple[Any, ...] = (),
) -> ConstraintFunction:
    """Return c(x) with its bounds, each one number, or one for each of c."""
    allowed = "numbers lb ≤ ub, not NaN, infinite where there is no bound: one, or one for each number of fun"
    lower, upper = (
        real_array(f"{name}.{side}", given, allowed) for side, given in zip(("lb", "ub"), bounds, strict=True)
    )
    sizes = {side.size for side in (lower, upper) if side.ndim}
    if count is None:
        count = max(sizes) if sizes - {1} else _count(name, fun, x0, arguments, otherwise=1 if sizes else None)
    if sizes - {count, 1} or max(lower.ndim, upper.ndim) > 1:
        refuse(f"{name}'s lb and ub", bounds, allowed)
    lower, upper = np.broadcast_to(lower, count).copy(), np.broadcast_to(upper, count).copy()
    if not np.all(lower <= upper) or np.any(lower == np.inf) or np.any(upper == -np.inf):
        refuse(f"{name}'s lb and ub", bounds, allowed)
    return ConstraintFunction(name, fun, lower, upper, arguments)


def _count(name: str, fun: Callable[..., Any], x0: Any, arguments: tuple[Any, ...], *, otherwise: int | None) -> int:
    """Return the number of numbers that a function gives at x₀; where it fails there, another one, if there is any."""
    try:
        return len(_numbers(name, fun(copy.copy(x0), *arguments)))
    except Exception as error:  # noqa: BLE001 the border of the user's function
        if otherwise is not None:
            return otherwise
        _refuse_at_x0(name, error)


def _refuse_at_x0(name: str, error: Exception) -> NoReturn:
    raised = one_line(f"{type(error).__name__}: {error}", 200)
    raise ValueError(
        f"{name} is a function that raised {raised} at x0, where its numbers are counted; allowed: a function that has "
        "values there, or a NonlinearConstraint with lb and ub of as many numbers"
    ) from error


def _numbers(name: str, given: Any) -> Array:
    """Return what a constraint function gives as a vector."""
    numbers = np.atleast_1d(real_array(f"what {name} gives", given, "a number, or a vector of them"))
    if numbers.ndim != 1:
        raise ValueError(f"{name} gives an array of shape {numbers.shape}; allowed: a number, or a vector of them")
    return numbers
