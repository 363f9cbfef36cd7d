"""Running trials as the commands do: registered, in parallel, with progress, and failures listed."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from rich.text import Text

from sacma.cli.common import (
    EXIT_FAILED,
    LONGEST_LIST,
    PROGRESS_MODES,
    counted,
    err,
    fail,
    out,
    print_damage,
    print_list,
)
from sacma.cli.interruption import Interrupted, this_command
from sacma.cli.trials import RunRequest, known_costs
from sacma.errors import RunError, SacmaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sacma.config.plan import TrialSpec
    from sacma.experiment.backends import Backend
    from sacma.experiment.campaign import CampaignResult
    from sacma.store.completeness import Completeness
    from sacma.store.failure import TrialFailure
    from sacma.store.record import FinishedTrial
    from sacma.store.store import Damage, Store
    from sacma.store.stored_study import StoredStudy


@dataclass(frozen=True)
class RunOptions:
    """Options of the command line on how trials are run.

    Args:
        jobs: how many at a time, or None for the number of cores.
        backend: its name.
        scheduler: address of a dask cluster.
        retries: how often a trial that fails is tried again.
        trial_timeout: seconds after which a trial is ended.
        failed_only: whether to run only what failed before.
        progress: its mode.
    """

    jobs: int | None
    backend: str
    scheduler: str | None
    retries: int
    trial_timeout: float | None
    failed_only: bool
    progress: str

    @property
    def talks(self) -> bool:
        """Whether there is more to say than progress and failures."""
        return self.progress not in {"json", "quiet"}


def after_a_shard(results: "Path", shard: str, *then: str) -> str:
    """Say what to do with the results of one shard of several.

    Args:
        results: folder of this shard's results.
        shard: as given, like 2/10.
        then: the command that goes on with all of them, but for the folder, which comes last.
    """
    together = str(results.with_name("together") if results.name not in {"", ".."} else results / ".." / "together")
    parts = shlex.join(str(results / name) for name in ("studies", "records"))
    where = shlex.quote(together)
    return (
        f"next: when all {shard.partition('/')[2]} shards are done, copy studies and records of each into one folder; "
        f"those of this one: mkdir -p {where} && cp -r {parts} {where}; then: {shlex.join([*then, together])}"
    )


def run_trials(request: RunRequest, options: RunOptions, following: str | None) -> None:
    """Run the trials that are not there yet, merge their COCO data, and exit if any failed.

    Args:
        request: the trials.
        options: how they are run.
        following: what to do next, for people; None where the command goes on.

    Raises:
        SacmaError: an option of ``options`` is not allowed.
    """
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.cli.progress import print_json  # noqa: PLC0415
    from sacma.experiment.backends import make_backend  # noqa: PLC0415
    from sacma.experiment.resolve_algorithm import resolve_algorithms  # noqa: PLC0415
    from sacma.store.completeness import completeness_of, to_run  # noqa: PLC0415

    if options.progress not in PROGRESS_MODES:
        raise SacmaError(f"--progress: {options.progress!r} is not allowed; allowed: {', '.join(PROGRESS_MODES)}")
    most = 8 * cpu_count()
    if options.jobs is not None and options.jobs > most:
        raise SacmaError(
            f"--jobs: {options.jobs} is not allowed: at most {most} here, 8 a core; a worker takes some 300 MiB"
        )

    def backend_of(jobs: int) -> "Backend":
        return make_backend(
            options.backend, jobs=jobs, trial_timeout=options.trial_timeout, scheduler=options.scheduler
        )

    backend_of(1)  # complains before a folder is made
    _check_installed(request.studies)  # idem
    store = request.store
    store.prepare()
    with store.lock_records(this_command()):
        if request.by_file:
            _register(request)
        completeness = completeness_of(store, request.specs)
        _set_aside(completeness.damaged, store)
        todo = resolve_algorithms(to_run(completeness, failed_only=options.failed_only))
        _compile(todo, options)
        backend = backend_of(max(1, min(options.jobs or cpu_count(), len(todo))))
        done = len(completeness.specs) - len(completeness.missing)
        if options.talks:
            where = f"on {options.scheduler}" if options.scheduler else f"{backend.jobs} at a time"
            out.print(
                f"{request.what}, {_trials_of(request)}: {done} there, "
                f"{len(todo)} to run{' of those that failed' * options.failed_only} ({where}) in {store.root}",
                soft_wrap=True,
            )
        if options.progress == "json":
            print_json(out, {"event": "start", "trials": len(request.specs), "done": done, "to_run": len(todo)})
        result = _campaign(completeness, todo, store, backend, options)
    _derive(request.studies, store)
    if options.progress == "json":
        print_json(
            out,
            {
                "event": "end",
                "finished": result.finished,
                "failed": len(result.failures),
                "attempts_failed": result.attempts,
            },
        )
    if result.failures:
        _fail(result.failures, request, options)
    if options.talks:
        done += result.finished
        what = _trials_of(request)
        have = f"all {what}" if done == len(request.specs) else f"{done} of {what}"
        out.print("; ".join(filter(None, [f"{have} in {store.root}", following])), soft_wrap=True)


def _check_scheduler(address: str, *, warn: bool) -> None:
    """See that something answers there, and say where anybody could use it."""
    from sacma.experiment.backends.dask import is_open, reach  # noqa: PLC0415 an extra

    reach(address)
    if warn and is_open(address):
        err.print(
            Text(
                f"note: {address} is open: whoever can connect to it can run programs as you, on all of its workers; "
                "docs/on_a_cluster.md says how tls:// closes it"
            )
        )


def _check_installed(studies: "Sequence[StoredStudy]") -> None:
    """Complain where an algorithm of ours needs what is not installed; those of others may not even be there."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415

    for study in studies:
        if study.parts[0].origin is None:
            ALGORITHMS[study.parts[0].algorithm].check(study.parts[0].settings)


def _compile(todo: "Sequence[TrialSpec]", options: RunOptions) -> None:
    """Compile before the first trial, if need be, and say so; what workers elsewhere have is theirs."""
    from sacma.experiment.compilation import make_compiled_code  # noqa: PLC0415

    if options.scheduler:
        return

    def say(line: str) -> None:
        if options.talks:
            err.print(Text(line))

    make_compiled_code(todo, say)


def _register(request: RunRequest) -> None:
    """Note that the studies are part of the results, and say which take the place of others."""
    replaced = [
        f"{request.store.root} held {study.name} with other settings, budget or seed, or of another version; "
        "its records stay, but tables and COCO data now show this one"
        for study in request.studies
        if request.store.register(study.parts[0])
    ]
    print_list("note", replaced, err)


def _set_aside(damages: "Sequence[Damage]", store: "Store") -> None:
    """Say which records are damaged, and make way for those of their trials' next run."""
    print_damage(damages)
    for damaged in damages:
        store.set_aside(damaged)
    if damages:
        err.print(f"note: renamed {counted(len(damages), 'damaged record')} to *.damaged-N; running those trials again")


def _trials_of(request: RunRequest) -> str:
    return counted(len(request.specs), "trial") + (f" of shard {request.shard}" if request.shard else "")


def _fail(failures: "Sequence[TrialFailure]", request: RunRequest, options: RunOptions) -> NoReturn:
    """List what failed at last, say how to try it again, and exit."""
    for failure in failures[:LONGEST_LIST]:
        err.print(Text(f"failed {counted(failure.attempts, 'time')}: {failure.spec}: {failure.kind}: {failure.error}"))
    if len(failures) > LONGEST_LIST:
        err.print(Text(f"… and {len(failures) - LONGEST_LIST} more"))
    fail(
        f"{counted(len(failures), 'trial')} of {len(request.specs)} failed; tracebacks: "
        f"{shlex.join(['sacma', 'status', '--tracebacks', str(request.store.root)])}; "
        f"try {'it' if len(failures) == 1 else 'them'} again: "
        f"{this_command()}{'' if options.failed_only else ' --failed-only'}",
        EXIT_FAILED,
    )


def _campaign(
    completeness: "Completeness", todo: "Sequence[TrialSpec]", store: "Store", backend: "Backend", options: RunOptions
) -> "CampaignResult":
    from sacma.cli.progress import Tally, progress_display  # noqa: PLC0415
    from sacma.experiment.campaign import run_campaign  # noqa: PLC0415

    if options.scheduler and todo:
        _check_scheduler(options.scheduler, warn=options.progress != "quiet")
    of = len(completeness.specs)
    tally = Tally(todo, known_costs(completeness, store), backend.jobs)
    try:
        with progress_display(options.progress, tally, out) as display:

            def on_result(result: "FinishedTrial | TrialFailure", last: bool) -> None:
                tally.count(result, last=last)
                display.show(result, last=last)

            return run_campaign(todo, store, backend=backend, retries=options.retries, on_result=on_result)
    except Interrupted:
        kept = store.count(completeness.specs)
        raise Interrupted(f"interrupted; {kept} of {of} trials are kept; resume with") from None
    except RunError as error:
        kept = store.count(completeness.specs)
        fail(f"{error}; {kept} of {of} trials are kept; go on with: {this_command()}", EXIT_FAILED)


def _derive(studies: "Sequence[StoredStudy]", store: "Store") -> None:
    """Bring what is derived up to date with the records."""

    def on_wait(holder: str) -> None:
        err.print(Text(f"note: waiting for {holder}, to merge COCO data"))

    try:
        with store.lock_derived(this_command(), on_wait):
            for study in studies:
                stored = store.study(study.name)
                if stored is not None:
                    store.derive(stored, lambda damage: print_damage([damage]))
    except RunError as error:
        fail(f"{error}; all records are kept; go on with: {this_command()}", EXIT_FAILED)
