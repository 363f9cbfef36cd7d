"""Checks of arguments: each error names the argument, its value, and the values allowed."""

import difflib
import inspect
import math
import numbers
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from sacma.files.printable import one_line, shown
from sacma.types import Array

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_PATH = 150  # characters of a path in a message

# Arguments by the names that SciPy, pycma, Optuna and others give them.
ELSEWHERE = {
    "budget": "maxfev maxfun max_nfev maxiter max_iter max_evals max_evaluations maxevals n_trials n_calls",
    "tolerance": "tol ftol xtol fatol xatol tolfun tolx",
    "callback": "callbacks",
    "population_size": "popsize pop_size",
    "seed": "random_state rng",
    "sigma0": "sigma rhobeg",
    "target": "f_target ftarget",
    "time_limit": "timeout max_time",
    "workers": "n_jobs",
}


def says_ours(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that refuses misspelt arguments, and those by other libraries' names, with one of ours."""
    parameters = inspect.signature(function).parameters

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in (name for name in kwargs if name not in parameters):
            same = [ours for ours, others in ELSEWHERE.items() if name in others.split() and ours in parameters]
            if near := same or difflib.get_close_matches(name, parameters, n=1):
                raise TypeError(f"{name} is no argument here; the nearest is {near[0]}")
        return function(*args, **kwargs)

    return called


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
    require(isinstance(value, bool | np.bool), name, value, "True or False", of_type=True)
    return bool(value)


def checked_function(name: str, value: object) -> None:
    """Refuse a value that cannot be called."""
    require(callable(value), name, value, "a function", of_type=True)


def is_masked(value: object) -> bool:
    """Recognize masked elements of an array or a list, whose hidden numbers NumPy would take."""
    return any(map(np.ma.is_masked, value if isinstance(value, list | tuple) else [value]))


def numbers_in(value: Any) -> Array | None:
    """Return the numbers in a container of any library, a new array; None where there are others, or masked ones."""
    with suppress(Exception):  # the class may be anybody's
        if is_masked(value):
            return None
        try:
            given = np.asarray(value)
        except Exception:  # noqa: BLE001 a tensor that knows its number may refuse to be an array
            given = np.array(float(value))
        objects = given.flat if given.dtype.kind == "O" else ()
        if given.dtype.kind in "biufO" and not any(isinstance(part, str | bytes) for part in objects):
            return np.array(given, dtype=np.float64)
    return None


def real_array(name: str, value: object, allowed: str, *, missing: bool = False) -> Array:
    """Return a new array of real numbers, of whatever shape; where any may be ``missing``, None is NaN in it."""
    if (found := numbers_in(value)) is None:
        refuse(name, value, f"{allowed}; nothing masked", of_type=True)
    require(missing or not np.isnan(found).any(), name, value, f"{allowed}; no NaN")
    return found
