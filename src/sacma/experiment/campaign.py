"""Running of trials on a backend: each result is committed as it comes, and what fails is tried again."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from sacma.config.plan import TrialSpec
from sacma.experiment.backends import Backend
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Store

OnResult = Callable[[FinishedTrial | TrialFailure, bool], None]
"""Called after each attempt, when its record is safe; True for the trial's last in this campaign."""


@dataclass(frozen=True)
class CampaignResult:
    """Outcome of a campaign.

    Args:
        finished: number of trials.
        failures: of the trials that failed at every attempt.
        attempts: number of attempts that failed, also of trials that were finished later.
    """

    finished: int
    failures: tuple[TrialFailure, ...]
    attempts: int


def run_campaign(
    specs: Sequence[TrialSpec],
    store: Store,
    *,
    backend: Backend,
    retries: int,
    on_result: OnResult = lambda _result, _last: None,
) -> CampaignResult:
    """Run trials in their order, commit each to a prepared and locked store, and then run those that failed again.

    Raises:
        RunError: what stops all trials: a full disk, a lost scheduler.
    """
    finished = attempts = 0
    failures: tuple[TrialFailure, ...] = ()
    for left in range(retries, -1, -1):
        if not specs:
            break
        failed: list[TrialFailure] = []
        with closing(backend.run(specs)) as results:
            for result in results:
                if isinstance(result, TrialFailure):
                    failed.append(store.commit_failure(result))
                else:
                    store.commit(result)
                    finished += 1
                on_result(result, left == 0 or not isinstance(result, TrialFailure))
        attempts += len(failed)
        failures = tuple(failed)
        specs = tuple(failure.spec for failure in failures)
    return CampaignResult(finished, failures, attempts)
