"""Gaussian process of warped values, with hyperparameters of maximum likelihood."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.surrogate.base import FitStatus, Model
from sacma.surrogate.covariances import CovarianceName
from sacma.surrogate.models.warm_start import WarmEvaluations, WarmStarted
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet

if TYPE_CHECKING:
    from sacma.surrogate.levels import Leveled
    from sacma.surrogate.warped_process import WarpedProcess


class WarpedProcessModel(Part):
    """Gaussian process with values warped by a logarithm, as far as is most likely."""

    name: Literal["warped-process"] = "warped-process"
    covariance: Annotated[CovarianceName, Field(description="covariance function")] = "matern-5/2"
    warm_evaluations: WarmEvaluations = 40

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return WarmStarted(self._fit)

    def prepare(self) -> None:
        """Compile the code, or load it."""
        inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.5]])
        fitted = self._fit(TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0, 9.0])), None)
        if not isinstance(fitted, FitStatus):
            fitted.predict(inputs)
            fitted.posterior(inputs)

    def _fit(self, training: TrainingSet, warm: "Leveled | None") -> "WarpedProcess | FitStatus":
        from sacma.surrogate.gaussian_process import Hyperparameters  # noqa: PLC0415 loads Numba
        from sacma.surrogate.warped_process import fit_warped_process  # noqa: PLC0415 loads Numba

        start = Hyperparameters(length=0.5, ratio=(0.01 / 2.0) ** 2)  # those of the plain Gaussian process
        return fit_warped_process(
            training, start=start, warm=warm, covariance=self.covariance, warm_evaluations=self.warm_evaluations
        )
