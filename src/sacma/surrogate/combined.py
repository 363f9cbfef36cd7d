"""Models of f and of each constraint, combined into one of a merit that ranks points by all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sacma.surrogate.archive import Merit
from sacma.surrogate.model import FitStatus, Fitted, Model, Posterior, slope_of
from sacma.surrogate.models import GaussianProcessModel
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array


@dataclass(frozen=True)
class ConstantFit:
    """The fit of values that are all the same."""

    value: float

    def again(self, training: TrainingSet) -> "Fitted | FitStatus":
        """Return a model of other points, which need not be the same any more; see ``Refitted``."""
        found = GaussianProcessModel().fit(training, None)
        return self if found is FitStatus.CONSTANT_VALUES else found

    def predict(self, inputs: Array) -> Array:
        """Return the value for each of ``inputs``."""
        return np.full(len(inputs), self.value)

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the value and a gradient of zeros."""
        return self.value, np.zeros(len(point))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the value without any variance."""
        n = len(inputs)
        return Posterior(np.zeros(n), np.zeros((n, n) if joint else n), noise=0.0, center=self.value)

    def search(self) -> Mapping[str, int | str]:
        """Return no cost: there is no search."""
        return {}


@dataclass(frozen=True)
class CombinedFit:
    """Fits of f and of m constraints as one of their merit; see ``Fitted``."""

    parts: Sequence[Fitted]  # of f, then of the constraints
    merit: Merit

    def outcomes(self, inputs: Array) -> Array:
        """Return the predictions of f and of the constraints at whitened ``inputs``, shape (n, 1 + m)."""
        return np.column_stack([part.predict(inputs) for part in self.parts])

    def deviations(self, inputs: Array) -> Array:
        """Return the standard deviations of the outcomes at whitened ``inputs``, shape (n, 1 + m)."""
        columns = []
        for part, predicted in zip(self.parts, self.outcomes(inputs).T, strict=True):
            posterior = part.posterior(inputs, joint=False)
            columns.append(np.sqrt(np.maximum(posterior.variance, 0.0)) * _unit(posterior, predicted))
        return np.column_stack(columns)

    def predict(self, inputs: Array) -> Array:
        """Return the merit of the predictions at whitened ``inputs``, shape (n, D)."""
        return self.merit(self.outcomes(inputs))

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the predicted merit at a whitened ``point`` and its gradient; see ``SmoothFit``."""
        pairs = [slope_of(part)(point) for part in self.parts]
        outcomes = np.array([[value for value, _ in pairs]])
        return float(self.merit(outcomes)[0]), self.merit.slopes(outcomes)[0] @ np.array([slope for _, slope in pairs])

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior of the merit, which is taken for linear around the predictions."""
        outcomes = self.outcomes(inputs)
        covariance: Any = 0.0
        noise = 0.0
        for part, predicted, slope in zip(self.parts, outcomes.T, self.merit.slopes(outcomes).T, strict=True):
            posterior = part.posterior(inputs, joint=joint)
            with np.errstate(over="ignore", invalid="ignore"):  # of huge values
                factor = slope * _unit(posterior, predicted)
                covariance = covariance + posterior.covariance * (np.outer(factor, factor) if joint else factor**2)
                noise += posterior.noise * float(np.mean(factor**2))
        return Posterior(self.merit(outcomes), np.nan_to_num(covariance), float(np.nan_to_num(noise)))

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of all searches for hyperparameters, by column of the trace; texts are of f's."""
        found = [part.search() for part in self.parts]
        return {
            key: sum(int(one.get(key, 0)) for one in found) if isinstance(value, int) else value
            for key, value in found[0].items()
        }


def _unit(posterior: Posterior, predicted: Array) -> Array | float:
    """Return the change of an outcome a unit of its standardised value, at each of the predicted ones."""
    log_slopes = getattr(posterior.warp, "log_slopes", None)
    return posterior.scale if log_slopes is None else posterior.scale * np.exp(-log_slopes(predicted))


class CombinedModel:
    """Models of f and of m constraints; see ``Model``. Values of its training sets are outcomes, shape (n, 1 + m)."""

    def __init__(self, parts: Sequence[Model], merit: Merit) -> None:
        self._parts = parts
        self._merit = merit

    def fit(self, training: TrainingSet, whitening: Whitening) -> CombinedFit | FitStatus:
        """Fit all models; constraints may be constant."""
        fits: list[Fitted] = []
        for part, column in zip(self._parts, training.values.T, strict=True):
            fit = part.fit(replace(training, values=np.ascontiguousarray(column)), whitening)
            if fit is FitStatus.CONSTANT_VALUES:
                fits.append(ConstantFit(float(column[0])))
            elif isinstance(fit, FitStatus):
                return fit
            else:
                fits.append(fit)
        return CombinedFit(fits, self._merit)

    def keep(self, fitted: CombinedFit, whitening: Whitening) -> None:
        """Remember all fits that were accepted."""
        for part, fit in zip(self._parts, fitted.parts, strict=True):
            if not isinstance(fit, ConstantFit):
                part.keep(fit, whitening)

    def forget(self) -> None:
        """Forget all earlier fits."""
        for part in self._parts:
            part.forget()
