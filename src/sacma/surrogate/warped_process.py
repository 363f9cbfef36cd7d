"""A Gaussian process of warped values (Snelson, Rasmussen, Ghahramani, NIPS 2004): ln(1 + (y − y_min)/c).

Values far above the best are compressed, differences near the best are not: f may grow by orders of magnitude within
the training set. c is one of some quantiles of y − y_min, or infinite (no warp), by maximum likelihood.
"""

from dataclasses import dataclass, replace

import numpy as np

from sacma.surrogate.gaussian_process import MOST_EVALUATIONS, Hyperparameters, Search, standardise
from sacma.surrogate.levels import Leveled, LeveledFit, search_levels
from sacma.surrogate.model import FitStatus, Posterior
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

QUANTILES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.03)
"""c as quantiles of y − y_min, from little to much warping; before all of them none."""

LEAST_SCALE = 1e-100  # of c, over the range of the values: no warped value overflows


@dataclass(frozen=True)
class Warp:
    """w(y) = ln(1 + (y − y_min)/c), below y_min continued by its tangent; y − y_min where c is infinite."""

    least: float  # y_min
    c: float

    def __call__(self, values: Array) -> Array:
        """Return warped values."""
        above = values - self.least
        if np.isinf(self.c):
            return np.asarray(above)
        return np.asarray(np.where(above > 0.0, np.log1p(np.maximum(above, 0.0) / self.c), above / self.c))

    def inverse(self, warped: Array) -> Array:
        """Return the values of warped ones, infinite where they are too large for a float."""
        if np.isinf(self.c):
            return np.asarray(self.least + warped)
        with np.errstate(over="ignore"):
            return np.asarray(self.least + self.c * np.where(warped > 0.0, np.expm1(warped), warped))

    def stretch(self, value: float) -> float:
        """Return 1/w′(y)."""
        return 1.0 if np.isinf(self.c) else self.c + max(value - self.least, 0.0)

    def log_slopes(self, values: Array) -> Array:
        """Return ln w′(y) of each value."""
        if np.isinf(self.c):
            return np.zeros(len(values))
        return np.asarray(-np.log(self.c) - np.log1p(np.maximum(values - self.least, 0.0) / self.c))


def warps(values: Array) -> list[Warp]:
    """Return the warps to choose from, from none to strong."""
    ordered = np.sort(values)
    least, last = float(ordered[0]), len(values) - 1
    scales = np.interp(np.multiply(QUANTILES, last), np.arange(last + 1), ordered - least)
    return [Warp(least, np.inf), *(Warp(least, float(c)) for c in scales if c > LEAST_SCALE * scales[0])]


@dataclass(frozen=True)
class WarpedProcess(LeveledFit):
    """A trained model, whose process is of warped values; see ``fit_warped_process``."""

    warp: Warp

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
        return self.posterior(inputs, joint=False).log_densities(values) + self.warp.log_slopes(values)


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
    inputs, choices = np.ascontiguousarray(training.inputs), warps(training.values)

    def searched(level: int) -> tuple[Search, float]:
        warp = choices[level]
        standardised = standardise(warp(training.values))
        change_of_values = warp.log_slopes(training.values).sum() - len(training) * np.log(standardised[2])
        return Search(inputs, standardised), float(change_of_values)

    last = len(choices) - 1
    found = search_levels(
        searched, last=last, first=range(0, last + 1, 2), start=start, warm=warm, warm_evaluations=warm_evaluations
    )
    if isinstance(found, FitStatus):
        return found
    return WarpedProcess(**vars(found), warp=choices[found.hyperparameters.level])
