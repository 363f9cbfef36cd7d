"""Random search, the baseline that any algorithm must beat."""

from typing import ClassVar

import numpy as np

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.surrogate.part import Settings


class RandomSearchSettings(Settings):
    """Settings of random search: none."""

    needs_box: ClassVar[bool] = True
    """The problem must have finite bounds."""


@algorithm
def random_search(problem: Problem, rng: np.random.Generator, settings: RandomSearchSettings) -> None:  # noqa: ARG001 one protocol
    """Points uniform in the problem's box."""
    while True:
        problem(rng.uniform(problem.lower_bounds, problem.upper_bounds))
