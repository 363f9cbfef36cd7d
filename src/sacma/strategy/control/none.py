"""No evolution control: all points are evaluated with f, as in plain CMA-ES."""

from typing import ClassVar, Literal

from sacma.strategy.control.base import Control, Evaluation
from sacma.strategy.population import Population
from sacma.surrogate.part import Context, Part


class NoControl(Part):
    """Evaluation of every point with f."""

    name: Literal["none"] = "none"
    uses_model: ClassVar[bool] = False

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return EveryPoint()


class EveryPoint:
    """Evaluates all points with f."""

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        yield from population.evaluate(population.unevaluated)
        return population.values

    def forget_run(self) -> None:
        """Forget nothing."""
