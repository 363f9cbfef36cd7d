"""No proposals: only sampled points are evaluated."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sacma.strategy.proposals.base import Proposer
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive, Standing
from sacma.surrogate.part import Context, Part
from sacma.types import Array


class NoProposals(Part):
    """No further points."""

    name: Literal["none"] = "none"

    def build(self, context: Context) -> Proposer:  # noqa: ARG002 one protocol
        """Return the proposer of one strategy."""
        return NoProposer()


class NoProposer:
    """Proposes nothing."""

    def propose(self, model: TrainedModel, archive: Archive) -> Array:  # noqa: ARG002 one protocol
        """Return no point; see ``Proposer``."""
        return np.empty((0, archive.points.shape[1]))

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Learn nothing."""
