"""Approximate ranking: a population is evaluated with f in batches, until its ranking by a model hardly changes.

Runarsson, *Constrained Evolutionary Optimization by Approximate Ranking and Surrogate Models*, PPSN 2004; Kern, Hansen
and Koumoutsakos, *Local Meta-Models for Optimization Using Evolution Strategies*, PPSN 2006. They evaluate the best by
the model and watch these; here a criterion picks the points, and all ranks count.
"""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.control import Control, Evaluation, completed, most_worth
from sacma.strategy.criteria import AnyCriterion, OwnRank
from sacma.strategy.errors import ranks
from sacma.strategy.population import Population
from sacma.strategy.training import TrainedModel, can_rank
from sacma.surrogate.part import Context, Part
from sacma.types import Array, Indices

SOON = 2  # trainings of a population whose ranking settles at once
TRUSTED = 0.1  # largest change of its ranking with which the model may evaluate the next populations alone
MEMORY = 20  # points over which the error of first rankings is averaged, the newest counting most
FIRST_ERROR = 0.6  # into which the first ones are averaged: that of a model that is a help


class ApproximateRanking(Part):
    """Evaluation of points with f until the next ones hardly change the ranking of the population."""

    name: Literal["approximate-ranking"] = "approximate-ranking"
    largest_change: Annotated[float, Field(ge=0, le=2, description="mean change of ranks that ends evaluation")] = 0.2
    least_factor: Annotated[float, Field(ge=0, le=100, description="least evaluations/D of a wrong model")] = 0.0
    wrong_error: Annotated[float, Field(ge=0, le=10, description="error of a wrong model's first rankings")] = 0.775
    growth: Annotated[float, Field(ge=0, le=10, description="next points, as a share of those before")] = 0.2
    criterion: Annotated[AnyCriterion, Field(description="measure that picks the points to be evaluated")] = OwnRank()
    model_generations: Annotated[int, Field(ge=0, le=100, description="by the model alone after a success")] = 0
    quick_factor: Annotated[int, Field(ge=0, le=1000, description="known points/D until which one batch is enough")] = 0

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return ApproximateRankingControl(self)


class ApproximateRankingControl:
    """Evaluates each population with f as far as its ranking needs."""

    def __init__(self, settings: ApproximateRanking) -> None:
        self._settings = settings
        self._trusted: TrainedModel | None = None  # the last model, if it ranked the last population at once
        self._best = (0.0, -np.inf)  # standing of the best point after the last population
        self._left = 0  # generations that the trusted model may still evaluate
        self._error = FIRST_ERROR  # smoothed, of first rankings

    def forget_run(self) -> None:
        """Begin a run without the last model."""
        self._trusted = None

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``. Its error is the last change of the ranking."""
        if self._trusted is not None and population.standing < self._best:
            self._left = self._settings.model_generations  # by a proposal of that model
        self._best = population.standing
        if self._trusted is not None and self._left:
            self._left -= 1
            predicted = population.predict(self._trusted)
            if can_rank(predicted):
                return predicted
        values = yield from self._evaluate_with_f(population)
        self._best = population.standing
        return values

    def _evaluate_with_f(self, population: Population) -> Evaluation:
        self._trusted, self._left = None, 0
        quick = population.known < self._settings.quick_factor * population.dimension
        least = self._least(population.dimension)
        ranked: Array | None = None  # by the model before
        first: tuple[Array, Indices] | None = None  # first ranking, and the points without a value then
        trainings = 0
        while len(left := population.unevaluated):
            model = population.train()
            trainings += 1
            if model is not None:
                values = completed(population, model)
                change = np.inf
                if ranked is not None and can_rank(values):
                    change = rank_change(ranked, values)
                    population.note(error=change, smoothed_error=self._error)
                if quick and population.begun and can_rank(values):
                    return values
                if change <= self._settings.largest_change and population.size - len(left) >= least:
                    self._trusted = model if trainings == SOON and change <= TRUSTED else None
                    self._judge(first, values, left)
                    return values
                if first is None and can_rank(values):
                    first = values, left
                ranked = values
            yield from population.evaluate(self._next(population, model))
        self._judge(first, population.values, left)
        return population.values

    def _least(self, dimension: int) -> int:
        """Return the least number of points of a population to be evaluated with f, if it has as many.

        A ranking that settles says little of a large population: one new value can change that of λ = 25 points by a
        quarter at the most, so that a model without any skill would seem to have settled.
        """
        wrong = self._error >= self._settings.wrong_error
        return math.floor(self._settings.least_factor * dimension + 1e-9) if wrong else 0

    def _judge(self, first: tuple[Array, Indices] | None, values: Array, left: Indices) -> None:
        """Follow the error of the first ranking at the points evaluated with f since."""
        if first is None or not can_rank(values):
            return
        predicted, unknown = first
        is_left = np.zeros(len(values), dtype=bool)
        is_left[left] = True
        told = unknown[~is_left[unknown]]
        if len(told):
            kept = (1.0 - 1.0 / MEMORY) ** len(told)
            self._error = kept * self._error + (1.0 - kept) * rank_change(predicted, values, told)

    def _next(self, population: Population, model: TrainedModel | None) -> Indices:
        """Return the indices of the points that are next; without a model they are the first that have no value."""
        left = population.unevaluated
        number = min(len(left), max(1, math.ceil(self._settings.growth * (population.size - len(left)) - 1e-9)))
        if model is None:
            return left[:number]
        return most_worth(self._settings.criterion, population, model, number)


def rank_change(first: Array, second: Array, of: Indices | None = None) -> float:
    """Return the mean difference of ranks divided by its expectation for independent rankings, (λ² − 1)/(3 λ).

    It is over the points at the indices ``of``, or all. 0 for equal rankings; 1.5 λ²/(λ² − 1) for opposite ones of an
    even λ.

    >>> first, second = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    >>> round(rank_change(first, second), 9), round(rank_change(first, second, of=np.array([0])), 9)
    (0.75, 0.0)
    """
    size = len(first)
    differences = np.abs(ranks(first) - ranks(second))
    return float((differences if of is None else differences[of]).mean() * 3.0 * size / (size**2 - 1))
