"""Posterior variance."""

from typing import Literal

from sacma.strategy.criteria.base import variance
from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.surrogate.whitening import Array


class Variance(Part):
    """Posterior variance."""

    name: Literal["variance"] = "variance"

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return the variance of each point; see ``Criterion``."""
        return variance(posterior)
