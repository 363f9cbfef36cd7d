"""Trials one after the other in this process."""

from collections.abc import Generator, Sequence

from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import TrialRecord
from sacma.experiment.trial import TrialFailure, attempt_trial


def run_serially(specs: Sequence[TrialSpec], jobs: int = 1) -> Generator[TrialRecord | TrialFailure, None, None]:  # noqa: ARG001
    """Yield the results of ``specs`` in their order; ``jobs`` is always one."""
    for spec in specs:
        yield attempt_trial(spec)
