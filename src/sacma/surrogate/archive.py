"""The archive 𝒜 of truly evaluated points."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sacma.surrogate.whitening import Array

Standing = tuple[float, float]
"""The violation of constraints at a point, and f: of two points that with the lower one is better (Deb's rules)."""


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

    A set holds a point once: an exact duplicate of a known point is not added again.

    Args:
        dimension: D.
        merit: with constraints, the value of a point by its outcomes; where it changes, ``measure`` is to be called.
            None: there are none, and an outcome is a value.
        constraints: m.
    """

    def __init__(self, dimension: int, merit: Merit | None = None, constraints: int = 0) -> None:
        self._points = np.empty((64, dimension))
        self._values = np.empty(64)
        self._outcomes = self._values if merit is None else np.empty((64, 1 + constraints))
        self._merit = merit
        self._size = 0
        self._known: set[bytes] = set()
        self.best_value = np.inf
        self.standing: Standing = (np.inf, np.inf)  # of the best point

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
        self.best_value = float(np.min(self.values, initial=np.inf))

    def add(self, points: Array, outcomes: Array) -> None:
        """Add evaluated ``points``, shape (n, D), with their ``outcomes``, shape (n,) or (n, 1 + m)."""
        values, standings = self.values_of(outcomes).tolist(), self.standings_of(outcomes)
        for point, outcome, value, standing in zip(points, outcomes, values, standings, strict=True):
            self.best_value = min(self.best_value, value)
            self.standing = min(self.standing, standing)
            key = point.tobytes()
            if key in self._known:
                continue
            self._known.add(key)
            if self._size == len(self._values):
                self._grow()
            self._points[self._size] = point
            self._values[self._size] = value
            self._outcomes[self._size] = outcome
            self._size += 1

    def _grow(self) -> None:
        self._points, self._values = _doubled(self._points), _doubled(self._values)
        self._outcomes = self._values if self._merit is None else _doubled(self._outcomes)


def _doubled(rows: Array) -> Array:
    return np.concatenate([rows, np.empty_like(rows)])


def finite_rows(outcomes: Array) -> NDArray[np.bool_]:
    """Return True for each of n points whose outcomes, of shape (n,) or (n, 1 + m), are all finite."""
    finite = np.isfinite(outcomes)
    return finite if finite.ndim == 1 else np.asarray(finite.all(axis=1))
