"""Training of a model on the archive (Algorithm 1, steps 5 and 6), and the acceptance of trained models."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, Protocol

import numpy as np
from pydantic import Field, model_validator

from sacma.strategy.cma_es import CMAES
from sacma.surrogate.archive import Archive
from sacma.surrogate.model import FitStatus, Fitted, Model, Posterior
from sacma.surrogate.part import Part, Settings, numbers_of
from sacma.surrogate.training_set import AnySelection, Recent, Whitening, plausible, select_training_set
from sacma.types import Array


class TrainingSetSettings(Settings):
    """Archived points within a distance of m, reduced to a largest number by a selection."""

    radius: Annotated[float, Field(gt=0, description="r: largest Mahalanobis distance from m; .inf: no limit")] = 64.0
    n_req_factor: Annotated[int, Field(ge=1, le=1000, description="n_req = n_req_factor D + n_req_offset")] = 3
    n_req_offset: Annotated[int, Field(ge=0, le=1000, description="n_req − n_req_factor D")] = 0
    n_max_factor: Annotated[int, Field(ge=1, le=1000, description="n_max/D: most training points")] = 15
    selection: Annotated[AnySelection, Field(description="reduces more than n_max candidates to n_max")] = Recent()
    plausible: Annotated[bool, Field(description="without values out of all proportion, as of failures")] = False

    @model_validator(mode="after")
    def _room_for_a_training_set(self) -> "TrainingSetSettings":
        if self.n_max_factor < self.n_req_factor + self.n_req_offset:  # then n_req ≤ n_max in every dimension
            raise ValueError(
                f"n_max_factor is {self.n_max_factor}, less than n_req_factor + n_req_offset, "
                f"{self.n_req_factor} + {self.n_req_offset}; allowed: no more than n_max_factor"
            )
        return self


class Acceptance(Protocol):
    """A test that a model must pass to be used."""

    def judge(self, model: Callable[[Array], Array], run: CMAES, values: Array) -> FitStatus:
        """Return ``TRAINED`` or the reason for rejecting the model.

        Args:
            model: returns predictions at points, shape (n, D).
            run: with the population sampled for which the model was trained.
            values: training values, shape (n_tr,).
        """


class RanksPopulation(Part):
    """Acceptance of models whose predictions of the population are finite and differ."""

    name: Literal["ranks-population"] = "ranks-population"

    def judge(self, model: Callable[[Array], Array], run: CMAES, values: Array) -> FitStatus:  # noqa: ARG002 one protocol
        """Predict the population; see ``Acceptance``."""
        return FitStatus.TRAINED if can_rank(model(run.sampled)) else FitStatus.CONSTANT_PREDICTION


def can_rank(predicted: Array) -> bool:
    """Return whether predictions are finite and differ by more than floating-point resolution."""
    lowest, highest = float(predicted.min()), float(predicted.max())
    # False with NaN, and with infinity on both sides.
    return highest - lowest > 4.0 * sys.float_info.epsilon * max(abs(lowest), abs(highest))


@dataclass(frozen=True)
class TrainedModel:
    """f_M: a fitted model and the whitening of the generation in which it was trained."""

    fitted: Fitted
    whitening: Whitening
    points: Array = field(default_factory=lambda: np.empty((0, 0)))  # training points, shape (n, D)
    outcomes: Array = field(default_factory=lambda: np.empty(0))  # of f, shape (n,); with m constraints (n, 1 + m)

    def __call__(self, points: Array) -> Array:
        """Return the predictions ŷ at ``points``, shape (n, D); raise ValueError for any other number of them."""
        return numbers_of(self.fitted, self.fitted.predict(self.whitening(points)), (len(points),), allowed="any")

    def posterior(self, points: Array, *, joint: bool) -> Posterior:
        """Return the posterior at ``points``, shape (n, D)."""
        return self.fitted.posterior(self.whitening(points), joint=joint)


@dataclass(frozen=True)
class Training:
    """The outcome of one training."""

    status: FitStatus  # outcome
    model: TrainedModel | None = None  # f_M, or None
    size: int = 0  # n_tr

    def details(self) -> dict[str, int | str]:
        """Return the columns of the trace."""
        search = self.model.fitted.search() if self.model else {}
        return {"training_set_size": self.size, "fit_status": self.status, **search}


class Trainer:
    """Trains models, one after another; ``acceptance`` rejects useless ones."""

    def __init__(
        self, settings: TrainingSetSettings, model: Model, acceptance: Acceptance, rng: np.random.Generator
    ) -> None:
        self._settings = settings
        self._model = model
        self._acceptance = acceptance
        self._rng = rng

    def forget(self) -> None:
        """Begin a run without memory of the last model."""
        self._model.forget()

    def train(self, archive: Archive, run: CMAES) -> Training:
        """Train a model on the archive 𝒜 for the population that ``run`` has sampled (Algorithm 1, steps 5 and 6)."""
        s, whitening = self._settings, run.whitening()
        D = len(whitening.mean)
        training_set = select_training_set(  # step 5
            archive,
            whitening,
            radius=s.radius,
            required=s.n_req_factor * D + s.n_req_offset,
            largest=s.n_max_factor * D,
            selection=s.selection,
            rng=self._rng,
        )
        if training_set is None:
            return Training(FitStatus.TOO_FEW_POINTS)
        outcomes = replace(training_set, values=archive.outcomes[training_set.indices])
        if s.plausible and outcomes.values.ndim == 1:
            outcomes = training_set = plausible(outcomes, archive.spread()[0])
            if len(outcomes) < s.n_req_factor * D + s.n_req_offset:
                return Training(FitStatus.TOO_FEW_POINTS)
        fitted = self._model.fit(outcomes, whitening)  # step 6
        if isinstance(fitted, FitStatus):
            return Training(fitted, size=len(training_set))
        model = TrainedModel(fitted, whitening, archive.points[training_set.indices], outcomes.values)
        status = self._acceptance.judge(model, run, training_set.values)
        if status is not FitStatus.TRAINED:
            return Training(status, size=len(training_set))
        self._model.keep(fitted, whitening)
        return Training(status, model, len(training_set))
