"""A quadratic model without mixed terms, by ridge regression."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.surrogate.model import FitStatus, Fitted, Model, Posterior
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array


class Quadratic(Part):
    """Settings of the quadratic model."""

    name: Literal["quadratic"] = "quadratic"
    ridge: Annotated[float, Field(gt=0, description="added to the diagonal of the normal equations")] = 1e-6

    def build(self, context: Context) -> Model:
        """Return the model of one strategy."""
        return Regression(self.ridge)


class Regression:
    """Fits each training set by itself."""

    def __init__(self, ridge: float) -> None:
        self._ridge = ridge

    def fit(self, training: TrainingSet, whitening: Whitening) -> Fitted | FitStatus:
        """Solve the normal equations."""
        X = features(training.inputs)
        inverse = np.asarray(np.linalg.inv(X.T @ X + self._ridge * np.eye(X.shape[1])), dtype=np.float64)
        coefficients = np.asarray(inverse @ X.T @ training.values, dtype=np.float64)
        return Fit(coefficients, inverse, float(np.var(training.values - X @ coefficients)) + 1e-12)

    def keep(self, fitted: Fitted, whitening: Whitening) -> None:
        """Remember nothing."""

    def forget(self) -> None:
        """Forget nothing."""


@dataclass(frozen=True)
class Fit:
    """Coefficients with their covariance, up to the variance of the residuals."""

    coefficients: Array
    inverse: Array
    variance: float

    def predict(self, inputs: Array) -> Array:
        """Return the values of the quadratic function."""
        return np.asarray(features(inputs) @ self.coefficients)

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return their distribution."""
        X = features(inputs)
        covariance = X @ self.inverse @ X.T if joint else np.sum(X @ self.inverse * X, axis=1)
        return Posterior(self.predict(inputs), self.variance * covariance, self.variance)

    def search(self) -> Mapping[str, int | str]:
        """Return an empty mapping: nothing is searched for."""
        return {}


def features(inputs: Array) -> Array:
    """Return 1, x and x², shape (n, 2 D + 1)."""
    return np.hstack([np.ones((len(inputs), 1)), inputs, inputs**2])
