"""Learners: the ways to fit a regression that stands in for f."""

from typing import TYPE_CHECKING

import numpy as np

from sacma.strategy.settings import ForestSCMAESSettings, GaussianProcessSettings, SurrogateSettings
from sacma.strategy.training import Regression, Trainer
from sacma.surrogate.gaussian_process import FitStatus, GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

if TYPE_CHECKING:
    from sacma.surrogate.random_forest import RandomForest


class GaussianProcessLearner:
    """Fits Gaussian processes, each search of the likelihood from the optimum of the last."""

    def __init__(self, settings: GaussianProcessSettings) -> None:
        self._settings = settings
        self._warm: Hyperparameters | None = None  # ℓ in the objective's own units: whitening changes

    @property
    def start(self) -> Hyperparameters:
        """The settings' start of a search."""
        s = self._settings
        return Hyperparameters(s.length_start, (s.noise_std_start / s.signal_std_start) ** 2)

    def warm_start(self, whitening: Whitening) -> Hyperparameters | None:
        """Return the last optimum, as it is where ``whitening`` applies, if there is one and the settings use it."""
        if not self._settings.warm_start or self._warm is None:
            return None
        return self._warm.stretched(whitening.log_scale)

    def fit(self, training: TrainingSet, whitening: Whitening) -> GaussianProcess | FitStatus:
        """Fit by maximum likelihood."""
        s = self._settings
        return fit_gaussian_process(
            training,
            start=self.start,
            warm=self.warm_start(whitening),
            several_starts=s.likelihood_starts == "several",
            second_search_below=s.second_search_below,
        )

    def keep(self, fitted: GaussianProcess, whitening: Whitening) -> None:
        """Start the next search here."""
        self._warm = fitted.hyperparameters.stretched(-whitening.log_scale)

    def forget(self) -> None:
        """Start the next search anew."""
        self._warm = None


class ForestLearner:
    """Fits random forests, each from scratch and with a seed of its own from the trial's random numbers."""

    def __init__(self, settings: ForestSCMAESSettings, rng: np.random.Generator) -> None:
        self._settings = settings
        self._rng = rng

    def fit(self, training: TrainingSet, whitening: Whitening) -> "RandomForest | FitStatus":  # noqa: ARG002 one protocol
        """Grow the trees."""
        from sacma.surrogate.random_forest import fit_random_forest  # noqa: PLC0415 scikit-learn is an extra

        s = self._settings
        return fit_random_forest(training, trees=s.trees, leaf_size=s.leaf_size, seed=int(self._rng.integers(2**31)))

    def keep(self, fitted: "RandomForest", whitening: Whitening) -> None:
        """A forest tells nothing of the next."""

    def forget(self) -> None:
        """There is nothing to forget."""


def trainer_of(settings: SurrogateSettings, rng: np.random.Generator) -> Trainer[Regression]:
    """Return what trains the models that ``settings`` ask for."""
    if isinstance(settings, GaussianProcessSettings):
        return Trainer(settings, GaussianProcessLearner(settings), rng)
    if isinstance(settings, ForestSCMAESSettings):
        return Trainer(settings, ForestLearner(settings, rng), rng)
    raise TypeError(f"no learner for {type(settings).__name__}")
