"""Gaussian process with maximum-likelihood hyperparameters, each search warm-started at the last optimum."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sacma.surrogate.base import FitStatus, Model
from sacma.surrogate.covariances import CovarianceName
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

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
        Field(description="start the search at the last model's hyperparameters, while they explain anything"),
    ] = True

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return WarmStarted(self)

    def prepare(self) -> None:
        """Compile the code, or load it."""
        from sacma.surrogate.gaussian_process import load_compiled_code  # noqa: PLC0415 loads Numba

        load_compiled_code(self.covariance)


class WarmStarted:
    """Fits Gaussian processes, each search of the likelihood from the optimum of the last."""

    def __init__(self, settings: GaussianProcessModel) -> None:
        self._settings = settings
        self._last: Hyperparameters | None = None  # ℓ in the objective's own units: whitening changes

    def fit(self, training: TrainingSet, whitening: Whitening) -> "GaussianProcess | FitStatus":
        """Fit by maximum likelihood."""
        from sacma.surrogate.gaussian_process import Hyperparameters, fit_gaussian_process  # noqa: PLC0415 loads Numba

        s = self._settings
        warm = self._last.stretched(whitening.log_scale) if s.warm_start and self._last is not None else None
        start = Hyperparameters(s.length_start, (s.noise_std_start / s.signal_std_start) ** 2)
        return fit_gaussian_process(training, start=start, warm=warm, covariance=s.covariance)

    def keep(self, fitted: "GaussianProcess", whitening: Whitening) -> None:
        """Start the next search here."""
        self._last = fitted.hyperparameters.stretched(-whitening.log_scale)

    def forget(self) -> None:
        """Start the next search anew."""
        self._last = None
