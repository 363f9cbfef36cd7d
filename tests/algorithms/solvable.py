"""Problems that count their evaluations and end a trial, without COCO."""

from collections.abc import Callable

import numpy as np

from sacma.experiment.problem import TrialEnd
from sacma.strategy.generation import Generation
from sacma.types import Array


class CountedProblem:
    """A function of D variables with budget and target, see ``sacma.algorithms.base.Problem``."""

    def __init__(self, function: Callable[[Array], float], dimension: int, budget: int, target: float = 1e-8) -> None:
        self._function = function
        self._target = target
        self._best = np.inf
        self._rng = np.random.default_rng(7)
        self.dimension = dimension
        self.lower_bounds = np.full(dimension, -5.0)
        self.upper_bounds = np.full(dimension, 5.0)
        self.evaluations_left = budget
        self.points: list[Array] = []
        self.values: list[float] = []
        self.started_at: list[int] = []
        self.initial_points: list[Array] = []

    @property
    def target_hit(self) -> bool:
        """Whether the target has been reached."""
        return self._best <= self._target

    def __call__(self, point: Array) -> float:
        """Evaluate and remember, or end the trial."""
        if self.evaluations_left == 0 or self.target_hit:
            raise TrialEnd
        assert np.shape(point) == (self.dimension,)
        assert np.all(np.isfinite(point))
        self.evaluations_left -= 1
        self.points.append(np.array(point))
        self.values.append(float(self._function(point)))
        self._best = min(self._best, self.values[-1])
        return self.values[-1]

    def initial_point(self, half_width: float) -> Array:
        """Draw a point, and remember when."""
        self.started_at.append(len(self.points))
        self.initial_points.append(self._rng.uniform(-half_width, half_width, self.dimension))
        return self.initial_points[-1]

    def log(self, **values: float) -> None:
        """Keep nothing."""

    def trace(self, generation: Generation) -> None:
        """Keep nothing."""


def sphere(x: Array) -> float:
    return float(np.sum((x - 1.0) ** 2))


def rastrigin(x: Array) -> float:
    """Local optima everywhere: runs stop and others begin."""
    return float(np.sum(10 + x**2 - 10 * np.cos(2 * np.pi * x)))
