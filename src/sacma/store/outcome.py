"""The outcome of a trial: how it ended, its improvements of Δf, and its CPU time."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field, PositiveInt

Count = Annotated[int, Field(ge=0, lt=1 << 32)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]


class TrialStatus(StrEnum):
    """The end of a trial. With noise a trial goes on at its target: TARGET_HIT says that it was reached."""

    TARGET_HIT = "target hit"
    BUDGET_USED = "budget used"
    STOPPED = "stopped by itself"


class DamagedRecordError(ValueError):
    """A file is not a complete record of its trial."""


@dataclass(frozen=True)
class CPUSeconds:
    """CPU time of a trial by purpose."""

    objective: Seconds
    fit: Seconds
    predict: Seconds
    strategy: Seconds
    other: Seconds

    @property
    def total(self) -> float:
        """The sum."""
        return self.objective + self.fit + self.predict + self.strategy + self.other


@dataclass(frozen=True)
class Outcome:
    """Result and cost of a trial; with noise, improvements are those of the noise-free Δf that COCO's logger wrote."""

    status: TrialStatus
    evaluations: PositiveInt  # of f
    best_delta_f: float
    improved_at: tuple[int, ...]  # number of the evaluation, from 1, of each improvement of the best Δf
    improved_to: tuple[float, ...]  # Δf of each improvement
    true_generations: Count  # evaluated with f; the end of the trial may cut the last short
    model_generations: Count  # evaluated with the model
    restarts: Count
    fits: Mapping[str, Count]  # number of trainings by fit status
    cpu: CPUSeconds
