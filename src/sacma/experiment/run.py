"""Running of a request: from its studies to their records and the COCO data derived from them."""

from collections.abc import Sequence

import joblib

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.errors import RunError, SacmaError
from sacma.experiment import compilation
from sacma.experiment.backends import Backend, make_backend
from sacma.experiment.campaign import CampaignResult, run_campaign
from sacma.experiment.options import RunOptions
from sacma.experiment.request import RunRequest
from sacma.experiment.resolve_algorithm import resolve_algorithms
from sacma.store.completeness import Completeness, completeness_of, to_run
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Damage, Store

JOBS_PER_CORE = 8
"""At most: a worker takes some 300 MiB."""


class RunObserver:
    """Is told what happens in a run, in this order; does nothing, but for what a subclass adds."""

    def note(self, lines: Sequence[str]) -> None:
        """Show lines of which people should know."""

    def damaged(self, damages: Sequence[Damage]) -> None:
        """Show files that are in the place of records, and are none."""

    def compiling(self, line: str) -> None:
        """Show that machine code is being made."""

    def started(self, completeness: Completeness, todo: Sequence[TrialSpec], jobs: int | None) -> None:
        """Begin to show trials.

        Args:
            completeness: of all trials of the request, before the run.
            todo: the trials that are run, in this order.
            jobs: number of trials at a time, or None if that is not known.
        """

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Show an attempt whose record is safe; ``last`` if its trial is not tried again."""

    def ended(self) -> None:
        """End to show trials; what follows is the derivation of COCO data."""


def run_trials(request: RunRequest, options: RunOptions, observer: RunObserver) -> CampaignResult:
    """Run the trials of a request that are not in its results yet, and derive COCO data, traces and manifests.

    Studies are registered, damaged records renamed, and what algorithms need compiled before the first trial. The
    results are locked while trials run. ::

        studies = load_studies([Path("configs/cmaes.yaml")], {"functions": "1,8", "dimensions": "2"})
        request = RunRequest.of_studies(studies, Path("results"))
        result = run_trials(request, RunOptions(jobs=4), RunObserver())
        for failure in result.failures:
            print(failure.spec, failure.error)

    Raises:
        SacmaError: an option is not allowed, or an algorithm is not there; nothing was run.
        RunError: what stops all trials, with the number of those that are kept.
    """
    backend = _backend(options, 1)  # complains before a folder is made
    _check_installed(request)
    store = request.store
    store.prepare()
    with store.lock_records(options.command):
        if request.is_new:
            _register(request, observer)
        completeness = completeness_of(store, request.specs)
        _set_aside(completeness.damaged, store, observer)
        todo = resolve_algorithms(to_run(completeness, failed_only=options.failed_only))
        if not options.scheduler:  # workers elsewhere have code of their own
            compilation.make_compiled_code(todo, observer.compiling)
        backend = _backend(options, max(1, min(options.jobs or joblib.cpu_count(), len(todo))))
        if options.scheduler and todo:
            _check_scheduler(options.scheduler, observer)
        observer.started(completeness, todo, backend.jobs)
        try:
            result = run_campaign(
                todo,
                store,
                backend=backend,
                retries=options.retries,
                on_result=lambda result, last: observer.attempted(result, last=last),
            )
        except RunError as error:
            kept = store.count(request.specs)
            raise RunError(f"{error}; {kept} of {len(request.specs)} trials are kept") from None
        observer.ended()
    try:
        _derive(request, options, observer)
    except RunError as error:
        raise RunError(f"{error}; all records are kept") from None
    return result


def _backend(options: RunOptions, jobs: int) -> Backend:
    most = JOBS_PER_CORE * joblib.cpu_count()
    if options.jobs is not None and options.jobs > most:
        raise SacmaError(
            f"--jobs: {options.jobs} is not allowed: at most {most} here, {JOBS_PER_CORE} a core; "
            "a worker takes some 300 MiB"
        )
    return make_backend(options.backend, jobs=jobs, trial_timeout=options.trial_timeout, scheduler=options.scheduler)


def _check_installed(request: RunRequest) -> None:
    """Check that our own algorithms have the packages that they need; those of others may not even be there."""
    for first, *_ in (study.parts for study in request.studies):
        if first.origin is None:
            ALGORITHMS[first.algorithm].check(first.settings)


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


def _check_scheduler(address: str, observer: RunObserver) -> None:
    """Check that a scheduler answers, and tell where anybody could use it."""
    from sacma.experiment.backends.dask import is_open, reach  # noqa: PLC0415 an extra

    reach(address)
    if is_open(address):
        danger = "is open: whoever can connect to it can run programs as you, on all of its workers"
        observer.note([f"{address} {danger}; docs/on_a_cluster.md says how tls:// closes it"])


def _derive(request: RunRequest, options: RunOptions, observer: RunObserver) -> None:
    """Bring COCO data, traces and manifests up to date with the records."""
    store = request.store
    with store.lock_derived(
        options.command, lambda holder: observer.note([f"waiting for {holder}, to merge COCO data"])
    ):
        for study in request.studies:
            stored = store.study(study.name)
            if stored is not None:
                store.derive(stored, lambda damage: observer.damaged([damage]))
