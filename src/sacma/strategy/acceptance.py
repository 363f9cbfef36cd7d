"""Acceptance of trained models: a model that cannot rank points counts as not trained."""

import sys
from collections.abc import Callable
from typing import Literal, Protocol

from sacma.strategy.sampling import Sampling
from sacma.surrogate.base import FitStatus
from sacma.surrogate.part import Part
from sacma.types import Array


class Acceptance(Protocol):
    """A test that a model must pass to be used."""

    def judge(self, model: Callable[[Array], Array], run: Sampling, values: Array) -> FitStatus:
        """Return ``TRAINED`` or the reason for rejecting the model.

        Args:
            model: returns predictions at points, shape (n, D).
            run: with the population sampled for which the model was trained.
            values: training values, shape (n_tr,).
        """


class RanksPopulation(Part):
    """Acceptance of models whose predictions of the population are finite and differ."""

    name: Literal["ranks-population"] = "ranks-population"

    def judge(self, model: Callable[[Array], Array], run: Sampling, values: Array) -> FitStatus:  # noqa: ARG002 one protocol
        """Predict the population; see ``Acceptance``."""
        return FitStatus.TRAINED if can_rank(model(run.sampled)) else FitStatus.CONSTANT_PREDICTION


def can_rank(predicted: Array) -> bool:
    """Return whether predictions are finite and differ by more than floating-point resolution."""
    lowest, highest = float(predicted.min()), float(predicted.max())
    # False with NaN, and with infinity on both sides.
    return highest - lowest > 4.0 * sys.float_info.epsilon * max(abs(lowest), abs(highest))
