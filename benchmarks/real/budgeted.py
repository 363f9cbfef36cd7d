"""Objective with a budget: it counts evaluations, keeps the best, and ends the run."""

import math
import time

import numpy as np

from .problem import Array, Problem


class BudgetUsedError(Exception):
    """Evaluation beyond the budget."""


class BudgetedObjective:
    """Objective of a problem on the unit cube, with at most ``budget`` evaluations."""

    def __init__(self, problem: Problem, budget: int) -> None:
        self.dimension = problem.dimension
        self.budget = budget
        self.evaluations = 0
        self.failures = 0
        self.improvements: list[tuple[int, float]] = []  # number of the evaluation, and its value
        self.seconds = 0.0  # of CPU, in the objective
        self._problem = problem
        self._worst = -math.inf  # finite value

    def __call__(self, x: Array) -> float:
        """Evaluate a point of the unit cube, shape (D,); inf is a failure."""
        if self.evaluations >= self.budget:
            raise BudgetUsedError
        self.evaluations += 1
        begun = time.process_time()
        value = self._problem.at(np.asarray(x, dtype=float))
        self.seconds += time.process_time() - begun
        if value == math.inf:
            self.failures += 1
            return value
        self._worst = max(self._worst, value)
        if not self.improvements or value < self.improvements[-1][1]:
            self.improvements.append((self.evaluations, value))
        return value

    def finite(self, x: Array) -> float:
        """Evaluate for an optimizer that cannot take inf: a failure gets the worst value so far."""
        value = self(x)
        if value < math.inf:
            return value
        return self._worst if self._worst > -math.inf else 1e10
