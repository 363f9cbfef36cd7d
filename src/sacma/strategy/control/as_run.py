"""Generation-based evolution control as in the published code."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from sacma.strategy.control.adaptive_generations import (
    AdaptiveRule,
    Most,
    Steepness,
    Threshold,
    Transfer,
    UpdateRate,
    round_half_up,
)
from sacma.strategy.control.base import Control
from sacma.strategy.control.generation_control import GenerationControl, LastModel
from sacma.strategy.control.generations import ConstantRule, ModelGenerations
from sacma.strategy.errors import AnyError
from sacma.strategy.training import TrainedModel
from sacma.strategy.transfer import TRANSFERS
from sacma.surrogate.part import Context, Part

RAISED_BY = 1.000001
"""Factor of the amount by which predictions are raised to the best true value."""


class GenerationsAsRun(Part):
    """A constant g_m; predictions are raised so that none is below the best true value."""

    name: Literal["generations-as-run"] = "generations-as-run"
    model_generations: ModelGenerations = 1
    uses_model: ClassVar[bool] = True

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return GenerationControl(ConstantRule(self.model_generations), raised_by=RAISED_BY)


class AdaptiveGenerationsAsRun(Part):
    """Adaptive g_m with two thresholds of the smoothed error; the last model outlives failed trainings."""

    name: Literal["adaptive-generations-as-run"] = "adaptive-generations-as-run"
    error: Annotated[AnyError, Field(description="ε: error measure of the last model's ranking")]
    transfer: Transfer = "T2"
    transfer_steepness: Steepness = 2.0
    error_threshold: Threshold = 0.5
    error_floor: Annotated[
        float, Field(ge=0, lt=1, description="smoothed error at and below which g_m is g_m^max; below error_threshold")
    ] = 0.1
    initial_error: Annotated[float, Field(ge=0, le=1, description="ε_s into which the first error is smoothed")] = 0.2
    update_rate: UpdateRate = 0.2
    max_model_generations: Most = 5
    uses_model: ClassVar[bool] = True

    @model_validator(mode="after")
    def _room_between_floor_and_threshold(self) -> "AdaptiveGenerationsAsRun":
        if self.error_floor >= self.error_threshold:
            raise ValueError(
                f"error_floor is {self.error_floor}, error_threshold {self.error_threshold}; "
                "allowed: error_floor < error_threshold"
            )
        return self

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return GenerationControl(AdaptiveRule(self, self.initial_error), KeptModel(), RAISED_BY)

    def generations_at(self, smoothed: float) -> int:
        """Return g_m at a smoothed error ε_s."""
        clipped = min(max(smoothed, self.error_floor), self.error_threshold)
        truncated = (clipped - self.error_floor) / (self.error_threshold - self.error_floor)
        share = TRANSFERS[self.transfer](1.0 - truncated, self.transfer_steepness)
        return round_half_up(share * self.max_model_generations)


class KeptModel(LastModel):
    """f_M that outlives failed trainings and is judged after the next successful one."""

    def replace(self, trained: TrainedModel | None) -> TrainedModel | None:
        """Take the result of a training; see ``LastModel``."""
        return None if trained is None else super().replace(trained)
