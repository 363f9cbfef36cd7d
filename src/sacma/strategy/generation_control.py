"""Generation-based evolution control (Algorithm 1): generations evaluated by f and by the model take turns.

| symbol  | here                        | meaning                                                           |
| ------- | --------------------------- | ----------------------------------------------------------------- |
| f_M     | ``_model``                  | the last model                                                    |
| g_m     | ``_models_left`` at first   | model-evaluated generations after a true-evaluated one            |
| g_m^max | ``max_model_generations``   | most of them                                                      |
| ε, ε_s  | ``error``, ``_smoothed``    | error of the last model, and smoothed                             |
| ε_T     | ``error_threshold``         | smoothed error at and above which g_m is 0                        |
| r_u     | ``update_rate``             | weight of the newest error                                        |
| γ       | ``transfer``                | transfer function from 1 − ε_s/ε_T to the share of g_m^max        |
"""

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.control import Control, Evaluation
from sacma.strategy.errors import AnyError, JudgedPopulation, ModelError
from sacma.strategy.population import Population
from sacma.strategy.training import TrainedModel, can_rank
from sacma.surrogate.part import Context, Part
from sacma.types import Array

ROUNDING = 1e-9  # by which an error may be outside of [0, 1]


def T1(x: float) -> float:
    """T₁(x) = x.

    >>> T1(0.25)
    0.25
    """
    return x


def T2(x: float, k: float = 2.0) -> float:
    """T₂(x; k) = (x − ½)(1 + 1/k) / (|2(x − ½)| + 1/k) + ½, a sigmoid that grows steeper with k > 0.

    >>> T2(0.0), T2(0.5), T2(1.0)
    (0.0, 0.5, 1.0)
    """
    centered = x - 0.5
    return centered * (1.0 + 1.0 / k) / (abs(2.0 * centered) + 1.0 / k) + 0.5


# Transfer functions [0, 1] → [0, 1] by name (Figure 1).
TRANSFERS: Mapping[str, Callable[[float], float]] = {"T1": T1, "T2": T2}


class Generations(Part):
    """A constant number of model-evaluated generations after each true-evaluated one (S-CMA-ES: GP-1, GP-5)."""

    name: Literal["generations"] = "generations"
    model_generations: Annotated[int, Field(ge=0, le=1000, description="g_m, after each true generation")] = 1

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return GenerationControl(self.model_generations)


class GenerationControl:
    """Algorithm 1 with a constant g_m."""

    def __init__(self, model_generations: int) -> None:
        self._model_generations = model_generations
        self._model: TrainedModel | None = None
        self._models_left = 0

    def forget_run(self) -> None:
        """Forget the model; the next generation is evaluated by f."""
        self._model = None

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population with f or the model (Algorithm 1, steps 2 to 11); see ``Control``."""
        if self._models_left and self._model is not None:  # step 2
            predicted = self._predict(population, self._model)  # step 9
            if not can_rank(predicted):
                self._models_left = 0
                return None
            self._models_left -= 1  # steps 10 and 11
            return predicted
        yield from population.evaluate(population.unevaluated)  # steps 3 and 4
        trained = population.train()  # steps 5 and 6
        decided = self._decide(population, self._replace(trained))  # Algorithms 2 and 3
        self._models_left = decided if trained is not None else 0  # step 7
        population.note(model_generations=self._models_left)
        return population.values

    def _predict(self, population: Population, model: TrainedModel) -> Array:
        return population.predict(model)

    def _replace(self, trained: TrainedModel | None) -> TrainedModel | None:
        """Take the result of a training, and return the earlier model; a training that fails leaves none."""
        earlier, self._model = self._model, trained
        return earlier

    def _decide(self, population: Population, earlier: TrainedModel | None) -> int:  # noqa: ARG002 of subclasses
        """Return g_m."""
        return self._model_generations


class AdaptiveGenerations(Part):
    """Model-evaluated generations whose number g_m follows the smoothed error of the models (A-S-CMA-ES)."""

    name: Literal["adaptive-generations"] = "adaptive-generations"
    error: Annotated[AnyError, Field(description="ε: error measure of the last model's ranking")]
    transfer: Annotated[Literal["T1", "T2"], Field(description="γ: identity or sigmoid")] = "T2"
    error_threshold: Annotated[float, Field(gt=0, le=1, description="ε_T: smoothed error from which g_m is 0")] = 0.5
    update_rate: Annotated[float, Field(gt=0, le=1, description="r_u: weight of the newest error")] = 0.2
    max_model_generations: Annotated[int, Field(ge=1, le=1000, description="g_m^max, the largest g_m")] = 5

    def build(self, context: Context) -> Control:
        """Return the control of one strategy."""
        return AdaptiveControl(self, context)

    def generations_at(self, smoothed: float) -> int:
        """Return g_m at a smoothed error ε_s (Algorithm 3, steps 2 to 4)."""
        truncated = min(smoothed, self.error_threshold) / self.error_threshold  # step 2
        share = TRANSFERS[self.transfer](1.0 - truncated)  # step 3
        return round_half_up(share * self.max_model_generations)  # step 4


class AdaptiveControl(GenerationControl):
    """Algorithm 1 with a g_m that follows the smoothed error of the models, over restarts, too."""

    def __init__(self, settings: AdaptiveGenerations, context: Context, initial_error: float = math.nan) -> None:
        super().__init__(1)  # of the first model ever
        self._settings = settings
        self._measure: ModelError = settings.error.build(context)
        self._smoothed = initial_error
        self._judged = False

    def _decide(self, population: Population, earlier: TrainedModel | None) -> int:
        """Return g_m, given the earlier model, which is judged by its predictions of the population (Algorithm 3)."""
        self._judged |= earlier is not None
        error = (
            math.nan if earlier is None else judge(self._measure, population.judged(earlier), self._settings.error.name)
        )
        if not math.isnan(error):
            self._smoothed = self._smooth(error)  # step 1
        if not self._judged or math.isnan(self._smoothed):
            return self._model_generations
        population.note(error=error, smoothed_error=self._smoothed)
        return self._settings.generations_at(self._smoothed)

    def _smooth(self, error: float) -> float:
        """Return the next ε_s (Algorithm 3, step 1); without an initial one, the first error is taken as it is."""
        if math.isnan(self._smoothed):
            return error
        rate = self._settings.update_rate
        return (1.0 - rate) * self._smoothed + rate * error


def judge(measure: ModelError, judged: JudgedPopulation, name: str) -> float:
    """Return ε (Algorithm 2); NaN where it is undefined: constant y or ŷ, or a degenerate what-if update.

    Raises ValueError if a measure, of that name, returns anything but a number in [0, 1] or NaN.
    """
    if any(np.min(a) == np.max(a) for a in (judged.values, judged.predicted)):
        return math.nan
    try:
        error = measure(judged)
    except np.linalg.LinAlgError:
        return math.nan
    if not (math.isnan(error) or -ROUNDING <= error <= 1.0 + ROUNDING):
        raise ValueError(f"{name} returned the error {error}; allowed: 0 to 1, or NaN")
    return error


def round_half_up(x: float) -> int:
    """Round a non-negative number to the nearest integer, half away from zero.

    >>> [round_half_up(x) for x in (0.49, 0.5, 2.5)]
    [0, 1, 3]
    """
    return math.floor(x + 0.5)
