"""Posterior variance."""

from typing import ClassVar, Literal

from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array


class Variance(Part):
    """Posterior variance."""

    name: Literal["variance"] = "variance"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return the variance of each point; see ``Criterion``."""
        return posterior.variance
