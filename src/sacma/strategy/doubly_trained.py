"""Doubly trained evolution control (DTS-CMA-ES): a few points of a generation have true values, the others predictions.

Bajer, Pitra, Repický, Holeňa, *Gaussian Process Surrogate Models for the CMA Evolution Strategy*, Evolutionary
Computation 27(4), 2019. A first model is trained on the archive, and a criterion picks points for f. A second model is
trained with their values and predicts the others.

| symbol | here                | meaning                                                       |
| ------ | ------------------- | ------------------------------------------------------------- |
| α      | ``share``           | share of a population that is evaluated with f                |
| ε, ε_s | ``smoothed_error``  | error of the first model, and smoothed                        |
"""

import math
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from pydantic import Field

from sacma.strategy.control import Control, Evaluation, RaisesPredictions, completed, most_worth
from sacma.strategy.criteria import AnyCriterion, Criterion, ExpectedRankingDifference
from sacma.strategy.errors import ranking_difference
from sacma.strategy.population import Population
from sacma.strategy.training import can_rank
from sacma.surrogate.part import Context, Kinds, Part
from sacma.types import Array

# Of the adaptive share: α at first, and its limits; β, the weight of the newest error, and ε_s before the first.
FIRST, SMALLEST, LARGEST = 0.05, 0.04, 1.0
UPDATE_RATE, FIRST_ERROR = 0.3, 0.05

# Coefficients of ε_min and ε_max at 1, ln D, α, α ln D and α²: the regression of the published experiments.
GOOD = (0.11, -0.0092, -0.13, 0.044, 0.14)
BAD = (0.35, -0.047, 0.44, 0.044, -0.19)


class Share(Protocol):
    """Decides α; keeps its memory over restarts.

    ``judges``: it needs the first model's predictions of each population.
    """

    judges: bool

    @property
    def share(self) -> float:
        """α."""

    @property
    def smoothed_error(self) -> float:
        """ε_s; NaN without."""

    def judge(self, predicted: Array, values: Array) -> float:
        """Take the first model's predictions and the values after the second training; return ε."""


class ConstantShare(Part):
    """A constant share."""

    name: Literal["constant"] = "constant"
    value: Annotated[float, Field(gt=0, le=1, description="α: share of a population that is evaluated with f")] = 0.05
    judges: ClassVar[bool] = False
    smoothed_error: ClassVar[float] = math.nan

    @property
    def share(self) -> float:
        """α."""
        return self.value

    def judge(self, predicted: Array, values: Array) -> float:  # noqa: ARG002 one protocol
        """Return NaN."""
        return math.nan


class AdaptiveShare(Part):
    """A share between two limits that follows the smoothed error of the models (adaptive DTS-CMA-ES)."""

    name: Literal["adaptive"] = "adaptive"

    def build(self, context: Context) -> Share:
        """Return the share of one strategy."""
        return FollowingShare(context.dimension)


class FollowingShare:
    """α that grows linearly with the smoothed error, from α_min at ε_min to α_max at ε_max."""

    judges = True

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self.share = FIRST
        self.smoothed_error = FIRST_ERROR

    def judge(self, predicted: Array, values: Array) -> float:
        """Follow ε = RDE_μ(y, ŷ): ε_s ← (1 − β) ε_s + β ε; constant values have no error and change nothing."""
        if any(np.min(a) == np.max(a) for a in (predicted, values)):
            return math.nan
        error = ranking_difference(values, predicted, len(values) // 2)
        self.smoothed_error = (1.0 - UPDATE_RATE) * self.smoothed_error + UPDATE_RATE * error
        lowest, highest = error_limits(self._dimension, self.share)
        gain = min(max((self.smoothed_error - lowest) / (highest - lowest), 0.0), 1.0)
        self.share = SMALLEST + gain * (LARGEST - SMALLEST)
        return error


SHARES = Kinds(ConstantShare, AdaptiveShare, usual="constant")


def error_limits(dimension: int, share: float) -> tuple[float, float]:
    """Return ε_min and ε_max, the errors of good and of bad models, which depend on D and on the last α.

    >>> [round(limit, 4) for limit in error_limits(5, 0.05)]
    [0.0926, 0.2994]
    """
    log_D = math.log(dimension)
    terms = (1.0, log_D, share, share * log_D, share * share)
    lowest, highest = (sum(c * term for c, term in zip(of, terms, strict=True)) for of in (GOOD, BAD))
    return lowest, highest


class DoublyTrained(Part):
    """Evaluation of a share of each population, chosen by a criterion, with f, and of the rest with a second model."""

    name: Literal["doubly-trained"] = "doubly-trained"
    share: Annotated[Any, SHARES, Field(description="α: share of a population that is evaluated with f")] = (
        ConstantShare()
    )
    criterion: Annotated[AnyCriterion, Field(description="measure that picks the points for f")] = (
        ExpectedRankingDifference()
    )
    raises_predictions: RaisesPredictions = False

    def build(self, context: Context) -> Control:
        """Return the control of one strategy."""
        return DoublyTrainedControl(self.criterion, self.share.build(context), raises=self.raises_predictions)


class DoublyTrainedControl:
    """Evaluates each population partly with f and partly with a model."""

    def __init__(self, criterion: Criterion, share: Share, *, raises: bool) -> None:
        self._criterion = criterion
        self._share = share
        self._raises = raises

    def forget_run(self) -> None:
        """Forget nothing: α and the smoothed error stay."""

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        first, asked = None, population.unevaluated
        number = number_of(self._share.share, population.size)
        if (number < population.size or self._share.judges) and (model := population.train()) is not None:
            if self._share.judges:
                first = population.predict(model)  # ŷ
            if number < population.size:
                asked = most_worth(self._criterion, population, model, min(number, len(asked)))
        yield from population.evaluate(asked)
        values = population.values
        if len(population.unevaluated):
            second = population.train()
            if second is not None:
                values = completed(population, second, raises=self._raises)
            if not can_rank(values):
                yield from population.evaluate(population.unevaluated)
                values = population.values
        error = math.nan if first is None else self._share.judge(first, values)
        population.note(error=error, smoothed_error=self._share.smoothed_error)
        return values


def number_of(share: float, population_size: int) -> int:
    """Return ⌈α λ⌉, at least 1 and at most λ; a product that is whole but for rounding is whole.

    >>> [number_of(0.05, 8), number_of(0.07, 100), number_of(1.0, 8), number_of(1e-12, 8)]
    [1, 7, 8, 1]
    """
    return min(population_size, max(1, math.ceil(share * population_size - 1e-9)))
