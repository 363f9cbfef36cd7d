"""Training of a surrogate on the archive (Algorithm 1, steps 5 and 6), whatever kind of regression it is.

| symbol | here          | meaning                                                     |
| ------ | ------------- | ----------------------------------------------------------- |
| 𝒜      | ``archive``   | all truly evaluated points                                  |
| f_M    | ``Model``     | a regression, and the whitening of the generation it is of  |
| ŷ      | result        | predicted values                                            |
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from sacma.files.import_object import import_object
from sacma.strategy.choices import SELECTIONS
from sacma.strategy.cma_es import CMAES
from sacma.strategy.settings import SurrogateSettings
from sacma.surrogate.archive import Archive
from sacma.surrogate.gaussian_process import FitStatus
from sacma.surrogate.training_set import Selection, TrainingSet, select_training_set
from sacma.surrogate.whitening import Array, Whitening


class Regression(Protocol):
    """What was fitted to a training set."""

    def predict(self, inputs: Array) -> Array:
        """Return the predictions at whitened ``inputs``, shape (n, D), in the objective's units."""

    def search(self) -> Mapping[str, int | str]:
        """Return what the search for its hyperparameters took, by the names of the trace."""


Fitted = TypeVar("Fitted", bound=Regression)
Fitted_co = TypeVar("Fitted_co", bound=Regression, covariant=True)


class Learner(Protocol[Fitted]):
    """A way to fit a regression to a training set, with a memory of the last one if it wants."""

    def fit(self, training: TrainingSet, whitening: Whitening) -> Fitted | FitStatus:
        """Fit to ``training``, the inputs of which are whitened by ``whitening``; or say why not."""

    def keep(self, fitted: Fitted, whitening: Whitening) -> None:
        """Take note of a regression that came to be used."""

    def forget(self) -> None:
        """Forget the last one: a new run begins."""


@dataclass(frozen=True)
class Model(Generic[Fitted_co]):
    """A regression and the whitening of the generation it was trained in."""

    fitted: Fitted_co
    whitening: Whitening

    def __call__(self, points: Array) -> Array:
        """Return the predictions ŷ at ``points``, shape (n, D)."""
        return self.fitted.predict(self.whitening(points))


@dataclass(frozen=True)
class Training(Generic[Fitted_co]):
    """The outcome of one training."""

    status: FitStatus
    model: Model[Fitted_co] | None = None
    size: int = 0

    def details(self) -> dict[str, int | str]:
        """Return what the trace says of it."""
        search = self.model.fitted.search() if self.model else {}
        return {"training_set_size": self.size, "fit_status": self.status, **search}


def can_rank(predicted: Array) -> bool:
    """Whether predictions are finite and differ by more than floating-point resolution."""
    lowest, highest = float(predicted.min()), float(predicted.max())
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return False
    return highest - lowest > 4.0 * sys.float_info.epsilon * max(abs(lowest), abs(highest))


def no_better_than(best_value: float, predicted: Array) -> Array:
    """Return ``predicted``, all raised by as much as their least lies below ``best_value``.

    The stop conditions of the strategy must not see a value better than any real one.
    """
    shift = best_value - float(predicted.min())
    with np.errstate(over="ignore", invalid="ignore"):
        return predicted + shift if shift > 0.0 else predicted


class Trainer(Generic[Fitted_co]):
    """Trains models, one after another.

    Args:
        settings: which points a model is trained on, and which model is rejected.
        learner: what fits it.
        rng: of selections that draw.
    """

    def __init__(self, settings: SurrogateSettings, learner: Learner[Fitted_co], rng: np.random.Generator) -> None:
        self._settings = settings
        self._learner = learner
        self._rng = rng
        self._selection: Selection = import_object(SELECTIONS[settings.selection])

    def forget(self) -> None:
        """Begin a run that knows nothing of the last model."""
        self._learner.forget()

    def train(self, archive: Archive, run: CMAES) -> Training[Fitted_co]:
        """Train a model for the population that ``run`` has asked for (Algorithm 1, steps 5 and 6)."""
        s, whitening = self._settings, run.whitening()
        D = len(whitening.mean)
        training_set = select_training_set(
            archive,
            whitening,
            radius=s.training_radius,
            required=s.n_req_factor * D,
            largest=s.n_max_factor * D,
            selection=self._selection,
            rng=self._rng,
        )
        if training_set is None:
            return Training(FitStatus.TOO_FEW_POINTS)
        fitted = self._learner.fit(training_set, whitening)
        if isinstance(fitted, FitStatus):
            return Training(fitted, size=len(training_set))
        model = Model(fitted, whitening)
        if s.rejected_model == "narrow":
            narrow = min(1e-8, 0.05 * float(np.ptp(training_set.values)))
            with np.errstate(over="ignore", invalid="ignore"):
                span = float(np.ptp(model(run.sample())))
            if not span >= narrow:  # nor where it is NaN
                return Training(FitStatus.NARROW_PREDICTION, size=len(training_set))
        elif not can_rank(model(run.sampled)):
            return Training(FitStatus.CONSTANT_PREDICTION, size=len(training_set))
        self._learner.keep(fitted, whitening)
        return Training(FitStatus.TRAINED, model, len(training_set))
