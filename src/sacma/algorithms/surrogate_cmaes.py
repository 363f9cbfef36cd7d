"""The strategy of the study on a counted problem, with and without a surrogate."""

import numpy as np

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy


@algorithm
def surrogate_cmaes(problem: Problem, rng: np.random.Generator, settings: StrategySettings) -> None:
    """CMA-ES with restarts, composed of a model, a training set, evolution control and proposals."""
    strategy = SurrogateStrategy(
        settings,
        initial_point=lambda: problem.initial_point(settings.restarts.initial_range),
        box=(problem.lower_bounds, problem.upper_bounds),
        rng=rng,
        on_generation=problem.trace,
    )
    while not strategy.stopped:
        values: list[float] = []
        for point in strategy.ask():
            if problem.evaluations_left == 0 or problem.target_hit:
                break
            values.append(problem(point))
        if problem.evaluations_left == 0 or problem.target_hit:
            strategy.end(values)
            return
        strategy.tell(values)
