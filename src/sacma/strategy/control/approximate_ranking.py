"""Approximate ranking: f evaluates a population little by little, until its ranking by a model hardly changes.

Runarsson, *Constrained Evolutionary Optimization by Approximate Ranking and Surrogate Models*, PPSN 2004; Kern, Hansen
and Koumoutsakos, *Local Meta-Models for Optimization Using Evolution Strategies*, PPSN 2006. They evaluate the best by
the model and watch these; here a criterion picks the points, and all ranks count.
"""

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.acceptance import can_rank
from sacma.strategy.control.base import Control, Evaluation, RaisesPredictions, completed
from sacma.strategy.criteria import AnyCriterion
from sacma.strategy.criteria.base import Criterion, select_points
from sacma.strategy.criteria.ranking_difference import ExpectedRankingDifference
from sacma.strategy.errors.ranking_difference import ranks
from sacma.strategy.population import Population
from sacma.surrogate.part import Context, Part
from sacma.surrogate.whitening import Array


class ApproximateRanking(Part):
    """Evaluation of points with f until the next ones hardly change the ranking of the population."""

    name: Literal["approximate-ranking"] = "approximate-ranking"
    largest_change: Annotated[
        float,
        Field(ge=0, le=2, description="mean change of ranks, as a share of that of random ranks, at which f stops"),
    ] = 0.2
    growth: Annotated[
        float, Field(ge=0, le=10, description="points that f evaluates next, as a share of those evaluated before")
    ] = 0.2
    criterion: Annotated[AnyCriterion, Field(description="measure that picks the points for f")] = (
        ExpectedRankingDifference()
    )
    raises_predictions: RaisesPredictions = False
    uses_model: ClassVar[bool] = True

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return ApproximateRankingControl(self)

    def prepare(self) -> None:
        """Prepare the criterion."""
        self.criterion.prepare()


class ApproximateRankingControl:
    """Evaluates each population with f as far as its ranking needs."""

    def __init__(self, settings: ApproximateRanking) -> None:
        self._settings = settings
        self._criterion: Criterion = settings.criterion

    def forget_run(self) -> None:
        """Forget nothing: there is no memory."""

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        s, change = self._settings, math.nan
        while (model := population.train()) is None and len(population.unevaluated):
            yield from population.evaluate(population.unevaluated[: self._number(population)])
        if model is None:
            return population.values
        ranked = completed(population, model, raises=s.raises_predictions)
        while len(population.unevaluated) and not change <= s.largest_change:
            posterior = population.posterior(model)
            worth = self._criterion.worth(posterior, population.best_value, population.parents)
            worth = np.where(np.isnan(population.values), worth, -np.inf)
            yield from population.evaluate(select_points(worth, posterior, self._number(population)))
            model = population.train() if len(population.unevaluated) else model
            values = ranked if model is None else completed(population, model, raises=s.raises_predictions)
            if model is None or not can_rank(values):
                yield from population.evaluate(population.unevaluated)
                return population.values
            ranked, change = values, rank_change(ranked, values)
        population.note(error=change)
        return ranked

    def _number(self, population: Population) -> int:
        """Return how many points are next."""
        left = len(population.unevaluated)
        return min(left, max(1, math.ceil(self._settings.growth * (population.size - left) - 1e-9)))


def rank_change(first: Array, second: Array) -> float:
    """Return the mean difference of ranks divided by its expectation for independent rankings, (λ² − 1)/(3 λ).

    0 for equal rankings; 1.5 λ²/(λ² − 1) for opposite ones of an even λ.

    >>> round(rank_change(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 9)
    0.75
    """
    size = len(first)
    return float(np.mean(np.abs(ranks(first) - ranks(second))) * 3.0 * size / (size**2 - 1))
