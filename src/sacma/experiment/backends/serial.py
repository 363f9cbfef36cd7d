"""Trials one after the other in this process: for debugging, and where nothing else works."""

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.scratch import scratch
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


@dataclass(frozen=True)
class SerialBackend:
    """Runs trials in this process: one that kills it kills the campaign."""

    jobs: int = 1

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield the results of ``specs`` in their order."""
        from sacma.experiment.trial import attempt_trial  # noqa: PLC0415 heavy, and needed only here

        here = Path.cwd()
        with scratch(in_memory=True) as folder:
            for spec in specs:
                result = attempt_trial(spec, folder)
                os.chdir(here)  # an algorithm may have left it, and the folder of results be named relative to it
                yield result


def make(*, jobs: int, trial_timeout: float | None) -> SerialBackend:  # noqa: ARG001 one job, whatever is asked for
    """Return the backend; see ``make_backend``."""
    if trial_timeout is not None:
        raise SacmaError("--trial-timeout needs a process that can be ended: --backend loky or dask, not serial")
    return SerialBackend()
