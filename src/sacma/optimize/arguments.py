"""Checks of arguments: every error names the argument, what was given, and what is allowed."""

import math
import numbers
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from sacma.files.printable import one_line, shown
from sacma.types import Array

LONGEST_PATH = 150  # characters of a path in a message


def refuse(name: str, value: object, allowed: str, *, of_type: bool = False) -> NoReturn:
    """Raise the ValueError of an argument, or its TypeError."""
    raise (TypeError if of_type else ValueError)(f"{name} is {shown(value)}; allowed: {allowed}")


def require(holds: object, name: str, value: object, allowed: str, *, of_type: bool = False) -> None:
    """Refuse an argument of which something does not hold."""
    if not holds:
        refuse(name, value, allowed, of_type=of_type)


def named(path: object) -> str:
    """Return a path as a message names it: printable, of a long one its end."""
    text = one_line(str(path))
    return text if len(text) <= LONGEST_PATH else f"… {text[-LONGEST_PATH:]}"


def number(name: str, value: Any, allowed: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a real number that is not NaN, from ``least`` to ``most``."""
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool)
    require(is_real, name, value, allowed, of_type=True)
    try:
        given = float(value)
    except OverflowError:
        given = math.nan
    require(least <= given <= most, name, value, allowed)
    return given


def whole(name: str, value: Any, allowed: str, *, least: int = 0, most: float = math.inf) -> int:
    """Return an integer from ``least`` to ``most``; 1e4 is one."""
    is_whole = math.isfinite(number(name, value, allowed)) and int(value) == value
    require(is_whole and least <= int(value) <= most, name, value, allowed)
    return int(value)


def flag(name: str, value: object) -> bool:
    """Return True or False."""
    require(isinstance(value, bool), name, value, "True or False", of_type=True)
    return bool(value)


def checked_function(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    require(callable(value), name, value, "a function", of_type=True)


def _parts(value: object, depth: int = 3) -> Iterator[object]:
    """Give what is in lists and tuples, ``depth`` deep, but for floats."""
    if depth and isinstance(value, list | tuple):
        for part in value:
            yield from _parts(part, depth - 1)
    elif type(value) is not float:
        yield value


def hides_a_value(value: object) -> bool:
    """Recognize masked elements: NumPy takes for a number what is below the mask."""
    return any(np.ma.is_masked(part) for part in _parts(value))


def holds_text(value: object) -> bool:
    """Recognize a text, or a list with texts: NumPy would copy all at the length of the longest."""
    return any(isinstance(part, str | bytes | bytearray) for part in _parts(value))


def is_no_number(value: object) -> bool:
    """Recognize text, dates and spans of time, of which ``float`` or NumPy may make a number."""
    if isinstance(value, np.generic | np.ndarray):
        return value.dtype.kind not in "biufO"
    return isinstance(value, str | bytes | bytearray | complex)


def real_array(name: str, value: object, allowed: str, *, missing: bool = False) -> Array:
    """Return a new array of real numbers, of whatever shape; where any may be ``missing``, None is NaN in it."""
    try:
        masked = hides_a_value(value)
        given = np.array(value, dtype=object) if isinstance(value, Sequence) else np.asarray(value)
        objects = given.flat if given.dtype.kind == "O" else ()
        odd = any(isinstance(part, bool | np.bool) or is_no_number(part) for part in objects)
        numeric = given.dtype.kind in "iufO" and not odd
        found = np.array(given, dtype=np.float64) if numeric and not masked else np.array(np.nan)
    except (TypeError, ValueError, OverflowError):
        numeric = False
    require(numeric, name, value, allowed, of_type=True)
    complete = not masked and (missing or not np.isnan(found).any())
    require(complete, name, value, f"{allowed}; no NaN, and nothing masked")
    return found
