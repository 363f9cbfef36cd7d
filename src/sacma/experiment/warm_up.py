"""Warming up of an algorithm: a few evaluations before the first trial in a process, outside its time.

Imports, compiling, the first call of a library, tables that are read: whatever an algorithm leaves until it is needed
would else be in the CPU time of the first trial in a process.
"""

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from sacma.coco.suites import BBOB
from sacma.config.plan import TrialSpec
from sacma.experiment.problem import BudgetedProblem, TrialEnd
from sacma.surrogate.whitening import Array

DIMENSION = 2

EVALUATIONS = 40
"""Enough for a surrogate to be fitted and used."""

MOST_SECONDS = 1.0
"""CPU seconds from the first evaluation of a warm-up to its last: what is expensive is met soon."""

Run = Callable[[TrialSpec, BudgetedProblem], object]
"""Runs the algorithm of a spec on a problem; the spec decides the random numbers, too."""


def warm_up(spec: TrialSpec, run: Run) -> None:
    """Run the algorithm of a trial, with its settings, on a tiny problem, once a process; ``run`` runs algorithms.

    The random numbers are those of another place and seed. The trial will meet again what the algorithm raises; what
    ends its process, or does not end, is the trial's end as it would be later.
    """
    tiny = replace(spec, name=spec.algorithm, suite=BBOB.name, function=1, dimension=DIMENSION, instance=1, seed=0)
    _warm_up(replace(tiny, budget=EVALUATIONS, target=-np.inf, triggers=""), run)


@cache
def _warm_up(spec: TrialSpec, run: Run) -> None:
    # SystemExit and GeneratorExit are what the border of a trial takes for failures, too.
    with contextlib.suppress(Exception, SystemExit, GeneratorExit, TrialEnd):
        run(spec, _TinyProblem(spec))


class _Sphere:
    """Stands in for a COCO problem, whose state warming up must not touch."""

    lower_bounds = np.full(DIMENSION, -5.0)
    upper_bounds = np.full(DIMENSION, 5.0)

    def __call__(self, x: Array) -> float:
        return float(np.sum((x - 1.0) ** 2))


class _TinyProblem(BudgetedProblem):
    """Ends early where evaluations take long."""

    def __init__(self, spec: TrialSpec) -> None:
        super().__init__(spec, _Sphere(), f_opt=0.0)
        self._since: float | None = None

    def __call__(self, point: Array) -> float:
        """Evaluate; see ``BudgetedProblem``."""
        now = time.process_time()
        if self._since is None:
            self._since = now
        elif now - self._since > MOST_SECONDS:
            self.evaluations_left = 0
        return super().__call__(point)
