"""Running trials: each result is committed as it comes, and what fails is tried again."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from sacma.config.plan import TrialSpec
from sacma.experiment.backends import Backend
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Store

OnResult = Callable[[FinishedTrial | TrialFailure, bool], None]
"""Called after each attempt, when its record is safe, with whether it was the trial's last in this campaign."""


@dataclass(frozen=True)
class CampaignResult:
    """How a campaign went.

    Args:
        finished: number of trials.
        failures: of the trials that failed at every attempt.
        attempts: number of attempts that failed, also of trials that were finished later.
    """

    finished: int
    failures: tuple[TrialFailure, ...]
    attempts: int


def run_campaign(
    specs: Sequence[TrialSpec], store: Store, *, backend: Backend, retries: int, on_result: OnResult
) -> CampaignResult:
    """Run trials, commit each as it ends, and then run those that failed again.

    Args:
        specs: to run, in this order.
        store: results folder, prepared and locked.
        backend: runs the trials.
        retries: how often a trial that fails is tried again.
        on_result: see there.

    Raises:
        RunError: what stops all trials: a full disk, a lost scheduler.
    """
    finished = attempts = 0
    todo = tuple(specs)
    failures: tuple[TrialFailure, ...] = ()
    for attempt in range(retries + 1):
        if not todo:
            break
        last = attempt == retries
        failed: list[TrialFailure] = []
        with closing(backend.run(todo)) as results:
            for result in results:
                if isinstance(result, TrialFailure):
                    failed.append(store.commit_failure(result))
                else:
                    store.commit(result)
                    finished += 1
                on_result(result, last or not isinstance(result, TrialFailure))
        attempts += len(failed)
        failures = tuple(failed)
        todo = tuple(failure.spec for failure in failures)
    return CampaignResult(finished, failures, attempts)
