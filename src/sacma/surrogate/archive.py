"""The archive 𝒜 of truly evaluated points."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sacma.types import Array

# Number of nearest points that all failed where a point that fails is in a region of failures.
#
# Tried on functions that fail in a half-space, in a ball, or at 10 or 30 percent of all points, in 3-D and 5-D: fewer
# take scattered failures for regions, more need longer to see one, and the share of failures in the last few
# evaluations, wherever they are, does both worse.
NEIGHBOURS = 3

# Newest values, in units of D, of which a point in a region of failures gets the largest: as many as models learn.
RECENT = 15

# The violation of constraints at a point, and f: of two points that with the lower one is better (Deb's rules).
Standing = tuple[float, float]


class Merit(Protocol):
    """A smooth function of outcomes, shape (n, 1 + m): f and m constraints at each of n points."""

    equalities: NDArray[np.bool_]  # True for constraints h = 0, False for g ≤ 0, shape (m,)

    def __call__(self, outcomes: Array) -> Array:
        """Return the merit of each point, shape (n,); the lower, the better."""

    def slopes(self, outcomes: Array) -> Array:
        """Return its derivatives by each outcome, shape (n, 1 + m)."""

    def violations(self, outcomes: Array) -> Array:
        """Return the largest violation of a constraint at each point, shape (n,); 0 where all are kept."""

    def set_multipliers(self, multipliers: Array) -> None:
        """Take Lagrange multipliers, shape (m,), of an optimum that models foresee."""


class Archive:
    """A set of evaluated pairs (x, f(x)) in the order in which they came (Algorithm 1, step 4).

    A set holds a point once: an exact duplicate of a known point is not added again, unless the archive averages.

    Args:
        dimension: D.
        merit: with constraints, the value of a point by its outcomes; where it changes, ``measure`` is to be called.
            None: there are none, and an outcome is a value.
        averages: f is noisy, and the outcomes of a point are the means of all of its outcomes.
    """

    def __init__(self, dimension: int, merit: Merit | None = None, *, averages: bool = False) -> None:
        self._points = np.empty((64, dimension))
        self._values = np.empty(64)
        self._outcomes = self._values if merit is None else np.empty((64, 1 + len(merit.equalities)))
        self._merit = merit
        self._size = 0
        self._spread = 0.0
        self._known: dict[bytes, int] = {}  # places of points
        self._counts: list[int] | None = [] if averages else None  # values of each point
        self._failed: list[Array] = []
        self._ranked: set[int] = set()  # places of points without a value

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
        """Their true objective values, with constraints their merit, shape (n,). A view: not to be written to."""
        return self._values[: self._size]

    @property
    def outcomes(self) -> Array:
        """Their values, shape (n,), or f and m constraints, shape (n, 1 + m). A view: not to be written to."""
        return self._outcomes[: self._size]

    def value_at(self, point: Array) -> float:
        """The value of a point that is known, shape (D,)."""
        return float(self._values[self._known[point.tobytes()]])

    @property
    def best_value(self) -> float:
        """The lowest value; inf without any."""
        return float(np.min(self.values, initial=np.inf))

    @property
    def best(self) -> int:
        """The place of the best point: with constraints by violation, then f; there is one."""
        if self._merit is None:
            return int(np.argmin(self.values))
        return int(np.lexsort((self.outcomes[:, 0], self._merit.violations(self.outcomes)))[0])

    @property
    def standing(self) -> Standing:
        """The standing of the best point; infinite without any."""
        return self.standings_of(self.outcomes[[self.best]])[0] if self._size else (np.inf, np.inf)

    def values_of(self, outcomes: Array) -> Array:
        """Return the values of outcomes, shape (n,)."""
        return outcomes if self._merit is None else self._merit(outcomes)

    def standings_of(self, outcomes: Array) -> list[Standing]:
        """Return the standing of each of n outcomes."""
        if self._merit is None:
            return [(0.0, value) for value in outcomes.tolist()]
        return list(zip(self._merit.violations(outcomes).tolist(), outcomes[:, 0].tolist(), strict=True))

    def measure(self) -> None:
        """Compute all values again, by a merit that has changed."""
        self._values[: self._size] = self.values_of(self.outcomes)

    def spread(self) -> tuple[float, float]:
        """Return the largest difference of the median and the least value at any call so far, and the least value."""
        if not self._size:
            return 0.0, 0.0
        with np.errstate(over="ignore"):
            self._spread = max(self._spread, float(np.median(self.values)) - self.best_value)
        return self._spread, self.best_value

    def add(self, points: Array, outcomes: Array) -> None:
        """Add evaluated ``points``, shape (n, D), with their ``outcomes``, shape (n,) or (n, 1 + m)."""
        for point, outcome, value in zip(points, outcomes, self.values_of(outcomes).tolist(), strict=True):
            key = point.tobytes()
            if key in self._known:
                self._repeat(self._known[key], outcome, value)
                continue
            self._known[key] = self._size
            if self._counts is not None:
                self._counts.append(1)
            if self._size == len(self._values):
                self._grow()
            self._points[self._size] = point
            self._values[self._size] = value
            self._outcomes[self._size] = outcome
            self._size += 1

    def _repeat(self, place: int, outcome: Array, value: float) -> None:
        """Take a further value of a known point, or the first one of a point in a region of failures."""
        if place in self._ranked:
            self._ranked.remove(place)
            self._values[place] = value
            self._outcomes[place] = outcome
        elif self._counts is not None:
            self._counts[place] += 1
            n = self._counts[place]
            self._outcomes[place] = self._outcomes[place] * ((n - 1) / n) + outcome / n  # a difference could overflow
            if self._merit is not None:
                self._values[place] = self.values_of(self._outcomes[[place]])[0]

    def add_failed(self, points: Array) -> None:
        """Take points where f failed, shape (n, D).

        One in a region of failures is added with the largest of the newest 15 D values: models that know nothing of
        such a region go on to lead there. Scattered failures say nothing about f, and are not added.
        """
        for point in points:
            if point not in self and self._in_region_of_failures(point):
                recent = self.values[-RECENT * len(point) :]
                worst = self._size - len(recent) + int(np.argmax(recent))
                self._ranked.add(self._size)
                self.add(point[None], self.outcomes[[worst]])
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

    def _grow(self) -> None:
        self._points, self._values = _doubled(self._points), _doubled(self._values)
        self._outcomes = self._values if self._merit is None else _doubled(self._outcomes)


def _doubled(rows: Array) -> Array:
    return np.concatenate([rows, np.empty_like(rows)])


def finite_rows(outcomes: Array) -> NDArray[np.bool_]:
    """Return True for each of n points whose outcomes, of shape (n,) or (n, 1 + m), are all finite.

    >>> finite_rows(np.array([1.0, np.inf])).tolist(), finite_rows(np.array([[1.0, np.nan], [2.0, 3.0]])).tolist()
    ([True, False], [False, True])
    """
    finite = np.isfinite(outcomes)
    return finite if finite.ndim == 1 else np.asarray(finite.all(axis=1))


def missing_rows(outcomes: Array) -> NDArray[np.bool_]:
    """Return True for each of n points, the outcomes of which are not known yet."""
    return np.isnan(outcomes if outcomes.ndim == 1 else outcomes[:, 0])
