"""A grid for tests: cells in the first coordinate."""

from dataclasses import dataclass

import numpy as np

from sacma.types import Array


@dataclass(frozen=True)
class Cells:
    """Cells of one width in the first coordinate; the others are continuous."""

    width: float

    def centred(self, points: Array) -> Array:
        """Return the centres."""
        centred = np.array(points)
        centred[..., 0] = (np.floor(centred[..., 0] / self.width) + 0.5) * self.width
        return centred

    def widths(self, point: Array) -> Array:
        """Return the widths."""
        return np.array([self.width, *np.zeros(len(point) - 1)])
