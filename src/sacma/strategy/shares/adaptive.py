"""A share that grows with the error of the models (adaptive DTS-CMA-ES)."""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from sacma.strategy.errors.ranking_difference import ranking_difference
from sacma.strategy.shares.base import Share
from sacma.surrogate.part import Context, Part
from sacma.types import Array

LOWEST = (0.11, -0.0092, -0.13, 0.044, 0.14)
HIGHEST = (0.35, -0.047, 0.44, 0.044, -0.19)
"""Coefficients of ε_min and ε_max at 1, ln D, α, α ln D and α²: the regression of the published experiments."""


def error_limits(dimension: int, share: float) -> tuple[float, float]:
    """Return ε_min and ε_max, the errors of good and of bad models, which depend on D and on the last α.

    >>> [round(limit, 4) for limit in error_limits(5, 0.05)]
    [0.0926, 0.2994]
    """
    log_D = math.log(dimension)
    terms = (1.0, log_D, share, share * log_D, share * share)
    lowest, highest = (sum(c * term for c, term in zip(of, terms, strict=True)) for of in (LOWEST, HIGHEST))
    return lowest, highest


class AdaptiveShare(Part):
    """A share between two limits that follows the smoothed error of the models."""

    name: Literal["adaptive"] = "adaptive"
    first: Annotated[float, Field(gt=0, le=1, description="α of the first generation")] = 0.05
    smallest: Annotated[float, Field(gt=0, le=1, description="α_min: where the smoothed error is ≤ ε_min")] = 0.04
    largest: Annotated[float, Field(gt=0, le=1, description="α_max: where the smoothed error is ≥ ε_max")] = 1.0
    error_update_rate: Annotated[float, Field(gt=0, le=1, description="β: weight of the newest error")] = 0.3
    first_error: Annotated[
        float, Field(ge=0, le=1, description="smoothed error into which the first one is smoothed")
    ] = 0.05

    @model_validator(mode="after")
    def _room_between_shares(self) -> "AdaptiveShare":
        if self.largest < self.smallest:
            raise ValueError(
                f"largest is {self.largest}, less than smallest, {self.smallest}; allowed: largest ≥ smallest"
            )
        return self

    def build(self, context: Context) -> Share:
        """Return the share of one strategy."""
        return FollowingShare(self, context.dimension)


class FollowingShare:
    """α that grows linearly with the smoothed error, from α_min at ε_min to α_max at ε_max."""

    judges = True

    def __init__(self, settings: AdaptiveShare, dimension: int) -> None:
        self._settings = settings
        self._dimension = dimension
        self.share = settings.first
        self.smoothed_error = settings.first_error

    def judge(self, predicted: Array, values: Array) -> float:
        """Follow ε = RDE_μ(y, ŷ): ε_s ← (1 − β) ε_s + β ε; constant values have no error and change nothing."""
        if any(np.min(a) == np.max(a) for a in (predicted, values)):
            return math.nan
        s = self._settings
        error = ranking_difference(values, predicted, len(values) // 2)
        self.smoothed_error = (1.0 - s.error_update_rate) * self.smoothed_error + s.error_update_rate * error
        lowest, highest = error_limits(self._dimension, self.share)
        gain = min(max((self.smoothed_error - lowest) / (highest - lowest), 0.0), 1.0)
        self.share = s.smallest + gain * (s.largest - s.smallest)
        return error
