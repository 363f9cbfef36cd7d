"""A surrogate model of your own in sacma's strategy, by `--algorithm-file`; docs/own_algorithm.md explains it."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from scipy.interpolate import RBFInterpolator

import sacma
from sacma.algorithms.base import Problem
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.strategy.errors import Kendall
from sacma.strategy.generation_control import AdaptiveGenerations
from sacma.strategy.settings import AnyControl, StrategySettings
from sacma.surrogate.model import FitStatus, Posterior
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array


class RadialBasisFunctions(Part):
    """Interpolation by radial basis functions and a linear polynomial, of SciPy."""

    name: Literal["radial-basis"] = "radial-basis"
    kernel: Annotated[Literal["cubic", "thin_plate_spline"], Field(description="name of the function")] = "cubic"

    def build(self, context: Context) -> "RadialBasisFunctions":
        """Return the model of one trial: these settings, as it remembers nothing from one fit to the next."""
        return self

    def fit(self, training: TrainingSet, whitening: Whitening) -> "Interpolant | FitStatus":
        """Interpolate the values, or say why not."""
        try:
            interpolate = RBFInterpolator(training.inputs, training.values, kernel=self.kernel)
        except np.linalg.LinAlgError:
            return FitStatus.NO_FACTOR
        return Interpolant(interpolate, float(np.std(training.values)))

    def keep(self, fitted: "Interpolant", whitening: Whitening) -> None:
        """Remember nothing."""

    def forget(self) -> None:
        """Forget nothing."""


class Interpolant:
    """A fitted model, and the spread of the values that it was fitted to."""

    def __init__(self, interpolate: RBFInterpolator, spread: float) -> None:
        self.interpolate, self.spread = interpolate, spread

    def predict(self, inputs: Array) -> Array:
        """Return the predictions at whitened points, shape (n, D)."""
        return np.asarray(self.interpolate(inputs))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the predictions with one variance for all points: an interpolant knows nothing of its errors."""
        variances = np.full(len(inputs), self.spread**2)
        return Posterior(self.predict(inputs), np.diag(variances) if joint else variances, noise=0.0)

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of a search for hyperparameters: there are none."""
        return {}


class MySettings(StrategySettings):
    """All settings of the strategy; defaults are the paper's, but for the model and its type, and the control."""

    model: RadialBasisFunctions = RadialBasisFunctions()
    control: AnyControl = AdaptiveGenerations(error=Kendall())


@sacma.algorithm("rbf-cmaes")
def rbf_cmaes(problem: Problem, rng: np.random.Generator, settings: MySettings) -> None:
    """CMA-ES with radial basis functions under the paper's adaptive control."""
    surrogate_cmaes(problem, rng, settings)
