"""The augmented Lagrangian of f and constraints: one value that ranks points by all of them.

Atamna, Auger, Hansen, *Linearly Convergent Evolution Strategies via Augmented Lagrangian Constraint Handling*, FOGA
2017, with pycma's adaptation of its coefficients (Dufossé and Hansen, *Augmented Lagrangian, Penalty Techniques and
Surrogate Modeling for Constrained Optimization with CMA-ES*, GECCO 2021). Where models of f and of all constraints
foresee an optimum, its multipliers are better known than by any updates, and take their place.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sacma.process_wide import quiet
from sacma.strategy.pycma import pycma
from sacma.types import Array

# Largest absolute value of an equality that counts as kept; an inequality is kept where it is at most 0.
EQUALITY_TOLERANCE = 1e-6

# Least μ_j in units of λ_j over the standard deviation of g_j in the population: there L is steep on both sides.
STEEPNESS = 2.0

LARGEST = 1e100  # of an outcome that coefficients are adapted by: its square is finite


def violations(constraints: Array, equalities: Sequence[bool] | Array, tolerance: float = EQUALITY_TOLERANCE) -> Array:
    """Return the largest violation at each of n points, shape (n,), 0 where all constraints are kept.

    Args:
        constraints: g ≤ 0 and h = 0, shape (n, m).
        equalities: True for h, m of them.
        tolerance: of an equality.

    >>> violations(np.array([[-1.0, 1e-7], [0.5, 0.0], [-1.0, -0.25]]), [False, True], 1e-6).round(3).tolist()
    [0.0, 0.5, 0.25]
    """
    equal = np.asarray(equalities, dtype=bool)
    amounts = np.where(equal, np.abs(constraints), constraints)
    amounts = np.where(amounts <= np.where(equal, tolerance, 0.0), 0.0, amounts)
    return np.asarray(np.max(amounts, axis=1, initial=0.0))


class Lagrangian:
    """f + Σ_j (λ_j g_j + μ_j g_j²/2), where an inequality g_j counts at least −λ_j/μ_j; see ``Merit``.

    >>> merit = Lagrangian(2, [False])
    >>> merit.multipliers, merit.penalties = np.array([1.0]), np.array([2.0])
    >>> merit(np.array([[3.0, 1.0], [3.0, -5.0]])).tolist()
    [5.0, 2.75]
    """

    def __init__(self, dimension: int, equalities: Sequence[bool]) -> None:
        self.equalities = np.array(equalities, dtype=bool)
        self.multipliers = np.zeros(len(self.equalities))  # λ
        self.penalties = np.zeros(len(self.equalities))  # μ
        self._adapted = _pycmas(dimension, self.equalities)
        self._foreseen: Array | None = None  # λ at the optimum of models

    def __call__(self, outcomes: Array) -> Array:
        """Return the Lagrangian of f and m constraints at each of n points, shape (n, 1 + m)."""
        with np.errstate(all="ignore"):  # failed evaluations are infinite, and huge values may overflow
            least = np.where(self.penalties > 0.0, -self.multipliers / self.penalties, 0.0)
            counted = np.where(self.equalities, outcomes[:, 1:], np.maximum(outcomes[:, 1:], least))
            return np.asarray(outcomes[:, 0] + counted @ self.multipliers + 0.5 * counted**2 @ self.penalties)

    def slopes(self, outcomes: Array) -> Array:
        """Return 1 and ∂L/∂g_j = λ_j + μ_j g_j, of an inequality at least 0, at each point, shape (n, 1 + m)."""
        slopes = self.multipliers + self.penalties * outcomes[:, 1:]
        slopes = np.where(self.equalities, slopes, np.maximum(slopes, 0.0))
        return np.column_stack([np.ones(len(outcomes)), slopes])

    def violations(self, outcomes: Array) -> Array:
        """Return the largest violation at each point, shape (n,)."""
        return violations(outcomes[:, 1:], self.equalities)

    def update(self, population: Array, centre: Array) -> bool:
        """Adapt λ and μ after a generation; return True if they have changed.

        Args:
            population: finite outcomes of the points evaluated last, shape (n, 1 + m).
            centre: outcomes, or predicted ones, where the distribution is, shape (1 + m,).
        """
        al = self._adapted
        latest = np.clip(np.vstack([population, centre]), -LARGEST, LARGEST)
        with quiet(), np.errstate(all="ignore"):  # of values that do not differ
            if not al.is_initialized or np.any(al.mu == 0.0):
                al.set_coefficients(latest[:-1, 0], latest[:-1, 1:])
            for outcome in latest:
                al(outcome[1:])  # counts where the penalty had an effect
            if np.all(np.isfinite(latest[-1])):
                al.update(latest[-1, 0], latest[-1, 1:])
            if self._foreseen is not None:
                al.lam[:] = self._foreseen
            least = STEEPNESS * np.abs(al.lam) / np.std(population[:, 1:], axis=0)
            penalties = np.fmax(al.mu, np.where(np.isfinite(least), least, 0.0))
        before = self.multipliers, self.penalties
        if np.all(np.isfinite([al.lam, penalties])):
            self.multipliers, self.penalties = al.lam.copy(), penalties
        return not all(map(np.array_equal, before, (self.multipliers, self.penalties)))

    def set_multipliers(self, multipliers: Array) -> None:
        """Take λ, shape (m,), of an optimum that models foresee, from the next ``update`` on."""
        self._foreseen = multipliers


def _pycmas(dimension: int, equalities: Array) -> Any:
    """Return pycma's adaptation of coefficients, which writes no files."""
    pycma()
    from cma.constraints_handler import AugmentedLagrangian  # noqa: PLC0415 loaded with pycma

    class WithoutLoggers(AugmentedLagrangian):  # type: ignore[misc]  # pycma is not typed
        def _init_(self) -> None:
            """Make no loggers: they make a folder."""
            self.logging = 0

    return WithoutLoggers(dimension, equalities)
