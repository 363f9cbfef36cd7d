"""Random search, the baseline that any algorithm must beat."""

import numpy as np

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm


@algorithm
def random_search(problem: Problem, rng: np.random.Generator) -> None:
    """Points uniform in the problem's box."""
    while True:
        problem(rng.uniform(problem.lower_bounds, problem.upper_bounds))
