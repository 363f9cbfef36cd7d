"""The archive 𝒜 of truly evaluated points."""

import numpy as np

from sacma.surrogate.whitening import Array


class Archive:
    """A set of evaluated pairs (x, f(x)) in the order in which they came (Algorithm 1, step 4).

    A set holds a point once: an exact duplicate of a known point is not added again.
    """

    def __init__(self, dimension: int) -> None:
        self._points = np.empty((64, dimension))
        self._values = np.empty(64)
        self._size = 0
        self._known: set[bytes] = set()
        self.best_value = np.inf

    def __len__(self) -> int:
        return self._size

    def __contains__(self, point: Array) -> bool:
        return point.tobytes() in self._known

    @property
    def points(self) -> Array:
        """All points, oldest first, shape (n, D). A view: not to be written to."""
        return self._points[: self._size]

    @property
    def values(self) -> Array:
        """Their true objective values, shape (n,). A view: not to be written to."""
        return self._values[: self._size]

    def add(self, points: Array, values: Array) -> None:
        """Add evaluated ``points``, shape (n, D), with their ``values``, shape (n,)."""
        for point, value in zip(points, values.tolist(), strict=True):
            self.best_value = min(self.best_value, value)
            key = point.tobytes()
            if key in self._known:
                continue
            self._known.add(key)
            if self._size == len(self._values):
                self._points = np.concatenate([self._points, np.empty_like(self._points)])
                self._values = np.concatenate([self._values, np.empty_like(self._values)])
            self._points[self._size] = point
            self._values[self._size] = value
            self._size += 1
