"""pycma's penalty of points outside a box, computed for all coordinates at once: the same numbers in less time."""

from functools import cache
from typing import Any

import numpy as np

from sacma.strategy.pycma import pycma
from sacma.types import Array


@cache
def bound_penalty() -> Any:
    """Return the class; pycma is imported by the first call.

    pycma's ``BoundPenalty`` repairs and penalises coordinate by coordinate, and each point several times a generation.
    """
    base: Any = pycma().BoundPenalty

    class BoundPenalty(base):  # type: ignore[misc]
        """``cma.BoundPenalty`` with another ``repair`` and another penalty."""

        def __init__(self, bounds: Any = None) -> None:
            super().__init__(bounds)
            self._sides: tuple[Array, Array] | None = None

        def repair(self, x: Array, copy_if_changed: bool = True) -> Array:  # noqa: FBT001, FBT002 pycma's signature
            """Return ``x``, shape (D,) or (n, D), with each coordinate outside the box on its border."""
            if self._sides is None:
                D = np.shape(x)[-1]
                self._sides = self.get_bounds("lower", D), self.get_bounds("upper", D)
            lower, upper = self._sides
            point = np.asarray(x)
            # Of two zeros the bound, as Python's max and min of (bound, x) return the first of equals.
            repaired = np.where(point > lower, point, lower)
            repaired = np.where(repaired < upper, repaired, upper)
            if copy_if_changed:
                return repaired
            x[:] = repaired
            return x

        def __call__(self, x: Any, archive: Any, gp: Any) -> Any:  # noqa: ARG002 pycma's signature
            """Return the penalties of points, shape (λ, D): nothing is scaled or fixed, so that they are as sampled."""
            points = np.asarray(x)
            terms = self.gamma * (self.repair(points) - points) ** 2
            # In the order of Python's sum; NumPy's has another from eight coordinates on.
            return sum(terms.T) / points.shape[1]

    return BoundPenalty
