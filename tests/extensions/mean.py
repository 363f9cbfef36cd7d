"""The mean of the search distribution as a proposal."""

from collections.abc import Sequence
from typing import Literal

from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive, Standing
from sacma.surrogate.part import Part
from sacma.types import Array


class Mean(Part):
    """m."""

    name: Literal["mean"] = "mean"

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return the mean of the model's generation."""
        return model.whitening.mean[None]

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Learn nothing."""
