"""The algorithms of the study, and others on CMA-ES: strategies with ask and tell on a counted problem."""

from collections.abc import Callable

import numpy as np

from sacma.algorithms.base import Problem
from sacma.strategy.archived import ArchivedCMAES
from sacma.strategy.dts import DoublyTrainedCMAES
from sacma.strategy.scmaes import SurrogateCMAES
from sacma.strategy.settings import CMAESSettings, DTSSettings


def minimize(problem: Problem, settings: CMAESSettings, rng: np.random.Generator) -> None:
    """Run (S-)CMA-ES on ``problem`` until its budget is used up or its target is hit."""
    _run(SurrogateCMAES, problem, settings, rng)


def minimize_doubly_trained(problem: Problem, settings: DTSSettings, rng: np.random.Generator) -> None:
    """Run DTS-CMA-ES on ``problem`` until its budget is used up or its target is hit."""
    _run(DoublyTrainedCMAES, problem, settings, rng)


def _run(
    kind: Callable[..., ArchivedCMAES], problem: Problem, settings: CMAESSettings, rng: np.random.Generator
) -> None:
    strategy = kind(
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
