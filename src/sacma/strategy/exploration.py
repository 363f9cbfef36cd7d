"""Exploration: when and where a search of other optima begins.

The values near an optimum do not tell whether another is better. Where the distribution has become narrow, a search far
from all optima found so far costs little of the evaluations to come, and is likely to end at another one.
"""

import numpy as np

from sacma.strategy.trust_region import Found
from sacma.types import Array

NARROW = 0.001
"""Largest standard deviation in units of σ₀, below which a run is near an optimum."""

APART = 0.1
"""Distance in units of σ₀, from which on two points are different optima."""

REFINED = 0.25
"""Share of a search's distance to the best value: where its model promises less, it is at an optimum of its own."""

AGAIN, SELDOM = 1.1, 3.0
"""Growth of the number of evaluations until the next search, if there are several optima, and if none is known."""

RADIUS = 0.5  # of a search, in units of σ₀
DRAWN = 20  # points, of which the farthest from all optima is the start of a search


class Exploration:
    """The optima found so far, and the number of evaluations at which a search of others is due.

    >>> exploration = Exploration(sigma0=2.0)
    >>> exploration.due(30, 0.2), exploration.due(30, 0.001)
    (False, True)
    >>> exploration.start(np.zeros(1), np.array([[1.0], [-3.0], [2.0]]))
    array([-3.])
    >>> exploration.learn(Found(np.full(1, -2.0), 5.0, 0.1), best=4.0, evaluations=40)
    >>> exploration.due(43, 0.001), exploration.due(44, 0.001)
    (False, True)
    """

    def __init__(self, sigma0: float) -> None:
        self._optima: list[Array] = []
        self._sigma0 = sigma0
        self._next = 0.0
        self._several = False

    def due(self, evaluations: int, deviation: float) -> bool:
        """Return whether a search begins after so many evaluations, at a largest standard deviation."""
        return evaluations >= self._next and deviation < NARROW * self._sigma0

    def start(self, best: Array, drawn: Array) -> Array:
        """Return the one of the points drawn, shape (n, D), that is farthest from all optima; ``best`` is one."""
        self._optima.append(best)
        distances = [np.linalg.norm(drawn - optimum, axis=1) for optimum in self._optima]
        return np.asarray(drawn[np.argmax(np.min(distances, axis=0))])

    def learn(self, found: Found | None, best: float, evaluations: int) -> None:
        """Take the end of a search, None where it was broken off, and the best value before it."""
        if found is not None:
            apart = np.linalg.norm(found.point - self._optima[-1]) > APART * self._sigma0
            lacking = found.value - best
            self._several |= bool(apart and (lacking < 0.0 or found.promised < REFINED * lacking))
            self._optima.append(found.point)
        self._next = (AGAIN if self._several else SELDOM) * evaluations
