"""Generation-based evolution control (Algorithm 1): generations evaluated by f and by the model take turns."""

import math
from dataclasses import dataclass
from typing import Protocol

from sacma.strategy.acceptance import can_rank
from sacma.strategy.control.base import Evaluation, no_better_than
from sacma.strategy.errors.base import JudgedPopulation
from sacma.strategy.population import Population
from sacma.strategy.training import TrainedModel


@dataclass(frozen=True)
class Decision:
    """The decision of a true-evaluated generation."""

    model_generations: int  # g_m
    error: float = math.nan  # ε of the earlier model; NaN where there was none, or where it is undefined
    smoothed_error: float = math.nan  # ε_s; NaN before the first error


class GenerationRule(Protocol):
    """Decides g_m; keeps its memory over restarts.

    ``judges``: it needs the predictions of the earlier model.
    """

    judges: bool

    def decide(self, judged: JudgedPopulation | None) -> Decision:
        """Return g_m, given the earlier model's predictions of the new population, where there is such a model."""


class LastModel:
    """f_M, replaced by each training: a training that fails leaves none."""

    def __init__(self) -> None:
        self.model: TrainedModel | None = None

    def replace(self, trained: TrainedModel | None) -> TrainedModel | None:
        """Take the result of a training and return the earlier model, to be judged now."""
        earlier, self.model = self.model, trained
        return earlier


class GenerationControl:
    """Algorithm 1, given a rule that decides g_m.

    ``raised_by``: factor of the amount by which predictions are raised to the best true value; 0: they stay.
    """

    def __init__(self, rule: GenerationRule, last: LastModel | None = None, raised_by: float = 0.0) -> None:
        self._rule = rule
        self._last = last or LastModel()
        self._raised_by = raised_by
        self._models_left = 0

    def forget_run(self) -> None:
        """Forget the model; the next generation is evaluated by f."""
        self._last.model = None

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population with f or the model (Algorithm 1, steps 2 to 11); see ``Control``."""
        if self._models_left and self._last.model is not None:  # step 2
            predicted = population.predict(self._last.model)  # step 9
            if self._raised_by:
                predicted = no_better_than(population.best_value, predicted, self._raised_by)
            if not can_rank(predicted):
                self._models_left = 0
                return None
            self._models_left -= 1  # steps 10 and 11
            return predicted
        yield from population.evaluate(population.unevaluated)  # steps 3 and 4
        trained = population.train()  # steps 5 and 6
        earlier = self._last.replace(trained)
        judged = population.judged(earlier) if earlier is not None and self._rule.judges else None
        decision = self._rule.decide(judged)  # Algorithms 2 and 3
        self._models_left = decision.model_generations if trained is not None else 0  # step 7
        population.note(
            model_generations=self._models_left, error=decision.error, smoothed_error=decision.smoothed_error
        )
        return population.values
