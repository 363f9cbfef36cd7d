"""Checks of arguments: every error names the argument, what was given, and what is allowed."""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeGuard, TypeVar

import numpy as np

from sacma.files.printable import one_line, shown
from sacma.surrogate.whitening import Array

Number = TypeVar("Number", int, float)

LARGEST = (
    1e100  # largest coordinate and scale: squares and quotients of smaller ones stay far from the end of the floats
)
LONGEST_PATH = 150  # characters of a path in a message

LONGEST_INTEGER = 10_000  # bits of an integer that is written in digits; Python refuses some 14,000


def refuse(name: str, value: object, allowed: str, *, of_type: bool = False) -> NoReturn:
    """Raise the ValueError of an argument, or its TypeError."""
    digits = isinstance(value, int) and value.bit_length() > LONGEST_INTEGER
    given = "an integer of thousands of digits" if digits else shown(value)
    raise (TypeError if of_type else ValueError)(f"{name} is {given}; allowed: {allowed}")


def named(path: object) -> str:
    """Return a path as a message names it: printable, of a long one its end."""
    text = one_line(str(path))
    return text if len(text) <= LONGEST_PATH else f"… {text[-LONGEST_PATH:]}"


def number(name: str, value: object, allowed: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a real number that is not NaN, from ``least`` to ``most``."""
    return _converted(float, name, value, allowed, least=least, most=most)


def whole(name: str, value: object, allowed: str, *, least: int = 0, most: float = math.inf) -> int:
    """Return an integer from ``least`` to ``most``; 1e4 is one."""
    given = _converted(int, name, value, allowed, least=least, most=most)
    if given != value:
        refuse(name, value, allowed)
    return given


def flag(name: str, value: object) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        refuse(name, value, "True or False", of_type=True)
    return value


def _converted(
    kind: Callable[[Any], Number], name: str, value: object, allowed: str, *, least: float, most: float
) -> Number:
    if isinstance(value, bool | np.bool) or not isinstance(value, numbers.Real):
        refuse(name, value, allowed, of_type=True)
    try:
        given = kind(value)
    except (OverflowError, ValueError):  # infinity and NaN are no integers
        refuse(name, value, allowed)
    if not least <= given <= most:
        refuse(name, value, allowed)
    return given


def checked_function(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        refuse(name, value, "a function", of_type=True)


def hides_a_value(value: object, depth: int = 3) -> bool:
    """Recognize an array with a masked element, or a sequence with such arrays, ``depth`` deep.

    NumPy takes for a number what is below the mask.
    """
    if isinstance(value, np.ndarray):
        return type(value) is not np.ndarray and value.dtype.kind != "V" and bool(np.any(getattr(value, "mask", False)))
    if depth and _has_parts(value):
        return any(type(part) is not float and hides_a_value(part, depth - 1) for part in value)
    return False


def is_no_number(value: object) -> bool:
    """Recognize text, dates and spans of time, of which ``float`` or NumPy may make a number."""
    if isinstance(value, np.generic | np.ndarray):
        return value.dtype.kind not in "biufO"
    return isinstance(value, str | bytes | bytearray | complex)


def holds_text(value: object, depth: int = 3) -> bool:
    """Recognize a text, or a sequence with texts, ``depth`` deep: NumPy would copy all at the length of the longest."""
    try:
        if depth and isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
            return any(type(part) is not float and holds_text(part, depth - 1) for part in value)
        return isinstance(value, str | bytes | bytearray)
    except Exception:  # noqa: BLE001 the class may be anybody's
        return False


def real_array(name: str, value: object, allowed: str) -> Array:
    """Return a new array of real numbers, of whatever shape; None is NaN in it, for who knows what that means."""
    if hides_a_value(value):
        refuse(name, value, f"{allowed}; none of it masked")
    if holds_text(value):
        refuse(name, value, allowed, of_type=True)
    try:
        given = np.asarray(value)
        if given.dtype.kind == "O":
            if any(isinstance(part, bool | np.bool) or is_no_number(part) for part in given.flat):
                refuse(name, value, allowed, of_type=True)
            given = given.astype(float)
    except (TypeError, ValueError, OverflowError):
        refuse(name, value, allowed, of_type=True)
    if given.dtype.kind not in "iuf":
        refuse(name, value, allowed, of_type=True)
    return np.array(given, dtype=np.float64)


def initial_point(value: object) -> Array:
    """Return x₀, shape (D,); a number is a point in 1-D."""
    allowed = f"a vector of one or more numbers between -{LARGEST:g} and {LARGEST:g}"
    x0 = np.atleast_1d(real_array("x0", value, allowed))
    if x0.ndim != 1 or not len(x0) or not np.all(np.abs(x0) <= LARGEST):
        refuse("x0", value, allowed)
    return x0


def centre_of(bounds: object) -> Array:
    """Return the x₀ of a call that has none, shape (D,): the centre of its bounds."""
    finite = "without x0, finite ones of each coordinate, such as [(0, 1)] * D, or a scipy.optimize.Bounds of arrays"
    allowed = "a vector, or None beside finite bounds of each coordinate, such as [(0, 1)] * D"
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = real_array("bounds", bounds.lb, finite), real_array("bounds", bounds.ub, finite)
        if lower.ndim and upper.ndim and lower.shape != upper.shape:
            refuse("bounds", bounds, finite)
        pairs = np.stack(np.broadcast_arrays(lower, upper), axis=-1)
    elif _has_parts(bounds):
        pairs = real_array("bounds", bounds, finite)
    else:
        refuse("x0", None, allowed)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or not np.all(np.isfinite(pairs)):  # noqa: PLR2004 pairs
        refuse("bounds", bounds, finite)
    return np.asarray(pairs[:, 0] / 2 + pairs[:, 1] / 2)


def scale_of(value: object, x0: Array) -> Array:
    """Return the scale of each coordinate, shape (D,); one number is that of all."""
    if value is None:
        return np.ones(len(x0))
    dimension = len(x0)
    allowed = f"a number from {1 / LARGEST:g} to {LARGEST:g}, or {dimension} of them, one a coordinate"
    scale = real_array("scale", value, allowed)
    if scale.shape not in {(), (dimension,)} or not np.all((scale >= 1 / LARGEST) & (scale <= LARGEST)):
        refuse("scale", value, allowed)
    for i in np.flatnonzero(np.abs(x0) > LARGEST * np.minimum(1.0, scale)):
        refuse(f"x0[{i}]", float(x0[i]), f"at most {LARGEST:g} in units of its scale")
    return np.broadcast_to(scale, dimension).copy()


def box_of(bounds: object, x0: Array, scale: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds of x₀, each of shape (D,), infinite where there is none; see ``Optimizer``."""
    D = len(x0)
    allowed = (
        f"None, a pair (lower, upper), {D} such pairs, one for each coordinate of x0, or a scipy.optimize.Bounds; "
        "None: open"
    )
    if bounds is None:
        return np.full(D, -np.inf), np.full(D, np.inf)
    sides = _sides(bounds, x0, allowed)
    for side in sides:
        if side.shape not in {(), (1,), (D,)}:
            refuse("bounds", bounds, allowed)
    lower, upper = (np.broadcast_to(side, D).astype(float) for side in sides)
    lower[np.isnan(lower)], upper[np.isnan(upper)] = -np.inf, np.inf
    with np.errstate(all="ignore"):
        far = (np.abs([lower, upper]) > LARGEST * np.minimum(1.0, scale)) & np.isfinite([lower, upper])
        narrow = ~((upper / scale - lower / scale >= 1 / LARGEST) | (lower == upper))
    narrow |= (lower == np.inf) | (upper == -np.inf)
    for i in np.flatnonzero(narrow | far.any(axis=0)):
        distinct = "lower ≤ upper, and if they differ, not by less than floats can tell in units of the scale"
        moderate = f"at most {LARGEST:g}, also in units of the scale, or infinite"
        refuse(f"bounds[{i}]", (float(lower[i]), float(upper[i])), distinct if narrow[i] else moderate)
    if np.all(lower == upper):
        refuse("bounds", bounds, f"lower < upper in at least one coordinate: here nothing can vary{LOWS_AND_HIGHS}")
    return lower, upper


ROUNDING = 1e-6
"""Share of the width of bounds, or of a single bound, by which a given point may be beyond: it was rounded."""


def within_box(name: str, points: Array, lower: Array, upper: Array, scale: Array) -> Array:
    """Return points, shape (…, D), those rounded beyond a bound on it; refuse others beyond, or too far away."""
    for place in np.argwhere(~(np.abs(points) <= LARGEST * np.minimum(1.0, scale)).all(axis=-1)):
        where = "".join(f"[{n}]" for n in place)
        allowed = f"numbers of at most {LARGEST:g}, also in units of the scale"
        refuse(f"{name}{where}", points[tuple(place)], allowed)
    with np.errstate(all="ignore"):
        width = upper - lower
        single = np.where(np.isfinite(lower), np.abs(lower), np.abs(upper))
        of = np.where(np.isfinite(width) & (width > 0.0), width, single)
        slack = ROUNDING * np.nan_to_num(of, nan=0.0, posinf=0.0)
    for place in np.argwhere((points < lower - slack) | (points > upper + slack)):
        i, where = int(place[-1]), "".join(f"[{n}]" for n in place)
        bounds = f"within its bounds, {lower[i]!s} to {upper[i]!s}"
        refuse(f"{name}{where}", float(points[tuple(place)]), bounds)
    return np.clip(points, lower, upper)


def _sides(bounds: object, x0: Array, allowed: str) -> tuple[Array, Array]:
    """Return lower and upper bounds as they are given, one or one a coordinate, NaN where there is none."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        ends = real_array("bounds", bounds.lb, allowed), real_array("bounds", bounds.ub, allowed)
        if any(np.isnan(end).any() for end in ends):
            refuse("bounds", bounds, NO_NAN)
        return ends
    D = len(x0)
    if not _has_parts(bounds):
        refuse("bounds", bounds, allowed, of_type=True)
    if D != 2 and _is_lows_and_highs(bounds, D):  # noqa: PLR2004 where a pair a coordinate has another shape
        refuse("bounds", bounds, allowed + LOWS_AND_HIGHS)
    pairs = real_array("bounds", bounds, allowed)
    if pairs.shape not in {(2,), (D, 2)}:
        refuse("bounds", bounds, allowed)
    if any(given is not None for given in np.asarray(bounds, dtype=object)[np.isnan(pairs)]):
        refuse("bounds", bounds, NO_NAN)
    lower, upper = pairs[..., 0], pairs[..., 1]
    if pairs.shape == (2, 2) and not _holds(lower, upper, x0) and _holds(pairs[0], pairs[1], x0):
        refuse("bounds", bounds, allowed + LOWS_AND_HIGHS)
    return lower, upper


NO_NAN = "no NaN; None or an infinite number where a coordinate has no bound"

LOWS_AND_HIGHS = "; where these are (lows, highs), as pycma has them: scipy.optimize.Bounds(lows, highs)"
"""The way to mend bounds that are the other way round."""


def _is_lows_and_highs(bounds: Sequence[object] | np.ndarray, dimension: int) -> bool:
    """Recognize all lower and all upper bounds, as pycma takes them: a side may be one number or None."""
    lengths = [len(side) if _has_parts(side) else 0 for side in bounds[:3]]
    return len(lengths) == 2 and any(lengths) and all(n in {0, 1, dimension} for n in lengths)  # noqa: PLR2004 sides


def _holds(lower: Array, upper: Array, x0: Array) -> bool:
    """Tell that x₀ is in the box, but for rounding; NaN is no bound."""
    slack = ROUNDING * (upper - lower)
    return not np.any((lower > upper) | (x0 < lower - slack) | (x0 > upper + slack))


def evaluated(
    known: object, lower: Array, upper: Array, scale: Array, *, constraints: int = 0
) -> tuple[Array, ...] | None:
    """Return points that are evaluated already, shape (n, D), and their values, shape (n,), without failed ones.

    With m constraints, also these, shape (n, m).
    """
    if known is None:
        return None
    D, m = len(lower), constraints
    allowed = f"a pair (X, y) of arrays of shapes (n, {D}) and (n,)"
    if m:
        allowed = f"a triple (X, y, G) of arrays of shapes (n, {D}), (n,) and (n, {m}), with constraints"
    if not _has_parts(known):
        refuse("known", known, allowed, of_type=True)
    if len(known) != (3 if m else 2):
        refuse("known", known, allowed)
    points, values = known[:2]
    if _has_parts(values) and hides_a_value(values):  # an evaluation whose value is masked has failed
        values = [None if hides_a_value(value) else value for value in values]
    X, y = real_array("known[0]", points, allowed), real_array("known[1]", values, allowed)
    G = real_array("known[2]", known[2], allowed) if m else np.empty((len(y) if y.ndim else 0, 0))
    if X.size == 0 and y.size == 0 and G.size == 0:
        return None
    if X.ndim != 2 or X.shape[1] != D or y.shape != X.shape[:1] or G.shape != (len(y), m):  # noqa: PLR2004 a matrix
        shapes = [str(each.shape) for each in ((X, y, G) if m else (X, y))]
        refuse("known", f"of shapes {' and '.join(shapes)}", allowed)
    X = within_box("known[0]", X, lower, upper, scale)
    finite = np.isfinite(y) & np.isfinite(G).all(axis=1)
    if not finite.any():
        return None
    return (X[finite], y[finite], G[finite]) if m else (X[finite], y[finite])


def _has_parts(value: object) -> TypeGuard[Sequence[object] | np.ndarray]:
    """Recognize a sequence, or an array that is not a single number."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
