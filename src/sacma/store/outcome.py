"""The outcome of a trial: how it ended, its improvements of Δf, and its CPU time."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class TrialStatus(StrEnum):
    """How a trial ended; where f is noisy and a trial goes on at its target, that it was reached."""

    TARGET_HIT = "target hit"
    BUDGET_USED = "budget used"
    STOPPED = "stopped by itself"


class DamagedRecordError(ValueError):
    """A file is not a record, or not all of one, or that of another trial."""


@dataclass(frozen=True)
class CPUSeconds:
    """CPU time of a trial, by what it was spent on."""

    objective: float
    fit: float
    predict: float
    strategy: float
    other: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.objective + self.fit + self.predict + self.strategy + self.other


@dataclass(frozen=True)
class Outcome:
    """Result and cost of a trial.

    Args:
        status: how it ended.
        evaluations: true evaluations made.
        best_delta_f: lowest Δf of them.
        improved_at: evaluation number of each improvement of the best Δf, in order; where f is noisy, of those of the
            noise-free Δf that COCO's logger wrote.
        improved_to: Δf of each of them.
        true_generations: evaluated with f; the last may be cut short by the end of the trial.
        model_generations: evaluated with the model.
        restarts: of the strategy.
        fits: number of trainings by how they ended.
        cpu: CPU seconds.
    """

    status: TrialStatus
    evaluations: int
    best_delta_f: float
    improved_at: tuple[int, ...]
    improved_to: tuple[float, ...]
    true_generations: int
    model_generations: int
    restarts: int
    fits: Mapping[str, int]
    cpu: CPUSeconds

    def best_after(self, evaluations: float) -> float:
        """Return the best Δf after that many evaluations; inf before the first."""
        position = bisect_right(self.improved_at, evaluations)
        return self.improved_to[position - 1] if position else math.inf
