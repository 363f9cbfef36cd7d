"""An optimizer of your own in the benchmark, by `--algorithm-file`; docs/own_algorithm.md has its contract."""

from typing import Annotated

import numpy as np
from pydantic import Field

import sacma
from sacma.algorithms.base import Problem


@sacma.algorithm("one-plus-one-es")
def one_plus_one(
    problem: Problem,
    rng: np.random.Generator,
    sigma0: Annotated[float, Field(gt=0, description="initial step size")] = 2.0,
    shrink: Annotated[float, Field(gt=0, lt=1, description="of the step size, after a failure")] = 0.85,
) -> None:
    """(1+1)-ES with the one-fifth success rule."""
    x, sigma = problem.initial_point(4), sigma0
    f = problem(x)
    while True:  # the problem ends it at the budget or the target
        y = x + sigma * rng.standard_normal(problem.dimension)
        f_y = problem(y)
        sigma *= shrink**-4 if f_y <= f else shrink
        if f_y <= f:
            x, f = y, f_y
        problem.log(sigma=sigma)
