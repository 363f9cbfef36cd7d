"""The interface of criteria: the worth of evaluating each point of a population."""

from typing import ClassVar, Protocol

import numpy as np

from sacma.surrogate.base import Posterior
from sacma.surrogate.training_set import Indices
from sacma.types import Array


class Criterion(Protocol):
    """Worth of evaluating points with f."""

    joint: ClassVar[bool]  # True if it needs covariances, not variances alone

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:
        """Return the worth of each point, shape (λ,).

        Args:
            posterior: of the population.
            best_value: the lowest true value so far, in the objective's units.
            parents: μ.
        """

    def prepare(self) -> None:
        """Import or compile the code."""


def select_points(worth: Array, variance: Array, number: int) -> Indices:
    """Return the indices, ascending, of ``number`` points: by worth, NaN the least, and by variance among equals."""
    return np.sort(np.lexsort((-variance, -worth))[:number])
