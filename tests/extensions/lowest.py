"""Points of the lowest predictions."""

from typing import ClassVar, Literal

from sacma.surrogate.model import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array


class Lowest(Part):
    """Points of the lowest predictions."""

    name: Literal["lowest"] = "lowest"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, parents: int) -> Array:
        """Return the predictions, negated."""
        return -posterior.mean
