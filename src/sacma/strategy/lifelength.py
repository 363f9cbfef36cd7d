"""The lifelength of models in s*ACM-ES: generations that one evaluates, by the error of those before.

Loshchilov, Schoenauer and Sebag, *Self-Adaptive Surrogate-Assisted Covariance Matrix Adaptation Evolution Strategy*,
GECCO 2012, and *Intensive Surrogate Model Exploitation in Self-adaptive Surrogate-assisted CMA-ES*, GECCO 2013; the
constants and the numbers of generations and points are those of the code behind their results.
"""

import math
from typing import Annotated, Literal

from pydantic import Field

from sacma.strategy.control import Control, Evaluation
from sacma.strategy.errors import AnyError, Kendall
from sacma.strategy.generation_control import judge
from sacma.strategy.population import Population
from sacma.strategy.training import TrainedModel, can_rank
from sacma.surrogate.part import Context, Part

FIRST_ERROR = 0.5  # smoothed error before the first
TRUSTED = 4  # generations by one model, from which on their populations may be larger


def larger_by(dimension: int) -> int:
    """Return k_λ: ⌊10^(1 + log₂(D/10))⌋, 1 below ten dimensions.

    >>> [larger_by(D) for D in (5, 10, 15, 20, 40)]
    [1, 10, 38, 100, 1000]
    """
    return math.floor(10.0 ** (1.0 + math.log2(dimension / 10.0))) if dimension >= 10 else 1  # noqa: PLR2004


class Lifelength(Part):
    """Model-evaluated generations whose number falls linearly with the smoothed error, after some without a model."""

    name: Literal["lifelength"] = "lifelength"
    error: Annotated[AnyError, Field(description="ε: error measure of the last model's ranking")] = Kendall()
    error_threshold: Annotated[float, Field(gt=0, le=1, description="smoothed error from which there are none")] = 0.45
    update_rate: Annotated[float, Field(gt=0, le=1, description="weight of the newest error")] = 0.2
    max_model_generations: Annotated[int, Field(ge=1, le=1000, description="largest number, at error 0, plus 1")] = 20
    first_generations: Annotated[int, Field(ge=0, le=1000, description="of each run, evaluated by f")] = 10
    larger_populations: Annotated[bool, Field(description="by a trusted model, from ten dimensions on")] = False

    def build(self, context: Context) -> Control:
        """Return the control of one strategy."""
        return LifelengthControl(self, context)

    def generations_at(self, smoothed: float) -> int:
        """Return ⌊(1 − ε/ε_T) n_max⌋ − 1, at least 0.

        >>> [Lifelength().generations_at(error) for error in (0.0, 0.1, 0.4, 0.44)]
        [19, 14, 1, 0]
        """
        share = 1.0 - smoothed / self.error_threshold
        return max(0, math.floor(share * self.max_model_generations) - 1)


class LifelengthControl:
    """Evaluates generations by f, and between them by the model; each run begins anew."""

    def __init__(self, settings: Lifelength, context: Context) -> None:
        self._settings = settings
        self._measure = settings.error.build(context)
        self._larger_by = larger_by(context.dimension) if settings.larger_populations else 1
        self.forget_run()

    def forget_run(self) -> None:
        """Forget the model and its error."""
        self._model: TrainedModel | None = None
        self._smoothed = FIRST_ERROR
        self._generations = 0  # evaluated by f
        self._planned = self._left = 0  # generations that the next model, or the present one, may evaluate
        self._due = False  # f has evaluated the last generation: another model is to be trained

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        if self._due:
            self._model, self._due = population.train(), False
        if self._left and self._model is not None:
            self._left -= 1
            predicted = population.predict(self._model)
            if can_rank(predicted):
                larger = self._larger_by > 1 and self._planned >= TRUSTED
                return population.choose(self._model, self._larger_by) if larger else predicted
        yield from population.evaluate(population.unevaluated)
        self._generations += 1
        self._due = self._generations >= self._settings.first_generations - 1
        if self._model is not None:
            error = judge(self._measure, population.judged(self._model), self._settings.error.name)
            if not math.isnan(error):
                self._smoothed += self._settings.update_rate * (error - self._smoothed)
            self._planned = self._left = self._settings.generations_at(self._smoothed)
            population.note(error=error, smoothed_error=self._smoothed, model_generations=self._left)
        return population.values
