"""Random search: what any algorithm must beat."""

import numpy as np

from sacma.algorithms.base import Problem
from sacma.algorithms.settings import RandomSearchSettings


def minimize(problem: Problem, _: RandomSearchSettings, rng: np.random.Generator) -> None:
    """Evaluate points uniform in the problem's box until ``problem`` ends the trial."""
    while True:
        problem(rng.uniform(problem.lower_bounds, problem.upper_bounds))
