"""Running of a request: from its studies to their records and the COCO data derived from them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec, refuse_changed, resolve_algorithms
from sacma.config.study import Study
from sacma.errors import RunError, SacmaError
from sacma.experiment.workers import LocalWorkers, Workers, results
from sacma.store.completeness import Completeness, completeness_of, shard, to_run
from sacma.store.outcome import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Damage, Store
from sacma.store.stored_study import StoredStudy, check_names, check_one_suite

MOST_SHARDS = 9_999_999

JOBS_PER_CORE = 8
"""At most: a worker takes some 300 MiB."""


@dataclass(frozen=True)
class RunRequest:
    """Trials to be run: ``specs`` are those of the studies, or a shard of them.

    ``is_new`` if the studies do not come from the results of ``store``, and are to be registered there.
    """

    studies: tuple[StoredStudy, ...]
    specs: tuple[TrialSpec, ...]
    store: Store
    is_new: bool

    @classmethod
    def of_studies(cls, studies: Sequence[Study], results: Path, shard: str | None = None) -> "RunRequest":
        """Return the trials of studies, like those of configs; ``shard`` is written as ``"2/10"``.

        Raises SacmaError if the results hold studies that do not go with them, or the shard is none.
        """
        stored, store = tuple(StoredStudy((study,)) for study in studies), Store(results)
        there = tuple(store.readable_studies())
        check_names(stored, there, results)
        check_one_suite([*there, *stored], results)
        return cls(stored, _specs(stored, shard), store, is_new=True)

    @classmethod
    def of_results(cls, results: Path, shard: str | None = None) -> "RunRequest":
        """Return the trials of the studies in ``results``; raise SacmaError as ``of_studies``, and for no studies."""
        store = Store(results)
        studies = store.studies()
        if not studies:
            raise SacmaError(f"{results} holds no study to continue; name at least one CONFIG")
        check_one_suite(studies, results)
        return cls(studies, _specs(studies, shard), store, is_new=False)


def _specs(studies: Sequence[StoredStudy], given: str | None) -> tuple[TrialSpec, ...]:
    specs = tuple(spec for study in studies for spec in study.specs())
    if given is None:
        return specs
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", given)
    if match is None or int(match[1]) > int(match[2]):
        raise SacmaError(f"--shard: {given!r} is not allowed; give K/N with 1 <= K <= N <= {MOST_SHARDS}, like 2/10")
    return shard(specs, int(match[1]), int(match[2]))


@dataclass(frozen=True)
class CampaignResult:
    """Numbers of finished trials and of failed attempts, and the trials that failed at every attempt."""

    finished: int
    failures: tuple[TrialFailure, ...]
    attempts: int


class RunObserver:
    """Is told what happens in a run, in this order; does nothing, but for what a subclass adds."""

    def note(self, lines: Sequence[str]) -> None:
        """Show lines of which people should know."""

    def damaged(self, damages: Sequence[Damage]) -> None:
        """Show files that are in the place of records, and are none."""

    def started(self, completeness: Completeness, todo: Sequence[TrialSpec], jobs: int | None) -> None:
        """Begin to show trials: those of the request before the run, and those that are run, ``jobs`` at a time."""

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Show an attempt whose record is safe; ``last`` if its trial is not tried again."""

    def ended(self) -> None:
        """End to show trials, also when they are interrupted; what may follow is the derivation of COCO data."""


def run_trials(
    request: RunRequest,
    observer: RunObserver = RunObserver(),  # noqa: B008 it has no state
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    retries: int = 1,
    trial_timeout: float | None = None,
    failed_only: bool = False,
    command: str = "sacma.experiment.run",
) -> CampaignResult:
    """Run the trials of a request that are not in its results yet, and derive COCO data, traces and manifests.

    Studies are registered, damaged records renamed, and what algorithms need compiled before the first trial. The
    results are locked while trials run. A script does it under ``if __name__ == "__main__"``: processes import it. ::

        studies = load_studies([Path("configs/cmaes.yaml")], {"functions": "1,8", "dimensions": "2"})
        request = RunRequest.of_studies(studies, Path("results"))
        result = run_trials(request, jobs=4)
        for failure in result.failures:
            print(failure.spec, failure.error)

    Args:
        request: the trials.
        observer: is told what happens.
        jobs: number of trials at a time; None for the number of cores.
        scheduler: address of a dask scheduler, like ``tls://host:8786``, whose workers run the trials.
        retries: how often a trial that fails is tried again.
        trial_timeout: wall-clock seconds after which a trial is ended, as failed.
        failed_only: run only trials that failed before.
        command: shown to other processes that want to write to the same results.

    Raises:
        SacmaError: an option is not allowed, or an algorithm is not there; nothing was run.
        RunError: what stops all trials, with the number of those that are kept.
    """
    most = JOBS_PER_CORE * joblib.cpu_count()
    if jobs is not None and jobs > most:
        raise SacmaError(
            f"--jobs: {jobs} is not allowed: at most {most} here, {JOBS_PER_CORE} a core; a worker takes some 300 MiB"
        )
    for first, *_ in (study.parts for study in request.studies):
        if first.origin is None:  # our own, not those of others, which may not even be there
            ALGORITHMS[first.algorithm].check(first.settings)
    store = request.store
    store.prepare()
    with store.lock_records(command):
        if request.is_new:
            _register(request, observer)
        completeness = completeness_of(store, request.specs, whole=True)
        _set_aside(completeness.damaged, store, observer)
        refuse_changed(request.specs)
        todo = resolve_algorithms(to_run(completeness, failed_only=failed_only))
        try:
            with _workers(min(jobs or joblib.cpu_count(), len(todo)), scheduler, trial_timeout) as workers:
                observer.started(completeness, todo, workers.jobs)
                workers.prepare(todo, lambda line: observer.note([line]))
                result = run_campaign(todo, store, workers=workers, retries=retries, observer=observer)
        except RunError as error:
            kept = store.count(request.specs)
            raise RunError(f"{error}; {kept} of {len(request.specs)} trials are kept") from None
        finally:
            observer.ended()
        kept = store.count(request.specs)
        gone = len(request.specs) - len(completeness.missing) + result.finished - kept
        if gone > 0:
            lack = f"{store.root / 'records'} lacks {gone} that were there before, or made by this run"
            raise RunError(f"{lack}; {kept} of {len(request.specs)} trials are kept")
    try:
        _derive(request, command, observer)
    except RunError as error:
        raise RunError(f"{error}; all records are kept") from None
    return result


def _workers(jobs: int, scheduler: str | None, trial_timeout: float | None) -> Workers:
    if scheduler and jobs:
        from sacma.experiment.cluster import DaskWorkers  # noqa: PLC0415 an extra

        return DaskWorkers(scheduler, trial_timeout)
    return LocalWorkers(max(1, jobs), trial_timeout)


def run_campaign(
    specs: Sequence[TrialSpec],
    store: Store,
    *,
    workers: Workers,
    retries: int,
    observer: RunObserver = RunObserver(),  # noqa: B008 it has no state
) -> CampaignResult:
    """Run trials in their order, commit each to a prepared and locked store, and then run those that failed again.

    Raises RunError for what stops all trials: a full disk, a lost scheduler.
    """
    finished = attempts = 0
    failures: tuple[TrialFailure, ...] = ()
    for left in range(retries, -1, -1):
        again: list[TrialFailure] = []
        for result in results(specs, workers):
            if isinstance(result, TrialFailure):
                again.append(store.commit_failure(result))
            else:
                store.commit(result)
                finished += 1
            observer.attempted(result, last=left == 0 or not isinstance(result, TrialFailure))
        attempts += len(again)
        failures = tuple(again)
        specs = tuple(failure.spec for failure in failures)
    return CampaignResult(finished, failures, attempts)


def _register(request: RunRequest, observer: RunObserver) -> None:
    """Register the studies in the results, and tell of those that take the place of others."""
    replaced = [study.name for study in request.studies if request.store.register(study.parts[0])]
    observer.note(
        [
            f"{request.store.root} held {name} with other settings, budget or seed, or of another version; "
            "its records stay, but tables and COCO data now show this one"
            for name in replaced
        ]
    )


def _set_aside(damages: Sequence[Damage], store: Store, observer: RunObserver) -> None:
    """Rename damaged records, to make way for those of their trials' next run."""
    observer.damaged(damages)
    for damaged in damages:
        store.set_aside(damaged)
    if damages:
        records = f"{len(damages)} damaged record{'' if len(damages) == 1 else 's'}"
        observer.note([f"renamed {records} to *.damaged-N; running those trials again"])


def _derive(request: RunRequest, command: str, observer: RunObserver) -> None:
    """Bring COCO data, traces and manifests up to date with the records."""
    store = request.store
    with store.lock_derived(command, lambda holder: observer.note([f"waiting for {holder}, to merge COCO data"])):
        for study in request.studies:
            stored = store.study(study.name)
            if stored is not None:
                store.derive(stored, lambda damage: observer.damaged([damage]))
