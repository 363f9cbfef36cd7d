"""Gaussian processes with a third hyperparameter beside ℓ and η, one of a scale of levels.

At each training the level of the last model is kept, and one neighbour is tried: above or below, on the side that was
better last. The likelihood changes little from one training to the next, so that the level follows it at the
price of a few evaluations.

**Warped process** (Snelson, Rasmussen, Ghahramani, NIPS 2004): a process of warped values ln(1 + (y − y_min)/c). Values
far above the best are compressed, differences near the best are not: f may grow by orders of magnitude within the
training set. c is one of some quantiles of y − y_min, or infinite (no warp), by maximum likelihood.

**Quadratic process**: its covariance is a stationary one plus that of a random quadratic function.

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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dtrtrs

from sacma.surrogate.compiled import compiled, inlined_sums
from sacma.surrogate.gaussian_process import (
    MOST_EVALUATIONS,
    GaussianProcess,
    Hyperparameters,
    Search,
    SearchedFrom,
    standardise,
)
from sacma.surrogate.likelihood import correlations
from sacma.surrogate.model import FitStatus, Posterior, unit_of
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.warp import EXPANSIONS, Warp, warps
from sacma.types import Array

MOST_AT_NEIGHBOUR = 1  # most evaluations of the likelihood at a neighbouring level after the first


@dataclass(frozen=True)
class Leveled:
    """A start of the search: ℓ and η, the level, and the direction in which the next neighbour lies."""

    stationary: Hyperparameters
    level: int
    direction: int = 1  # 1 or −1

    def stretched(self, log_factor: float) -> "Leveled":
        """Return the same in a space in which all lengths are exp(``log_factor``) times as long."""
        return Leveled(self.stationary.stretched(log_factor), self.level, self.direction)


@dataclass(frozen=True)
class LeveledFit:
    """The most likely model found; models with a third hyperparameter are made of it."""

    process: GaussianProcess
    hyperparameters: Leveled  # start of the next search
    evaluations: int  # of the likelihood, in all searches

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of all searches for hyperparameters, by column of the trace."""
        return {**self.process.costs, "likelihood_evaluations": self.evaluations}


def search_levels(
    searched: Callable[[int], tuple[Search, float]],
    *,
    last: int,
    first: Sequence[int],
    start: Hyperparameters,
    warm: Leveled | None,
    warm_evaluations: int,
) -> LeveledFit | FitStatus:
    """Maximise the likelihood over ℓ, η and the level.

    Args:
        searched: returns a search at a level, and a constant to be added to its log likelihood.
        last: highest level; the lowest is 0.
        first: levels that are tried where there is no earlier model, or where it explains nothing any more.
        start: ℓ and η of the first search there; see ``Search.run_from_several``.
        warm: the last model's optimum.
        warm_evaluations: most evaluations of the likelihood in a search from there.
    """
    best, best_level, direction, evaluations = None, 0, 1, 0
    highest = float("-inf")

    def settle(level: int, run: Callable[[Search], object]) -> bool:
        nonlocal best, best_level, evaluations, highest
        search, constant = searched(level)
        run(search)
        evaluations += search.evaluations
        better = best is None or search.log_likelihood + constant > highest
        if better:
            best, best_level, highest = search, level, search.log_likelihood + constant
        return better

    if warm is not None:
        direction, level = warm.direction, min(warm.level, last)
        settle(level, lambda search: search.run(SearchedFrom.WARM, [warm.stationary], warm_evaluations))
        assert best is not None  # noqa: S101 the first is the best so far
        found, other = best.model(), level + direction
        if not isinstance(found, GaussianProcess) or not 0 <= other <= last:
            direction = -direction
        else:
            near = [found.hyperparameters]
            if not settle(other, lambda search: search.run(SearchedFrom.WARM, near, MOST_AT_NEIGHBOUR)):
                direction = -direction
    if best is None or not best.explains:
        for level in first:
            settle(level, lambda search: search.run_from_several(start))
    assert best is not None  # noqa: S101 several were tried
    model = best.model()
    if isinstance(model, FitStatus):
        return model
    return LeveledFit(model, Leveled(model.hyperparameters, best_level, direction), evaluations)


@dataclass(frozen=True)
class WarpedProcess(LeveledFit):
    """A trained model, whose process is of warped values; see ``fit_warped_process``."""

    warp: Warp

    def again(self, training: TrainingSet) -> "WarpedProcess | FitStatus":
        """Return a process of other points by a search from here; see ``Refitted``."""
        return fit_warped_process(training, start=self.hyperparameters.stationary, warm=self.hyperparameters)

    def predict(self, inputs: Array) -> Array:
        """Return the posterior median at whitened ``inputs``, shape (n, D), in the objective's units."""
        return self.warp.inverse(self.process.predict(inputs))

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the prediction at a whitened ``point`` and its gradient; see ``SmoothFit``."""
        warped, gradient = self.process.value_and_gradient(point)
        value = self.warp.inverse(np.array([warped]))
        return float(value[0]), gradient * self.warp.stretch(float(value[0]))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior at whitened ``inputs``, shape (n, D), of standardised warped values."""
        return replace(self.process.posterior(inputs, joint=joint), warp=self.warp)

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the log density of each of ``values`` at whitened ``inputs``; see ``ScoredFit``."""
        unit = unit_of(values)
        warped = self.posterior(inputs, joint=False).log_densities(values, self.warp.unit(unit))
        return warped + self.warp.log_slopes(values, unit)


def fit_warped_process(
    training: TrainingSet,
    *,
    start: Hyperparameters,
    warm: Leveled | None = None,
    warm_evaluations: int = MOST_EVALUATIONS,
) -> WarpedProcess | FitStatus:
    """Fit to n ≥ 2 points by maximum likelihood over ℓ, η and c, or return the reason for having no fit."""
    if standardise(training.values)[2] == 0.0:
        return FitStatus.CONSTANT_VALUES
    inputs, choices, unit = np.ascontiguousarray(training.inputs), warps(training.values), unit_of(training.values)

    def searched(level: int) -> tuple[Search, float]:
        warp = choices[level]
        standardised = standardise(warp(training.values))
        slopes = warp.log_slopes(training.values, unit)
        change_of_values = slopes.sum() - len(training) * np.log(standardised[2] / warp.unit(unit))
        return Search(inputs, standardised), float(change_of_values)

    last, none = len(choices) - 1, len(EXPANSIONS)
    found = search_levels(
        searched,
        last=last,
        first=[none - 2, *range(none, last + 1, 2)],
        start=start,
        warm=warm,
        warm_evaluations=warm_evaluations,
    )
    if isinstance(found, FitStatus):
        return found
    return WarpedProcess(**vars(found), warp=choices[found.hyperparameters.level])


WEIGHTS = tuple(3.0**power for power in range(-12, 13))  # ρ by level
FIRST_LEVELS = (8, 12, 16)  # of ρ about 0.01, 1 and 100


@dataclass(frozen=True)
class QuadraticProcess(LeveledFit):
    """A trained model, whose process has the factor of the sum of both covariances; see ``fit_quadratic_process``."""

    norm: float  # q

    def again(self, training: TrainingSet) -> "QuadraticProcess | FitStatus":
        """Return a process of other points by a search from here; see ``Refitted``."""
        return fit_quadratic_process(training, start=self.hyperparameters.stationary, warm=self.hyperparameters)

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
        return self.posterior(inputs, joint=False).log_densities(values, unit_of(values))


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
