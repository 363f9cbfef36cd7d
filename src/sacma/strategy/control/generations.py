"""Constant number of model-evaluated generations (S-CMA-ES: GP-1, GP-5)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sacma.strategy.control.base import Control, RaisesPredictions
from sacma.strategy.control.generation_control import Decision, GenerationControl
from sacma.strategy.errors.base import JudgedPopulation
from sacma.surrogate.part import Context, Part

ModelGenerations = Annotated[
    int, Field(ge=0, le=1000, description="g_m: model-evaluated generations after each true one")
]


class Generations(Part):
    """A constant number of model-evaluated generations after each true-evaluated one."""

    name: Literal["generations"] = "generations"
    model_generations: ModelGenerations = 1
    raises_predictions: RaisesPredictions = False
    uses_model: ClassVar[bool] = True

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return GenerationControl(ConstantRule(self.model_generations), raised_by=float(self.raises_predictions))


class ConstantRule:
    """Decides the same g_m after every true-evaluated generation."""

    judges = False

    def __init__(self, model_generations: int) -> None:
        self._decision = Decision(model_generations)

    def decide(self, judged: JudgedPopulation | None) -> Decision:  # noqa: ARG002 one protocol
        """Return the constant g_m."""
        return self._decision
