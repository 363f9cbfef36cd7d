"""The strategy of the study on a counted problem, with and without a surrogate."""

import numpy as np

from sacma.algorithms.base import Problem
from sacma.strategy.settings import StrategySettings


def minimize(problem: Problem, settings: StrategySettings, rng: np.random.Generator) -> None:
    """Run CMA-ES with a surrogate on ``problem`` until its budget is used up or its target is hit."""
    from sacma.strategy.surrogate_cmaes import SurrogateStrategy  # noqa: PLC0415 not for a mere look at the registry

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
