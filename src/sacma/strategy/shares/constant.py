"""A constant share of each population."""

import math
from typing import Annotated, Literal

from pydantic import Field

from sacma.strategy.shares.base import Share
from sacma.surrogate.part import Context, Part
from sacma.types import Array


class ConstantShare(Part):
    """A constant share."""

    name: Literal["constant"] = "constant"
    value: Annotated[float, Field(gt=0, le=1, description="α: share of a population that is evaluated with f")] = 0.05

    def build(self, context: Context) -> Share:  # noqa: ARG002 one protocol
        """Return the share of one strategy."""
        return FixedShare(self.value)


class FixedShare:
    """α, which no error changes."""

    judges = False
    smoothed_error = math.nan

    def __init__(self, share: float) -> None:
        self.share = share

    def judge(self, predicted: Array, values: Array) -> float:  # noqa: ARG002 one protocol
        """Return NaN."""
        return math.nan
