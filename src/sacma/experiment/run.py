"""Running of a request: from its studies to their records and the COCO data derived from them."""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec, resolve_algorithms
from sacma.config.study import Study
from sacma.errors import RunError, SacmaError
from sacma.experiment.workers import LocalWorkers, Result, Workers, results
from sacma.files.printable import one_line
from sacma.store.completeness import Completeness, completeness_of, shard, to_run
from sacma.store.outcome import TrialFailure
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy, check_one_suite

MOST_SHARDS = 9_999_999

JOBS_PER_CORE = 8  # at most: a worker takes some 300 MiB


@dataclass(frozen=True)
class RunRequest:
    """Trials to be run: ``specs`` are all trials of the studies, or a shard of them.

    ``is_new`` if the studies do not come from the results of ``store``, and are to be registered there.
    """

    studies: tuple[StoredStudy, ...]
    specs: tuple[TrialSpec, ...]
    store: Store
    is_new: bool

    @classmethod
    def of_studies(cls, studies: Sequence[Study], results: Path, shard: str | None = None) -> "RunRequest":
        """Return the trials of studies; ``shard`` is written as ``"2/10"``.

        Raises SacmaError if the results hold studies that do not go with them, or the shard is none.
        """
        stored, store = tuple(StoredStudy((study,)) for study in studies), Store(results)
        check_one_suite([*store.readable_studies(), *stored], results)
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
class Started:
    """The state of a request before the run, and the trials that are run, ``jobs`` at a time if that is known."""

    completeness: Completeness
    todo: tuple[TrialSpec, ...]
    jobs: int | None


@dataclass(frozen=True)
class Attempt:
    """A trial that has finished or failed, kept in the results; ``last`` if it is not tried again."""

    result: Result
    last: bool

    @property
    def failure(self) -> TrialFailure | None:
        """The failure of a trial that is not tried again."""
        return self.result if self.last and isinstance(self.result, TrialFailure) else None


Event = str | Started | Attempt  # something that happens in a run; a text is a note for people


def run_trials(
    request: RunRequest,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    retries: int = 1,
    trial_timeout: float | None = None,
    failed_only: bool = False,
    command: str = "sacma.experiment.run",
) -> Generator[Event, None, None]:
    """Run the trials of a request that its results lack, and derive COCO data, traces and manifests; yield events.

    The first event comes before the first trial: ``Started``, after notes on replaced studies. Damaged records are
    renamed, and their trials run again. The results are locked while trials run. Loop over all events, in a script
    under ``if __name__ == "__main__"``, as processes import it::

        studies = load_studies([Path("configs/cmaes.yaml")], {"functions": "1,8", "dimensions": "2"})
        for event in run_trials(RunRequest.of_studies(studies, Path("results")), jobs=4):
            if isinstance(event, Attempt) and event.failure:
                print(event.failure.spec, event.failure.error)

    Args:
        request: the trials.
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
    _check(request, jobs)
    store, finished = request.store, 0
    store.prepare()
    with store.lock_records(command):
        if request.is_new and (replaced := [study.name for study in request.studies if store.register(study.parts[0])]):
            yield (
                f"{store.root} held {one_line(', '.join(replaced), 500)} with other settings, budget or seed, or of "
                "another version; those records stay, but tables and COCO data are of the new trials"
            )
        completeness = completeness_of(store, request.specs, whole=True)
        todo = to_run(completeness, failed_only=failed_only)
        todo = resolve_algorithms(todo, done=request.specs)
        for damaged in completeness.damaged:
            store.set_aside(damaged)
        try:
            with _workers(min(jobs or joblib.cpu_count(), len(todo)), scheduler, trial_timeout) as workers:
                yield Started(completeness, todo, workers.jobs)
                yield from workers.prepare(todo)
                for attempt in run_campaign(todo, store, workers=workers, retries=retries):
                    finished += not isinstance(attempt.result, TrialFailure)
                    yield attempt
        except RunError as error:
            raise RunError(f"{error}; {store.count(request.specs)} of {len(request.specs)} trials are kept") from None
        kept = store.count(request.specs)
        gone = len(request.specs) - len(completeness.missing) + finished - kept
        if gone > 0:
            lack = f"{store.root / 'records'} lacks {gone} that were there before, or made by this run"
            raise RunError(f"{lack}; {kept} of {len(request.specs)} trials are kept")
    try:
        yield from _derive(request, command)
    except RunError as error:
        raise RunError(f"{error}; all records are kept") from None


def _check(request: RunRequest, jobs: int | None) -> None:
    most = JOBS_PER_CORE * joblib.cpu_count()
    if jobs is not None and jobs > most:
        raise SacmaError(
            f"--jobs: {jobs} is not allowed: at most {most} here, {JOBS_PER_CORE} a core; a worker takes some 300 MiB"
        )
    for first, *_ in (study.parts for study in request.studies):
        if first.origin is None:  # our own, not those of others, which may not even be there
            ALGORITHMS[first.algorithm].check(first.settings)


def _derive(request: RunRequest, command: str) -> Iterator[str]:
    """Bring COCO data, traces and manifests up to date with the records."""
    store = request.store
    if other := store.deriver():
        yield f"waiting for {other}, to merge COCO data"
    with store.lock_derived(command, wait=True):
        for study in filter(None, [store.study(study.name) for study in request.studies]):
            store.derive(study)


def _workers(jobs: int, scheduler: str | None, trial_timeout: float | None) -> Workers:
    if scheduler and jobs:
        from sacma.experiment.cluster import DaskWorkers  # noqa: PLC0415 an extra

        return DaskWorkers(scheduler, trial_timeout)
    return LocalWorkers(max(1, jobs), trial_timeout)


def run_campaign(specs: Sequence[TrialSpec], store: Store, *, workers: Workers, retries: int) -> Iterator[Attempt]:
    """Run trials in their order, commit each to a prepared and locked store, and then run those that failed again.

    Raises RunError for what stops all trials: a full disk, a lost scheduler.
    """
    for left in range(retries, -1, -1):
        again: list[TrialSpec] = []
        for result in results(specs, workers):
            if isinstance(result, TrialFailure):
                again.append(result.spec)
                yield Attempt(store.commit_failure(result), last=left == 0)
            else:
                store.commit(result)
                yield Attempt(result, last=True)
        specs = again
