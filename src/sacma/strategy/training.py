"""Training of a model on the archive (Algorithm 1, steps 5 and 6)."""

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from sacma.strategy.acceptance import Acceptance
from sacma.strategy.sampling import Sampling
from sacma.surrogate.archive import Archive
from sacma.surrogate.base import FitStatus, Fitted, Model, Posterior
from sacma.surrogate.part import Settings
from sacma.surrogate.selections import AnySelection
from sacma.surrogate.selections.recent import Recent
from sacma.surrogate.training_set import Selection, select_training_set
from sacma.surrogate.whitening import Whitening
from sacma.types import Array


class TrainingSetSettings(Settings):
    """Archived points within a distance of m, reduced to a largest number by a selection."""

    radius: Annotated[
        float,
        Field(
            gt=0,
            description="r: largest Mahalanobis distance from m of a training point; .inf: no limit. The paper prints "
            "8, its experiments ran with 64",
        ),
    ] = 64.0
    n_req_factor: Annotated[
        int, Field(ge=1, le=1000, description="n_req = n_req_factor D + n_req_offset: fewest training points")
    ] = 3
    n_req_offset: Annotated[int, Field(ge=0, le=1000, description="n_req − n_req_factor D")] = 0
    n_max_factor: Annotated[int, Field(ge=1, le=1000, description="n_max/D: most training points")] = 15
    selection: Annotated[AnySelection, Field(description="reduces more than n_max candidates to n_max")] = Recent()

    @model_validator(mode="after")
    def _room_for_a_training_set(self) -> "TrainingSetSettings":
        if self.n_max_factor < self.n_req_factor:
            raise ValueError(
                f"n_max_factor is {self.n_max_factor}, less than n_req_factor, {self.n_req_factor}; "
                "allowed: n_max_factor ≥ n_req_factor"
            )
        if self.n_max_factor < self.n_req_factor + self.n_req_offset:  # then n_req ≤ n_max in every dimension
            raise ValueError(
                f"n_max_factor is {self.n_max_factor}, less than n_req_factor + n_req_offset, "
                f"{self.n_req_factor} + {self.n_req_offset}; allowed: no more than n_max_factor"
            )
        return self


@dataclass(frozen=True)
class TrainedModel:
    """f_M: a fitted model and the whitening of the generation in which it was trained."""

    fitted: Fitted
    whitening: Whitening
    points: Array = field(default_factory=lambda: np.empty((0, 0)))  # training points, shape (n, D)
    outcomes: Array = field(default_factory=lambda: np.empty(0))  # of f, shape (n,); with m constraints (n, 1 + m)

    def __call__(self, points: Array) -> Array:
        """Return the predictions ŷ at ``points``, shape (n, D); raise ValueError for any other number of them."""
        predicted = self.fitted.predict(self.whitening(points))
        if np.shape(predicted) != (len(points),):
            of = type(self.fitted).__name__
            raise ValueError(f"{of} predicted values of shape {np.shape(predicted)}; allowed: ({len(points)},)")
        return predicted

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
        self._selection: Selection = settings.selection
        self._model = model
        self._acceptance = acceptance
        self._rng = rng

    def forget(self) -> None:
        """Begin a run without memory of the last model."""
        self._model.forget()

    def train(self, archive: Archive, run: Sampling) -> Training:
        """Train a model on the archive 𝒜 for the population that ``run`` has sampled (Algorithm 1, steps 5 and 6)."""
        s, whitening = self._settings, run.whitening()
        D = len(whitening.mean)
        training_set = select_training_set(  # step 5
            archive,
            whitening,
            radius=s.radius,
            required=s.n_req_factor * D + s.n_req_offset,
            largest=s.n_max_factor * D,
            selection=self._selection,
            rng=self._rng,
        )
        if training_set is None:
            return Training(FitStatus.TOO_FEW_POINTS)
        outcomes = replace(training_set, values=archive.outcomes[training_set.indices])
        fitted = self._model.fit(outcomes, whitening)  # step 6
        if isinstance(fitted, FitStatus):
            return Training(fitted, size=len(training_set))
        model = TrainedModel(fitted, whitening, archive.points[training_set.indices], outcomes.values)
        status = self._acceptance.judge(model, run, training_set.values)
        if status is not FitStatus.TRAINED:
            return Training(status, size=len(training_set))
        self._model.keep(fitted, whitening)
        return Training(status, model, len(training_set))
