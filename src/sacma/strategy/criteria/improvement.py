"""Probability of improvement."""

from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array


class Improvement(Part):
    """Probability that f is below the best value so far."""

    name: Literal["improvement"] = "improvement"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return Φ((y* − ŷ_i)/s_i) of each point; see ``Criterion``."""
        from scipy.special import ndtr  # noqa: PLC0415 slow to import

        spread = np.sqrt(np.clip(posterior.variance, np.finfo(float).tiny, None))
        best = posterior.standardised(np.array(best_value))
        return np.asarray(ndtr((best - posterior.mean) / spread))
