"""Points of the lowest predictions."""

from typing import ClassVar, Literal

from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array


class Lowest(Part):
    """Points of the lowest predictions."""

    name: Literal["lowest"] = "lowest"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:
        """Return the predictions, negated."""
        return -posterior.mean
