"""A COCO problem with a budget, a target and a memory of its improvements."""

import math
import time

import cocoex
import numpy as np

from sacma.coco import points
from sacma.coco.suites import SUITES
from sacma.config.plan import TrialSpec
from sacma.experiment.seeding import initial_points
from sacma.store.log import log_row
from sacma.strategy.generation import Generation
from sacma.types import Array


class TrialEnd(BaseException):
    """Ends an algorithm at the first evaluation too many; no ``Exception``, which an algorithm may catch."""


def optimal_value(spec: TrialSpec) -> float:
    """Return the optimal value of a trial's problem."""
    return points.optimal_value(SUITES[spec.suite], spec.function, spec.dimension, spec.instance)


class BudgetedProblem:
    """The problem of one trial; see ``sacma.algorithms.base.Problem`` for what an algorithm sees.

    Where f is noisy, Δf is that of the measured values, and never hits the target: it may be a lucky measurement.
    ``f_opt`` is the optimal value of the observed COCO problem. From its first evaluation on it may take some seconds
    by the clock; then it ends at the next.
    """

    def __init__(self, spec: TrialSpec, problem: cocoex.Problem, f_opt: float, seconds: float = math.inf) -> None:
        self._problem, self._seconds = problem, seconds
        self._end = math.inf
        self.f_opt = f_opt
        self._target = -math.inf if SUITES[spec.suite].noisy else spec.target
        self._initial_points = initial_points(spec)
        self.dimension = spec.dimension
        self.lower_bounds: Array = np.array(problem.lower_bounds)
        self.upper_bounds: Array = np.array(problem.upper_bounds)
        self.evaluations = 0
        self._budget = spec.budget
        self.best_delta_f = np.inf
        self.improved_at: list[int] = []
        self.improved_to: list[float] = []
        self.generations: list[Generation] = []
        self.logged: list[dict[str, float]] = []
        self.objective_seconds = 0.0

    @property
    def evaluations_left(self) -> int:
        """Number of evaluations that the budget has left."""
        return 0 if self.late else max(0, self._budget - self.evaluations)

    @property
    def late(self) -> bool:
        """True where it has taken longer than it may."""
        return self._end < math.inf and time.monotonic() > self._end

    @property
    def target_hit(self) -> bool:
        """The best Δf is at or below the final target."""
        return self.best_delta_f <= self._target

    def __call__(self, point: Array) -> float:
        """Evaluate, count, and remember an improvement; end the trial if it is over.

        Raises ValueError if ``point`` has the wrong shape or is not finite and real: COCO would not count it.
        """
        if self.evaluations_left == 0 or self.target_hit:
            raise TrialEnd
        if self.evaluations == 0:
            self._end = time.monotonic() + self._seconds
        x = np.asarray(np.nan if np.iscomplexobj(point) else point, dtype=float)
        if x.shape != (self.dimension,) or not np.isfinite(x).all():
            raise ValueError(f"evaluated at {point!r}; allowed: a finite real vector of length {self.dimension}")
        start = time.process_time()
        value = float(self._problem(x))
        self.objective_seconds += time.process_time() - start
        self.evaluations += 1
        delta_f = value - self.f_opt
        if delta_f < self.best_delta_f:
            self.best_delta_f = delta_f
            self.improved_at.append(self.evaluations)
            self.improved_to.append(delta_f)
        return value

    def initial_point(self, half_width: float) -> Array:
        """Draw the next of the initial points that all algorithms share."""
        return self._initial_points.uniform(-half_width, half_width, self.dimension)

    def log(self, **values: float) -> None:
        """Keep numbers for the record, with that of evaluations; raise ValueError where a name or value is none."""
        self.logged.append(log_row(self.evaluations, values))

    def trace(self, generation: Generation) -> None:
        """Keep a generation for the record."""
        self.generations.append(generation)
