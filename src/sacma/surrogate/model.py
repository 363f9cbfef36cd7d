"""The interface of models: fitting, predictions, and outcomes of a training."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

LEAST_VARIANCE = 1e-12  # of standardised values: below, the variance of a prediction is mostly rounding

# Of central differences in the whitened space: one-sided ones are mostly rounding near the optimum.
STEP = float(np.finfo(float).eps ** (1 / 3))


class FitStatus(StrEnum):
    """Outcome of a training."""

    TRAINED = "trained"
    TOO_FEW_POINTS = "too few points"
    CONSTANT_VALUES = "constant values"
    NO_FACTOR = "no factor"
    CONSTANT_PREDICTION = "constant prediction"
    NARROW_PREDICTION = "narrow prediction"


@dataclass(frozen=True)
class Posterior:
    """Normal distribution of the values at some points, standardised as (w(value) − center)/scale.

    It is joint, or that of each point by itself, which is all that some criteria need and costs less. w is increasing;
    models that do not warp values have the identity.
    """

    mean: Array  # of the noise-free function, shape (n,)
    covariance: Array  # of the noise-free function, shape (n, n); if not joint its diagonal, shape (n,)
    noise: float  # σ_n², the additional variance of an observed value
    center: float = 0.0  # in the units of w
    scale: float = 1.0  # in the units of w
    warp: Callable[[Array], Array] = field(default=np.asarray)  # w

    @property
    def variance(self) -> Array:
        """Variance of the noise-free function at each point, shape (n,)."""
        return self.covariance if self.covariance.ndim == 1 else np.asarray(np.diagonal(self.covariance))

    def standardised(self, values: Array) -> Array:
        """Return ``values`` of the objective in the units of ``mean``."""
        return np.asarray((self.warp(values) - self.center) / self.scale)

    def log_densities(self, values: Array, unit: float = 1.0) -> Array:
        """Return the log density of each of ``values``, shape (n,), by itself, in a multiple of the units of w.

        For that in the objective's units add ln w′.

        >>> standard_normal = Posterior(mean=np.zeros(1), covariance=np.eye(1), noise=0.0)
        >>> np.round(standard_normal.log_densities(np.array([0.0])), 6).tolist()
        [-0.918939]
        """
        variance = np.maximum(self.variance, 0.0) + self.noise + LEAST_VARIANCE
        squares = (self.standardised(values) - self.mean) ** 2 / variance
        return np.asarray(-0.5 * (squares + np.log(2.0 * np.pi * variance)) - np.log(self.scale / unit))


class Fitted(Protocol):
    """A model fitted to a training set."""

    def predict(self, inputs: Array) -> Array:
        """Return the predictions at whitened ``inputs``, shape (n, D), in the objective's units, shape (n,)."""

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior at whitened ``inputs``, shape (n, D); controls that pick points for f need it."""

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of the search for hyperparameters, by column of the trace."""


@runtime_checkable
class SmoothFit(Protocol):
    """A fitted model that knows its gradient."""

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the prediction at a whitened ``point``, shape (D,), in the objective's units, and its gradient."""


@runtime_checkable
class Refitted(Protocol):
    """A fitted model that can be fitted to other points."""

    def again(self, training: TrainingSet) -> Fitted | FitStatus:
        """Return a model of this kind of ``training``, whitened as before, or the reason for having none."""


class ScoredFit(Fitted, Protocol):
    """A fitted model that can be compared with others by the values that it foresaw."""

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the log density of each of ``values``, shape (n,), observed at whitened ``inputs``, shape (n, D).

        In the objective's units, so that those of models that standardise or warp differently can be compared.
        """


class Model(Protocol):
    """A kind of regression; it may keep a memory from one fit to the next."""

    def fit(self, training: TrainingSet, whitening: Whitening) -> Fitted | FitStatus:
        """Fit to ``training``, with inputs whitened by ``whitening``, or return the reason for having no fit."""

    def keep(self, fitted: Any, whitening: Whitening) -> None:
        """Remember a fitted model that was accepted."""

    def forget(self) -> None:
        """Forget all earlier fits: a new run begins."""


def unit_of(values: Array) -> float:
    """Return the power of two that is nearest to the largest of ``values``, shape (n,): likelihoods are in such units.

    So f multiplied by a power of two has the same likelihoods, to the bit.
    """
    return float(np.ldexp(1.0, np.clip(np.frexp(np.max(np.abs(values)))[1], -1000, 1000)))


def slope_of(fitted: Fitted) -> Callable[[Array], tuple[float, Array]]:
    """Return a function of a whitened point, shape (D,), that gives the prediction and its gradient.

    The gradient is the model's own, or by central differences.
    """
    if isinstance(fitted, SmoothFit):
        return fitted.value_and_gradient

    def by_differences(point: Array) -> tuple[float, Array]:
        D = len(point)
        shifts = STEP * np.eye(D)
        values = fitted.predict(np.vstack([point, point + shifts, point - shifts]))
        return float(values[0]), (values[1 : D + 1] - values[D + 1 :]) / (2.0 * STEP)

    return by_differences
