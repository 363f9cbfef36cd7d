"""Acceptance of models as in the published code."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from sacma.strategy.sampling import Sampling
from sacma.surrogate.base import FitStatus
from sacma.surrogate.part import Part
from sacma.types import Array


class SpansSample(Part):
    """Rejection of models that span less than min(1e-8, 5 % of the training values) on a new, repaired sample."""

    name: Literal["spans-sample-as-run"] = "spans-sample-as-run"

    def judge(self, model: Callable[[Array], Array], run: Sampling, values: Array) -> FitStatus:
        """Predict a new sample, repaired into the box; see ``Acceptance``."""
        narrow = min(1e-8, 0.05 * float(np.ptp(values)))
        with np.errstate(over="ignore", invalid="ignore"):
            repaired, _ = run.place(run.sample())
            span = float(np.ptp(model(repaired)))
        return FitStatus.TRAINED if span >= narrow else FitStatus.NARROW_PREDICTION  # nor where it is NaN
