"""pycma's penalty of points outside a box, computed for all coordinates at once: the same numbers in less time."""

from functools import cache
from typing import Any

import numpy as np

from sacma.strategy.pycma import pycma
from sacma.surrogate.whitening import Array


@cache
def bound_penalty() -> Any:
    """Return the class; pycma is imported by the first call.

    pycma's ``BoundPenalty`` repairs coordinate by coordinate, and each point several times a generation.
    """
    base: Any = pycma().BoundPenalty

    class BoundPenalty(base):  # type: ignore[misc]
        """``cma.BoundPenalty`` with another ``repair``."""

        def __init__(self, bounds: Any = None) -> None:
            super().__init__(bounds)
            self._sides: tuple[Array, Array] | None = None

        def repair(self, x: Array, copy_if_changed: bool = True) -> Array:  # noqa: FBT001, FBT002 pycma's signature
            """Return ``x``, shape (D,), with each coordinate outside the box on its border."""
            if self._sides is None:
                self._sides = self.get_bounds("lower", len(x)), self.get_bounds("upper", len(x))
            lower, upper = self._sides
            point = np.asarray(x)
            # Of two zeros the bound, as Python's max and min of (bound, x) return the first of equals.
            repaired = np.where(point > lower, point, lower)
            repaired = np.where(repaired < upper, repaired, upper)
            if copy_if_changed:
                return repaired
            x[:] = repaired
            return x

    return BoundPenalty
