"""Evaluation of a population from its best points by the model on, until the parents stay (lmm-CMA-ES).

Kern, Hansen and Koumoutsakos, *Local Meta-Models for Optimization Using Evolution Strategies*, PPSN 2006; the criterion
``set`` is of Bouzarkouna, Auger and Ding, *Investigating the Local-Meta-Model CMA-ES for Large Population Sizes*,
EvoApplications 2010.

| symbol | here         | meaning                                                            |
| ------ | ------------ | ------------------------------------------------------------------ |
| n_init | ``_first``   | points that are evaluated before the model is trained again        |
| n_b    | ``batch``    | points that follow each time, a tenth of the population            |
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.control import Control, Evaluation, completed
from sacma.strategy.population import Population
from sacma.surrogate.part import Context, Part
from sacma.types import Array, Indices

Stays = Annotated[
    Literal["ranking", "set"],
    Field(description="ranking of the parents; or these, and from a quarter of the population on the best point alone"),
]


class BestFirst(Part):
    """Evaluation of the best points by the model with f until the parents by the next model are the same."""

    name: Literal["best-first"] = "best-first"
    stays: Stays = "ranking"

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return BestFirstControl(self)


class BestFirstControl:
    """The approximate ranking of lmm-CMA-ES."""

    def __init__(self, settings: BestFirst) -> None:
        self._settings = settings
        self._first: int | None = None  # n_init; None: n_b

    def forget_run(self) -> None:
        """Begin with as few points as follow each time."""
        self._first = None

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population; see ``Control``."""
        if (model := population.train()) is None:
            yield from population.evaluate(population.unevaluated)
            return population.values
        batch = max(1, population.size // 10)
        first = batch if self._first is None else self._first
        values = completed(population, model)
        yield from population.evaluate(best_of(values, population.unevaluated, first))
        rounds = 0
        while len(population.unevaluated) and (model := population.train()) is not None:
            rounds += 1
            before, values = values, completed(population, model)
            if self._settled(before, values, population):
                break
            yield from population.evaluate(best_of(values, population.unevaluated, batch))
        else:
            yield from population.evaluate(population.unevaluated)
            values = population.values
        if rounds > 2:  # noqa: PLR2004 of the publication
            self._first = first + batch
        elif rounds < 2:  # noqa: PLR2004 idem
            self._first = max(first - batch, batch)
        return values

    def _settled(self, before: Array, after: Array, population: Population) -> bool:
        """Return whether the parents stay."""
        first, second = (np.argsort(values, kind="stable")[: population.parents] for values in (before, after))
        if self._settings.stays == "ranking":
            return bool(np.array_equal(first, second))
        evaluated = population.size - len(population.unevaluated)
        same = 4 * evaluated >= population.size or set(first) == set(second)
        return bool(same and first[0] == second[0])


def best_of(values: Array, among: Indices, number: int) -> Indices:
    """Return the indices of the lowest ``values``, so many ``among`` some."""
    return np.asarray(among[np.argsort(values[among], kind="stable")[:number]])
