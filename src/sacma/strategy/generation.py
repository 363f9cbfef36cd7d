"""The record of one generation in a trace, and its observation: CPU seconds and details."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Activity = Literal["fit_seconds", "predict_seconds", "strategy_seconds"]

# Costs of trainings that are summed over a generation.
SUMMED = ("likelihood_evaluations", "half_evaluations", "jitters")


class EvaluatedBy(StrEnum):
    """Source of a generation's values."""

    TRUTH = "true"
    MODEL = "model"


@dataclass(frozen=True)
class Generation:
    """One generation; fields that do not apply are NaN, 0 or empty."""

    generation: int  # counted from 1 over all restarts
    restart: int  # number of restarts before it
    evaluated_by: EvaluatedBy  # f or the model
    population_size: int  # λ
    true_evaluations: int  # of f, up to and including this generation
    sigma: float  # σ that the population was sampled with
    best_value: float  # lowest true value so far
    axis_ratio: float = math.nan  # longest over shortest axis of the distribution
    model_generations: int = 0  # g_m, decided in this generation if true-evaluated
    error: float = math.nan  # ε of the earlier model on this population
    smoothed_error: float = math.nan  # ε_s
    training_set_size: int = 0  # n_tr
    fit_status: str = ""  # outcome of the training
    likelihood_evaluations: int = 0  # of the training
    half_evaluations: int = 0  # of the training, on half the points
    jitters: int = 0  # increases of η of the starts until A had a factor
    searched_from: str = ""  # start of the likelihood search
    fit_seconds: float = 0.0  # CPU seconds of training-set selection and training
    predict_seconds: float = 0.0  # CPU seconds of predictions
    strategy_seconds: float = 0.0  # CPU seconds of sampling, update and stop conditions


NOTED = ("model_generations", "error", "smoothed_error")  # columns of a generation that its control may note


class Observer:
    """Collects the details of a generation and calls ``on_generation`` with them when it is finished."""

    def __init__(self, on_generation: Callable[[Generation], None]) -> None:
        self._on_generation = on_generation
        self._generation = 0
        self._seconds: dict[str, float] = {}
        self._details: dict[str, float | str] = {}
        self._by_truth = False
        self.resume()

    def resume(self) -> None:
        """Start the clock again, after a pause in which f was evaluated."""
        self._last = time.process_time()

    def spent(self, activity: Activity) -> None:
        """Attribute the CPU seconds since the last call to ``activity``."""
        now = time.process_time()
        self._seconds[activity] = self._seconds.get(activity, 0.0) + now - self._last
        self._last = now

    def truth(self) -> None:
        """Note that points of this generation are evaluated with f."""
        self._by_truth = True

    def training(self, details: dict[str, int | str]) -> None:
        """Note a training: costs of several in a generation are summed, the rest is of the last."""
        earlier = self._details
        totals = {name: int(earlier.get(name, 0)) + int(details.get(name, 0)) for name in SUMMED}
        self._details |= {**details, **{name: total for name, total in totals.items() if total}}

    def note(self, **details: float) -> None:
        """Note columns of the trace: g_m, ε, ε_s; raise TypeError for another name."""
        for name in details.keys() - NOTED:
            raise TypeError(f"{name} cannot be noted; allowed: {', '.join(NOTED)}")
        self._details |= details

    def finish(self, **facts: float) -> None:
        """Report the generation, with the fields of ``Generation`` in ``facts``, and begin the next."""
        self.spent("strategy_seconds")
        self._generation += 1
        columns: dict[str, object] = {**facts, **self._details, **self._seconds}
        evaluated_by = EvaluatedBy.TRUTH if self._by_truth else EvaluatedBy.MODEL
        # The dataclass itself checks the names.
        self._on_generation(Generation(generation=self._generation, evaluated_by=evaluated_by, **columns))  # type: ignore[arg-type]
        self._seconds, self._details, self._by_truth = {}, {}, False
