"""Functions to be minimised, runs of them, and their comparison.

Processes that evaluate these functions import this module: it loads NumPy alone.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sacma.types import Array

if TYPE_CHECKING:
    from sacma import Optimizer, Result

GENERATIONS = "ada-kendall"  # a method that asks for whole generations; the default asks for a few points at a time


def sphere(x: Array) -> float:
    return float(x @ x)


def bowl(x: Array) -> float:
    return float(np.sum((x - 0.3) ** 2))


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def partly_failing(x: Array) -> float | None:
    """Rosenbrock's function, which fails in strips of the space."""
    if math.sin(25 * x[0]) > 0.8:
        raise RuntimeError("no mesh")
    if math.sin(20 * x[1]) > 0.8:
        return math.nan
    return None if x[2] > 1.2 else rosenbrock(x)


def solve(optimizer: "Optimizer", fun: Callable[[Array], Any]) -> "Result":
    """Ask and tell to the end; return the result."""
    while not optimizer.stop():
        X = optimizer.ask()
        optimizer.tell(X, [fun(x) for x in X])
    return optimizer.result


def bits(result: "Result") -> tuple[bytes, bytes]:
    """Return all points and values."""
    return result.history.points.tobytes(), result.history.values.tobytes()
