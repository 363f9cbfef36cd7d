"""The archive 𝒜 of truly evaluated points."""

import numpy as np

from sacma.surrogate.whitening import Array


class Archive:
    """A set of evaluated pairs (x, f(x)) in the order in which they came (Algorithm 1, step 4).

    A set holds a point once: an exact duplicate of a known point is not added again. Where f is noisy, an archive that
    ``averages`` keeps the mean of the values of a point.
    """

    def __init__(self, dimension: int, *, averages: bool = False) -> None:
        self._points = np.empty((64, dimension))
        self._values = np.empty(64)
        self._size = 0
        self._known: dict[bytes, int] = {}  # places of points
        self._counts: list[int] | None = [] if averages else None  # values of each point
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
            key = point.tobytes()
            if key in self._known:
                self._repeat(self._known[key], value)
                continue
            self.best_value = min(self.best_value, value)
            self._known[key] = self._size
            if self._counts is not None:
                self._counts.append(1)
            if self._size == len(self._values):
                self._points = np.concatenate([self._points, np.empty_like(self._points)])
                self._values = np.concatenate([self._values, np.empty_like(self._values)])
            self._points[self._size] = point
            self._values[self._size] = value
            self._size += 1

    def _repeat(self, place: int, value: float) -> None:
        """Take a further value of a known point."""
        if self._counts is None:
            self.best_value = min(self.best_value, value)
            return
        self._counts[place] += 1
        n = self._counts[place]
        self._values[place] = self._values[place] * ((n - 1) / n) + value / n  # a difference could overflow
        self.best_value = float(np.min(self.values))
