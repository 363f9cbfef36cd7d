"""The best point of a run so far, by its constraints and its value."""

import math
from typing import NamedTuple

import numpy as np

from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation
from sacma.strategy.lagrangian import violations
from sacma.surrogate.whitening import Array


class Best(NamedTuple):
    """A point and its standing: of two, that with the smaller violation, then value, then number is the better one."""

    violation: float  # the largest of a constraint; 0 where all are kept
    value: float  # of f; inf where none is known
    number: int  # of the evaluation; 0: a point of the archive
    point: Array  # shape (D,)

    @property
    def found(self) -> bool:
        """True if the point has a value and keeps all constraints."""
        return self.violation == 0.0 and math.isfinite(self.value)

    def after(self, number: int, point: Array, evaluation: Evaluation, equalities: tuple[bool, ...]) -> "Best":
        """Return the best after an evaluation that did not fail."""
        violation = float(violations(np.array([evaluation.constraints]), equalities)[0]) if equalities else 0.0
        better = (violation, evaluation.value, number) < self[:3]
        return Best(violation, evaluation.value, number, point) if better else self


def best_at_start(call: Call) -> Best:
    """Return the best of the archive; without one x₀, of which nothing is known."""
    if call.archive is None:
        return Best(math.inf if call.equalities else 0.0, math.inf, 1, call.x0)
    X, y, *constraints = call.archive
    violation = violations(constraints[0], call.equalities) if constraints else np.zeros(len(y))
    best = int(np.lexsort((y, violation))[0])
    return Best(float(violation[best]), float(y[best]), 0, X[best])
