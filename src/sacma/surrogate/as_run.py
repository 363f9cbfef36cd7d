"""The Gaussian process of the published code of the paper's authors; ``configs/as_run`` uses it."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sacma.surrogate.base import FitStatus, Model
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

if TYPE_CHECKING:
    from sacma.surrogate.gaussian_process import GaussianProcess


class GaussianProcessAsRun(Part):
    """Gaussian process whose likelihood search begins at the published start at every training."""

    name: Literal["gaussian-process-as-run"] = "gaussian-process-as-run"
    second_search_below: Annotated[
        float, Field(ge=0, description="search from several starts, too, if the log likelihood has grown by less")
    ] = 0.1

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return StartedAnew(self)

    def prepare(self) -> None:
        """Compile the code, or load it."""
        from sacma.surrogate.gaussian_process import load_compiled_code  # noqa: PLC0415 loads Numba

        load_compiled_code()


class StartedAnew:
    """Fits Gaussian processes, each search of the likelihood from ℓ = 0.5, s_f = 2, σ_n = 0.01."""

    def __init__(self, settings: GaussianProcessAsRun) -> None:
        self._settings = settings

    def fit(self, training: TrainingSet, whitening: Whitening) -> "GaussianProcess | FitStatus":  # noqa: ARG002 one protocol
        """Fit by maximum likelihood."""
        from sacma.surrogate.gaussian_process import (  # noqa: PLC0415 loads Numba
            Hyperparameters,
            Search,
            SearchedFrom,
        )
        from sacma.surrogate.likelihood import HyperparameterBounds  # noqa: PLC0415 loads Numba

        search = Search.of(training, bounds=HyperparameterBounds(mean_around_minimum=True))
        if isinstance(search, FitStatus):
            return search
        start = Hyperparameters(0.5, (0.01 / 2.0) ** 2)
        if search.run(SearchedFrom.START, [start]) < self._settings.second_search_below:
            search.run_from_several(start)
        return search.model()

    def keep(self, fitted: "GaussianProcess", whitening: Whitening) -> None:
        """Remember nothing."""

    def forget(self) -> None:
        """Forget nothing."""
