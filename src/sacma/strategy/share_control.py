"""Which share of a population f evaluates in DTS-CMA-ES, and how it follows the error of the models.

| symbol       | here                    | meaning                                                             |
| ------------ | ----------------------- | ------------------------------------------------------------------- |
| α            | ``share``               | share of a population that f evaluates                              |
| ε            | ``error``               | RDE_μ of the first model's predictions, after the second training   |
| ε_s          | ``smoothed_error``      | smoothed error                                                      |
| β            | ``error_update_rate``   | weight of the newest error                                          |
| ε_min, ε_max | ``error_limits``        | errors at and below, at and above which α is smallest and largest   |
"""

import math
from typing import Protocol

import numpy as np

from sacma.strategy.model_error import ranking_difference
from sacma.strategy.settings import DTSSettings
from sacma.surrogate.whitening import Array

LOWEST = (0.11, -0.0092, -0.13, 0.044, 0.14)
HIGHEST = (0.35, -0.047, 0.44, 0.044, -0.19)
"""Coefficients of ε_min and ε_max at 1, ln D, α, α ln D and α²: the regression of the published experiments."""


def error_limits(dimension: int, share: float) -> tuple[float, float]:
    """Return ε_min and ε_max: what an error of a good and of a bad model is depends on D and on the last α.

    >>> [round(limit, 4) for limit in error_limits(5, 0.05)]
    [0.0926, 0.2994]
    """
    log_D = math.log(dimension)
    terms = (1.0, log_D, share, share * log_D, share * share)
    lowest, highest = (sum(c * term for c, term in zip(of, terms, strict=True)) for of in (LOWEST, HIGHEST))
    return lowest, highest


def number_of(share: float, population_size: int) -> int:
    """Return ⌈α λ⌉, at least 1 and at most λ; a product that is whole but for rounding is whole.

    >>> [number_of(0.05, 8), number_of(0.07, 100), number_of(1.0, 8)]
    [1, 7, 8]
    """
    return min(population_size, max(1, math.ceil(share * population_size - 1e-9)))


class ShareControl(Protocol):
    """Decides α; keeps its memory over restarts as long as it is kept itself.

    ``judges`` says whether it wants to know what the models said of a population.
    """

    judges: bool
    share: float
    smoothed_error: float

    def judge(self, predicted: Array, values: Array) -> float:
        """Take what the first model said of a population, and what is known after the second training; return ε."""


class FixedShare:
    """α is the same in every generation."""

    judges = False
    smoothed_error = math.nan

    def __init__(self, share: float) -> None:
        self.share = share

    def judge(self, predicted: Array, values: Array) -> float:  # noqa: ARG002 one protocol
        """No error changes it."""
        return math.nan


class AdaptiveShare:
    """α grows linearly with the smoothed error, from α_min at ε_min to α_max at ε_max."""

    judges = True

    def __init__(self, settings: DTSSettings, dimension: int) -> None:
        self._settings = settings
        self._dimension = dimension
        self.share = settings.share
        self.smoothed_error = settings.first_error

    def judge(self, predicted: Array, values: Array) -> float:
        """Smooth ε, ε_s ← (1 − β) ε_s + β ε, and follow it; constant values have no error and change nothing."""
        if any(np.min(a) == np.max(a) for a in (predicted, values)):
            return math.nan
        s = self._settings
        error = ranking_difference(predicted, values, len(values) // 2, over_predicted=False)
        self.smoothed_error = (1.0 - s.error_update_rate) * self.smoothed_error + s.error_update_rate * error
        lowest, highest = error_limits(self._dimension, self.share)
        gain = min(max((self.smoothed_error - lowest) / (highest - lowest), 0.0), 1.0)
        self.share = s.smallest_share + gain * (s.largest_share - s.smallest_share)
        return error


def share_control(settings: DTSSettings, dimension: int) -> ShareControl:
    """Return the control that ``settings`` ask for."""
    return AdaptiveShare(settings, dimension) if settings.adapts_share else FixedShare(settings.share)
