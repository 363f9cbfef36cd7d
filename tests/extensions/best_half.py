"""f evaluates the half of each population that a model predicts to be best."""

from typing import Literal

import numpy as np

from sacma.strategy.control import Evaluation, no_better_than
from sacma.strategy.population import Population
from sacma.surrogate.part import Part


class BestHalf(Part):
    """f evaluates the better half, the model the rest."""

    name: Literal["best-half"] = "best-half"

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population."""
        model = population.train()
        if model is None:
            yield from population.evaluate(np.arange(population.size))
            return population.values
        predicted = population.predict(model)
        yield from population.evaluate(np.sort(np.argsort(predicted)[: population.parents]))
        predicted = no_better_than(population.best_value, predicted)
        return np.where(np.isnan(population.values), predicted, population.values)

    def forget_run(self) -> None:
        """Forget nothing."""
