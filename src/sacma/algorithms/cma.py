"""The algorithms of the study: CMA-ES and S-CMA-ES on a counted problem."""

import numpy as np

from sacma.algorithms.problem import Problem
from sacma.strategy.scmaes import SurrogateCMAES
from sacma.strategy.settings import CMAESSettings


def minimize(problem: Problem, settings: CMAESSettings, rng: np.random.Generator) -> None:
    """Run (S-)CMA-ES on ``problem`` until its budget is used up or its target is hit."""
    strategy = SurrogateCMAES(
        settings,
        initial_point=lambda: problem.initial_point(settings.initial_range),
        box=(problem.lower_bounds, problem.upper_bounds),
        rng=rng,
        on_generation=problem.trace,
    )
    while not strategy.stopped:
        values: list[float] = []
        population = strategy.ask()
        for point in population:
            if problem.evaluations_left == 0 or problem.target_hit:
                break
            values.append(problem(point))
        if problem.evaluations_left == 0 or problem.target_hit:
            strategy.end(values)
            return
        strategy.tell(values)
