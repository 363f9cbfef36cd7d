"""Gaussian process with maximum-likelihood hyperparameters, each search warm-started at the last optimum."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sacma.surrogate.base import FitStatus, Model
from sacma.surrogate.covariances import CovarianceName
from sacma.surrogate.models.warm_start import WarmEvaluations, WarmStarted
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet

if TYPE_CHECKING:
    from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters

Positive = Annotated[float, Field(ge=1e-10, le=1e10)]


class GaussianProcessModel(Part):
    """Gaussian process with hyperparameters of maximum likelihood."""

    name: Literal["gaussian-process"] = "gaussian-process"
    covariance: Annotated[CovarianceName, Field(description="covariance function")] = "matern-5/2"
    length_start: Annotated[Positive, Field(description="ℓ at which the likelihood search starts")] = 0.5
    signal_std_start: Annotated[Positive, Field(description="s_f at its start")] = 2.0
    noise_std_start: Annotated[Positive, Field(description="σ_n at its start")] = 0.01
    warm_start: Annotated[
        bool,
        Field(description="start the search at the last model's hyperparameters, if they explain more than noise does"),
    ] = True
    warm_evaluations: WarmEvaluations = 40

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return WarmStarted(self._fit, warm_start=self.warm_start)

    def _fit(self, training: TrainingSet, warm: "Hyperparameters | None") -> "GaussianProcess | FitStatus":
        from sacma.surrogate.gaussian_process import Hyperparameters, fit_gaussian_process  # noqa: PLC0415 loads Numba

        start = Hyperparameters(self.length_start, (self.noise_std_start / self.signal_std_start) ** 2)
        return fit_gaussian_process(
            training, start=start, warm=warm, covariance=self.covariance, warm_evaluations=self.warm_evaluations
        )

    def prepare(self) -> None:
        """Compile the code, or load it."""
        from sacma.surrogate.gaussian_process import load_compiled_code  # noqa: PLC0415 loads Numba

        load_compiled_code(self.covariance)
