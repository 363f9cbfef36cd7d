"""Exploration: when and where a search of other optima begins.

The values near an optimum do not tell whether another is better. Where the distribution has become narrow, a search far
from all optima found so far costs little of the evaluations to come, and is likely to end at another one.
"""

import numpy as np

from sacma.types import Array

NARROW = 0.0002  # largest standard deviation in units of σ₀, below which a run is near an optimum
GROWTH = 1.2  # growth of the number of evaluations until the next search
LONGER = 2  # evaluations of a search, in those of the first one
DRAWN = 20  # points, of which the farthest from all optima is the start of a search


class Exploration:
    """The optima found so far, and the number of evaluations at which a search of others is due.

    >>> exploration = Exploration(sigma0=2.0)
    >>> exploration.due(30, 0.2), exploration.due(30, 0.0001)
    (False, True)
    >>> exploration.start(np.zeros(1), np.array([[1.0], [-3.0], [2.0]]))
    array([-3.])
    >>> exploration.learn(np.full(1, -2.0), evaluations=40)
    >>> exploration.due(47, 0.0001), exploration.due(48, 0.0001)
    (False, True)
    """

    def __init__(self, sigma0: float) -> None:
        self._optima: list[Array] = []
        self._sigma0 = sigma0
        self._next = 0.0

    def due(self, evaluations: int, deviation: float) -> bool:
        """Return whether a search begins after so many evaluations, at a largest standard deviation."""
        return evaluations >= self._next and deviation < NARROW * self._sigma0

    def start(self, best: Array, drawn: Array) -> Array:
        """Return the one of the points drawn, shape (n, D), that is farthest from all optima; ``best`` is one."""
        self._optima.append(best)
        distances = [np.linalg.norm(drawn - optimum, axis=1) for optimum in self._optima]
        return np.asarray(drawn[np.argmax(np.min(distances, axis=0))])

    def learn(self, found: Array | None, evaluations: int) -> None:
        """Take the best point of a search, None where it was broken off, and the number of evaluations after it."""
        if found is not None:
            self._optima.append(found)
        self._next = GROWTH * evaluations
