"""The archive 𝒜 of truly evaluated points."""

import numpy as np

from sacma.surrogate.whitening import Array

NEIGHBOURS = 3
"""Number of nearest points that all failed where a point that fails is in a region of failures.

Tried on functions that fail in a half-space, in a ball, or at 10 or 30 percent of all points, in 3-D and 5-D: fewer
take scattered failures for regions, more need longer to see one, and the share of failures in the last few evaluations,
wherever they are, does both worse.
"""


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
        self._failed: list[Array] = []
        self._ranked: set[int] = set()  # places of points without a value
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
        """Take a further value of a known point, or the first value of one in a region of failures."""
        if place in self._ranked:
            self._ranked.remove(place)
            self._values[place] = value
            self.best_value = min(self.best_value, value)
            return
        if self._counts is None:
            self.best_value = min(self.best_value, value)
            return
        self._counts[place] += 1
        n = self._counts[place]
        self._values[place] = self._values[place] * ((n - 1) / n) + value / n  # a difference could overflow
        self.best_value = float(np.min(self.values))

    def add_failed(self, points: Array) -> None:
        """Take points where f failed, shape (n, D).

        One in a region of failures is added with the largest of the newest 15 D values: models that know nothing of
        such a region go on to lead there. Scattered failures say nothing about f, and are not added.
        """
        for point in points:
            if point not in self and self._in_region_of_failures(point):
                worst = float(np.max(self.values[-15 * len(point) :]))
                self._ranked.add(self._size)
                self.add(point[None], np.array([worst]))
            self._failed.append(point)

    def _in_region_of_failures(self, point: Array) -> bool:
        """Return True where the nearest points failed; each coordinate in units of its standard deviation."""
        valued = np.delete(self.points, sorted(self._ranked), axis=0)
        if len(self._failed) < NEIGHBOURS or not len(valued):
            return False
        known = np.concatenate([self._failed, valued])
        with np.errstate(over="ignore", invalid="ignore"):
            deviations = np.std(known, axis=0)
            differences = (known - point) / np.where(deviations > 0.0, deviations, 1.0)
            nearest = np.argsort(np.sum(differences**2, axis=1), kind="stable")[:NEIGHBOURS]
        return bool(np.all(nearest < len(self._failed)))
