"""Competing models: the one that has foreseen the latest values best ranks the population."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from sacma.surrogate.base import FitStatus, Model, ScoredFit
from sacma.surrogate.models.gaussian_process import GaussianProcessModel
from sacma.surrogate.models.quadratic_process import QuadraticProcessModel
from sacma.surrogate.models.warped_process import WarpedProcessModel
from sacma.surrogate.part import Context, Part, one_of
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

LARGEST_LOSS = 6.0
"""Limit of what one value counts: a surprise of any size is a surprise."""

if TYPE_CHECKING:
    AnyMember = Any
else:
    AnyMember = one_of(
        {
            "gaussian-process": GaussianProcessModel,
            "warped-process": WarpedProcessModel,
            "quadratic-process": QuadraticProcessModel,
        },
        "gaussian-process",
    )

Members = Annotated[
    tuple[AnyMember, ...],
    BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given),
    Field(min_length=2, max_length=8, description="models that compete"),
]


class Competition(Part):
    """Several models, all trained for each population; the one that has foreseen the latest values best is used."""

    name: Literal["competition"] = "competition"
    members: Members = (
        GaussianProcessModel(warm_evaluations=5),
        WarpedProcessModel(warm_evaluations=5),
        QuadraticProcessModel(warm_evaluations=5),
    )
    update_rate: Annotated[
        float, Field(gt=0, le=1, description="weight of the newest value in the smoothed score of a model")
    ] = 0.3

    def build(self, context: Context) -> Model:
        """Return the models of one strategy."""
        return Competing([member.build(context) for member in self.members], self.update_rate)


class Competing:
    """Trains models, scores their predictions of new values, and uses the one with the best score.

    The others are trained at the first training for a population only, and keep that fit while its distribution is the
    same: their later fits would rarely be used.

    The score of a model is its log density of the new values, relative to that of the best for each value
    (prequential: Dawid, *Present Position and Potential Developments*, JRSS A 1984), exponentially smoothed.
    """

    def __init__(self, members: Sequence[Model], update_rate: float) -> None:
        self._members = members
        self._update_rate = update_rate
        self._scores = np.zeros(len(members))
        self._fits: list[Any] = []
        self._whitening: Whitening | None = None
        self._seen = 0  # position in the archive after the newest point that the models have seen

    def fit(self, training: TrainingSet, whitening: Whitening) -> ScoredFit | FitStatus:
        """Return the fit of the model with the best earlier predictions, of those that have a fit."""
        self._score(training, whitening)
        if self._whitening is None or not whitening.same_as(self._whitening):
            self._fits = [member.fit(training, whitening) for member in self._members]
        else:
            self._fit_leader(training, whitening)
        self._whitening = whitening
        self._seen = int(training.indices[-1]) + 1 if len(training.indices) else self._seen
        for k in self._ranking():
            if not isinstance(self._fits[k], FitStatus):
                return self._fits[k]  # type: ignore[no-any-return]
        return self._fits[0]  # type: ignore[no-any-return]

    def _ranking(self) -> NDArray[np.intp]:
        """Return the indices of the models, that with the best score first."""
        return np.argsort(-self._scores, kind="stable")

    def _fit_leader(self, training: TrainingSet, whitening: Whitening) -> None:
        """Fit the best model, or the next where that has no fit."""
        for k in self._ranking():
            self._fits[k] = self._members[k].fit(training, whitening)
            if not isinstance(self._fits[k], FitStatus):
                return

    def _score(self, training: TrainingSet, whitening: Whitening) -> None:
        new = np.flatnonzero(training.indices >= self._seen)
        if self._whitening is None or not len(new) or any(isinstance(fit, FitStatus) for fit in self._fits):
            return
        points, values = self._whitening(whitening.inverse(training.inputs[new])), training.values[new]
        with np.errstate(all="ignore"):
            foreseen = np.array([fit.log_densities(points, values) for fit in self._fits])
        if not np.isfinite(foreseen).all():
            foreseen = np.nan_to_num(foreseen, nan=-np.finfo(float).max)
        losses = np.minimum(foreseen.max(axis=0) - foreseen, LARGEST_LOSS)
        for loss in losses.T:
            self._scores += self._update_rate * (-loss - self._scores)

    def keep(self, fitted: ScoredFit, whitening: Whitening) -> None:  # noqa: ARG002 all are kept
        """Remember all fits."""
        for member, fit in zip(self._members, self._fits, strict=True):
            if not isinstance(fit, FitStatus):
                member.keep(fit, whitening)

    def forget(self) -> None:
        """Begin a run without earlier fits; the scores stay."""
        for member in self._members:
            member.forget()
        self._fits, self._whitening = [], None
