"""A Gaussian process whose covariance is a stationary one plus that of a random quadratic function.

| symbol | here       | meaning                                                           |
| ------ | ---------- | ----------------------------------------------------------------- |
| z      |            | whitened inputs                                                   |
| q      | ``norm``   | mean squared norm of the training inputs                          |
| ρ      | ``weight`` | variance of the quadratic function where ‖z‖² = q, over s_f²      |
| T      | ``trend``  | covariance of the quadratic function, ρ (1 + zᵀz′/q)²/4           |

A Gaussian process with the covariance T alone is Bayesian regression by all quadratic polynomials. With M + T + ηI the
model is such a regression where f is nearly quadratic, and its residuals are a Gaussian process; the likelihood
decides on ρ.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtrtrs

from sacma.surrogate.compiled import compiled, inlined_sums
from sacma.surrogate.gaussian_process import MOST_EVALUATIONS, Hyperparameters, Search, standardise
from sacma.surrogate.levels import Leveled, LeveledFit, search_levels
from sacma.surrogate.likelihood import correlations
from sacma.surrogate.model import FitStatus, Posterior
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

WEIGHTS = tuple(3.0**power for power in range(-12, 13))
"""ρ by level."""

FIRST_LEVELS = (8, 12, 16)
"""Of ρ about 0.01, 1 and 100."""


@dataclass(frozen=True)
class QuadraticProcess(LeveledFit):
    """A trained model, whose process has the factor of the sum of both covariances; see ``fit_quadratic_process``."""

    norm: float  # q

    @property
    def weight(self) -> float:
        """ρ."""
        return WEIGHTS[self.hyperparameters.level]

    def _trend(self, points: Array, others: Array) -> Array:
        return self.weight * np.asarray(quadratic_covariance(points, others, self.norm))

    def predict(self, inputs: Array) -> Array:
        """Return the posterior mean at whitened ``inputs``, shape (n, D), in the objective's units."""
        points, p = np.ascontiguousarray(inputs), self.process
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(p.predict(points) + p.scale * (self._trend(points, p.inputs) @ p.weights))

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the prediction at a whitened ``point`` and its gradient; see ``SmoothFit``."""
        p = self.process
        value, gradient = p.value_and_gradient(point)
        roots = 0.5 + 0.5 * (p.inputs @ point) / self.norm
        factor = p.scale * self.weight
        trend_gradient = (p.weights * roots) @ p.inputs / self.norm
        return value + factor * float(p.weights @ roots**2), gradient + factor * trend_gradient

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior at whitened ``inputs``, shape (n, D), of standardised values."""
        points, p = np.ascontiguousarray(inputs), self.process
        length = p.hyperparameters.length
        to_known = correlations(points, p.inputs, length) + self._trend(points, p.inputs)
        solved, _ = dtrtrs(p.factor, to_known.T, lower=1)
        if joint:
            remaining = correlations(points, points, length) + self._trend(points, points)
            remaining -= solved.T @ solved
        else:
            roots = 0.5 + 0.5 * (points**2).sum(axis=1) / self.norm
            remaining = 1.0 + self.weight * roots**2 - (solved**2).sum(axis=0)
        return Posterior(
            mean=p.mean + to_known @ p.weights,
            covariance=p.signal * remaining,
            noise=p.signal * p.hyperparameters.ratio,
            center=p.center,
            scale=p.scale,
        )

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the log density of each of ``values`` at whitened ``inputs``; see ``ScoredFit``."""
        return self.posterior(inputs, joint=False).log_densities(values)


def fit_quadratic_process(
    training: TrainingSet,
    *,
    start: Hyperparameters,
    warm: Leveled | None = None,
    warm_evaluations: int = MOST_EVALUATIONS,
) -> QuadraticProcess | FitStatus:
    """Fit to n ≥ 2 points by maximum likelihood over ℓ, η and ρ, or return the reason for having no fit."""
    standardised = standardise(training.values)
    inputs = np.ascontiguousarray(training.inputs)
    norm = float((inputs**2).sum(axis=1).mean())
    if standardised[2] == 0.0 or not norm > 0.0:
        return FitStatus.CONSTANT_VALUES
    unit = np.asarray(quadratic_covariance(inputs, inputs, norm))

    def searched(level: int) -> tuple[Search, float]:
        return Search(inputs, standardised, WEIGHTS[level] * unit), 0.0

    found = search_levels(
        searched, last=len(WEIGHTS) - 1, first=FIRST_LEVELS, start=start, warm=warm, warm_evaluations=warm_evaluations
    )
    return found if isinstance(found, FitStatus) else QuadraticProcess(**vars(found), norm=norm)


@inlined_sums
def _product(a: Array, b: Array) -> float:
    total = 0.0
    for d in range(len(a)):
        total += a[d] * b[d]
    return total


@compiled
def quadratic_covariance(points: Array, others: Array, norm: float) -> Array:
    """Return (1 + zᵀz′/q)²/4 of whitened ``points``, shape (m, D), and ``others``, shape (n, D): shape (m, n)."""
    result = np.empty((len(points), len(others)))
    for i in range(len(points)):
        for j in range(len(others)):
            root = 0.5 + 0.5 * _product(points[i], others[j]) / norm
            result[i, j] = root * root
    return result
