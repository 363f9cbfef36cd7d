"""The newest candidates."""

from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.part import Part
from sacma.surrogate.training_set import Indices
from sacma.types import Array


class Recent(Part):
    """The newest n_max candidates."""

    name: Literal["recent"] = "recent"
    newest_only: ClassVar[bool] = True

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG002 one protocol
        """Return the indices of the newest ``size`` candidates."""
        return np.arange(len(whitened) - size, len(whitened))
