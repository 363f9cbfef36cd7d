"""Evolution control: the choice of generations, or points of a population, to be evaluated with f."""

from collections.abc import Generator, Sequence
from typing import Annotated, ClassVar, Literal, Protocol

import numpy as np
from pydantic import Field

from sacma.strategy.criteria import Criterion, select_points
from sacma.strategy.population import Population
from sacma.strategy.training import TrainedModel
from sacma.surrogate.part import Part, numbers_of
from sacma.types import Array, Indices

# Yields points, receives their values of f, and returns the values that rank a population.
Evaluation = Generator[Sequence[Array], Array, Array | None]


class Control(Protocol):
    """Evaluates one population after another with f, a model, or both."""

    def evaluate(self, population: Population) -> Evaluation:
        """Return the values that rank ``population``, shape (λ,); None to discard it and sample another.

        ``yield from population.evaluate(indices)`` evaluates points with f; ``population.values`` then holds theirs.
        """

    def forget_run(self) -> None:
        """Begin a run without the models of the last one; the errors of models are remembered."""


class NoControl(Part):
    """Evaluation of every point with f, as in plain CMA-ES."""

    name: Literal["none"] = "none"
    uses_model: ClassVar[bool] = False

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        yield from population.evaluate(population.unevaluated)
        return population.values

    def forget_run(self) -> None:
        """Forget nothing."""


RaisesPredictions = Annotated[bool, Field(description="raise predictions to the best true value, all by the same")]


def no_better_than(best_value: float, predicted: Array, factor: float = 1.0) -> Array:
    """Return predictions, all raised by the same amount so that none is below ``best_value``.

    The ranking stays; the stop conditions of CMA-ES then see no value better than any real one.

    Args:
        best_value: the lowest true value.
        predicted: shape (λ,).
        factor: multiplies the amount.
    """
    shift = best_value - float(predicted.min())
    with np.errstate(over="ignore", invalid="ignore"):
        return predicted + factor * shift if shift > 0.0 else predicted


def completed(population: Population, model: TrainedModel, *, raises: bool = False) -> Array:
    """Return the true values of a population and, of its other points, predictions, raised if ``raises``."""
    values, rest = population.values.copy(), population.unevaluated
    if len(rest):
        predicted = population.predict(model, rest)
        values[rest] = no_better_than(population.best_value, predicted) if raises else predicted
    return values


def most_worth(criterion: Criterion, population: Population, model: TrainedModel, number: int) -> Indices:
    """Return the indices, ascending, of ``number`` points of a population for f, of those that have no value yet."""
    posterior = population.posterior(model, joint=criterion.joint)
    worth = numbers_of(criterion, criterion.worth(posterior, population.parents), (population.size,), allowed="any")
    left = population.unevaluated
    return np.asarray(left[select_points(worth[left], posterior.variance[left], number)])
