"""Observation of a strategy: CPU seconds and details of each generation, reported for the trace."""

import time
from collections.abc import Callable
from typing import Literal

from sacma.strategy.generation import EvaluatedBy, Generation

Activity = Literal["fit_seconds", "predict_seconds", "strategy_seconds"]

SUMMED = ("likelihood_evaluations", "half_evaluations", "jitters")
"""Costs of trainings that are summed over a generation."""


class Observer:
    """Collects the details of a generation and calls ``on_generation`` with them when it is finished."""

    def __init__(self, on_generation: Callable[[Generation], None]) -> None:
        self._on_generation = on_generation
        self._generation = 0
        self._seconds: dict[Activity, float] = {}
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
        """Note columns of the trace: g_m, ε, ε_s."""
        self._details |= details

    def finish(self, **facts: float) -> None:
        """Report the generation, with the fields of ``Generation`` in ``facts``, and begin the next."""
        self.spent("strategy_seconds")
        self._generation += 1
        evaluated_by = EvaluatedBy.TRUTH if self._by_truth else EvaluatedBy.MODEL
        self._on_generation(
            Generation(
                generation=self._generation,
                evaluated_by=evaluated_by,
                **facts,  # type: ignore[arg-type]  # the names are checked by the dataclass itself
                **self._details,  # type: ignore[arg-type]
                **self._seconds,  # type: ignore[arg-type]
            )
        )
        self._seconds, self._details, self._by_truth = {}, {}, False
