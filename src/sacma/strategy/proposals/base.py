"""The interface of proposals: points for f besides the sampled ones."""

from typing import Protocol

from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.whitening import Array


class Proposer(Protocol):
    """Proposes points for f after generations in which a model was trained."""

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return points, shape (n, D); f evaluates them and they take part in the next population.

        Args:
            model: the last that was trained.
            archive: 𝒜.
        """

    def learn(self, values: Array, best_before: float) -> None:
        """Take the values of the points proposed last, shape (n,), and the lowest true value before them."""
