"""Doubly trained evolution control (DTS-CMA-ES): a few points of a generation have true values, the others predictions.

Bajer, Pitra, Repický, Holeňa, *Gaussian Process Surrogate Models for the CMA Evolution Strategy*, Evolutionary
Computation 27(4), 2019. A first model is trained on the archive, and a criterion picks points for f. A second model is
trained with their values and predicts the others.
"""

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sacma.strategy.acceptance import can_rank
from sacma.strategy.control.base import Control, Evaluation, RaisesPredictions, completed, most_worth
from sacma.strategy.criteria import AnyCriterion
from sacma.strategy.criteria.base import Criterion
from sacma.strategy.criteria.ranking_difference import ExpectedRankingDifference
from sacma.strategy.population import Population
from sacma.strategy.shares import AnyShare
from sacma.strategy.shares.base import Share
from sacma.strategy.shares.constant import ConstantShare
from sacma.surrogate.part import Context, Part


class DoublyTrained(Part):
    """Evaluation of a share of each population, chosen by a criterion, with f, and of the rest with a second model."""

    name: Literal["doubly-trained"] = "doubly-trained"
    share: Annotated[AnyShare, Field(description="α: share of a population that is evaluated with f")] = ConstantShare()
    criterion: Annotated[AnyCriterion, Field(description="measure that picks the points for f")] = (
        ExpectedRankingDifference()
    )
    raises_predictions: RaisesPredictions = False
    uses_model: ClassVar[bool] = True

    def build(self, context: Context) -> Control:
        """Return the control of one strategy."""
        return DoublyTrainedControl(self.criterion, self.share.build(context), raises=self.raises_predictions)

    def prepare(self) -> None:
        """Prepare the criterion."""
        self.criterion.prepare()


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
