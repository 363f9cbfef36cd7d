"""The interface of proposals: points for f besides the sampled ones."""

from collections.abc import Sequence
from typing import Protocol

from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive, Standing
from sacma.types import Array


class Proposer(Protocol):
    """Proposes points for f after generations in which a model was trained."""

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return points, shape (n, D), to be evaluated with f; they take part in the next population.

        Args:
            model: the last that was trained.
            archive: 𝒜.
        """

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Take the standings of the points proposed last, and that of the best point before them."""
