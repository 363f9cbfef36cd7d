"""Trials one after the other, the last one first."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from sacma.config.plan import TrialSpec
from sacma.experiment.trial import attempt_trial
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


@dataclass(frozen=True)
class ReversedBackend:
    """Each trial in this process."""

    jobs: int
    trial_timeout: float | None

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield a result for each trial."""
        yield from map(attempt_trial, reversed(specs))
