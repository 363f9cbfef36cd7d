"""A problem: an objective in a box, and where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def numbers(text: str) -> Array:
    """Return published numbers, which spaces part, as an array of shape (n,)."""
    return np.array(text.split(), dtype=float)


@dataclass(frozen=True)
class Known:
    """A published solution."""

    point: tuple[float, ...]
    value: float
    rtol: float  # to which the objective gives this value there: as many digits as are published


@dataclass(frozen=True)
class Problem:
    """An objective of D variables in a box, to be minimised.

    Several problems are fits of a few parameters over decades: their variables are log₁₀ of the parameters, as a
    practitioner would have it.
    """

    name: str
    kind: str  # the two problems of a kind are in different halves
    half: str  # development or judged
    objective: Callable[[Array], float]  # from a point, shape (D,); raises or gives inf or nan where it fails
    box: tuple[tuple[float, float], ...]  # lower and upper bound of each variable
    about: str
    source: str
    start: tuple[float, ...] | None = None  # as published; the runs begin at random points
    known: Known | None = None

    @property
    def dimension(self) -> int:
        """D."""
        return len(self.box)

    @property
    def lower(self) -> Array:
        """Lower bounds, shape (D,)."""
        return np.array([low for low, _ in self.box], dtype=float)

    @property
    def upper(self) -> Array:
        """Upper bounds, shape (D,)."""
        return np.array([high for _, high in self.box], dtype=float)

    def at(self, unit: Array) -> float:
        """Return the objective at a point of the unit cube, shape (D,); inf where it fails."""
        unit = np.clip(unit, 0, 1)
        with np.errstate(all="ignore"):
            try:
                value = float(self.objective(self.lower + unit * (self.upper - self.lower)))
            except (ArithmeticError, ValueError, np.linalg.LinAlgError):
                return np.inf
        return value if np.isfinite(value) else np.inf
