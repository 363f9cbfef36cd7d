"""A share that alternates."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.surrogate.part import Context, Part
from sacma.types import Array


class Alternating(Part):
    """A small share, and then a large one."""

    name: Literal["alternating"] = "alternating"
    small: Annotated[float, Field(gt=0, le=1, description="α of every other generation")] = 0.2
    large: Annotated[float, Field(gt=0, le=1, description="α of the others")] = 0.6

    def build(self, context: Context) -> "InTurns":
        """Return the share of one strategy."""
        return InTurns(self.small, self.large)


class InTurns:
    """α, which changes whenever it is judged."""

    judges = True
    smoothed_error = np.nan

    def __init__(self, small: float, large: float) -> None:
        self.share, self._next = small, large

    def judge(self, predicted: Array, values: Array) -> float:
        """Return the mean error."""
        self.share, self._next = self._next, self.share
        return float(np.mean(np.abs(predicted - values)))
