"""No proposals: f evaluates sampled points only."""

from typing import Literal

import numpy as np

from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Part
from sacma.surrogate.whitening import Array


class NoProposals(Part):
    """No further points."""

    name: Literal["none"] = "none"

    def propose(self, model: TrainedModel, archive: Archive) -> Array:  # noqa: ARG002 one protocol
        """Return no point; see ``Proposals``."""
        return np.empty((0, archive.points.shape[1]))
