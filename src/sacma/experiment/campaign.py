"""Running studies: what is missing is run, committed as it comes, and derived data follow."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sacma.config import Study
from sacma.experiment.backends import Backend
from sacma.experiment.plan import TrialSpec, plan
from sacma.experiment.record import TrialRecord
from sacma.experiment.store import Store
from sacma.experiment.trial import TrialFailure


@dataclass(frozen=True)
class Workload:
    """What there is to do.

    Args:
        specs: all trials of the studies.
        missing: those without a record, in the order in which they will be run.
    """

    specs: tuple[TrialSpec, ...]
    missing: tuple[TrialSpec, ...]


@dataclass
class CampaignResult:
    """How a campaign went."""

    finished: int = 0
    failures: list[TrialFailure] = field(default_factory=list)


def workload(studies: Sequence[Study], store: Store) -> Workload:
    """Return what running ``studies`` would do; changes nothing.

    Missing trials come in the order of their content hashes: a shuffle that is the same each time, in which short
    and long trials are mixed, so that the time that is left can be told from the trials that are done.
    """
    specs = plan(studies)
    return Workload(specs, tuple(sorted(store.missing(specs), key=lambda spec: spec.key)))


def run_campaign(
    studies: Sequence[Study],
    work: Workload,
    store: Store,
    *,
    backend: Backend,
    jobs: int,
    on_result: Callable[[TrialRecord | TrialFailure], None],
) -> CampaignResult:
    """Run the missing trials, commit each as it ends, then derive COCO folders and traces.

    Args:
        studies: to run.
        work: from ``workload``.
        store: results folder, prepared.
        backend: runs the trials.
        jobs: number of parallel trials.
        on_result: called after each trial, when its record is safe.
    """
    result = CampaignResult()
    with closing(backend(work.missing, jobs)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, TrialFailure):
                result.failures.append(outcome)
            else:
                store.commit(outcome)
                result.finished += 1
            on_result(outcome)
    names = {study.name for study in studies}
    for stored in store.studies():
        if stored.name in names:
            store.derive(stored)
    return result
