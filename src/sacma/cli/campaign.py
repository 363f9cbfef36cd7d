"""Running trials as the commands do: registered, in parallel, with progress, and failures listed."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from rich.text import Text

from sacma.__main__ import Interrupted, this_command
from sacma.cli.common import EXIT_FAILED, LONGEST_LIST, counted, err, fail, out, print_damage, print_list
from sacma.cli.trials import Asked, known_costs
from sacma.errors import RunError, SacmaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sacma.experiment.backends import Backend
    from sacma.experiment.campaign import CampaignResult
    from sacma.experiment.coverage import Coverage
    from sacma.experiment.failure import TrialFailure
    from sacma.experiment.plan import TrialSpec
    from sacma.experiment.record import FinishedTrial
    from sacma.experiment.store import Damage, Store, StoredStudy


@dataclass(frozen=True)
class Manner:
    """How trials are run: options of the command line.

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


def run_trials(asked: Asked, manner: Manner, following: str | None) -> None:
    """Run the trials that are not there yet, merge their COCO data, and exit if any failed.

    Args:
        asked: the trials.
        manner: in which they are run.
        following: what to do next, for people; None where the command goes on.

    Raises:
        SacmaError: an option of ``manner`` is not allowed.
    """
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.backends import make_backend  # noqa: PLC0415
    from sacma.experiment.coverage import cover, to_run  # noqa: PLC0415
    from sacma.experiment.supply import all_at_hand  # noqa: PLC0415
    from sacma.progress import MODES, print_json  # noqa: PLC0415

    if manner.progress not in MODES:
        raise SacmaError(f"--progress: {manner.progress!r} is not allowed; allowed: {', '.join(MODES)}")
    most = 8 * cpu_count()
    if manner.jobs is not None and manner.jobs > most:
        raise SacmaError(
            f"--jobs: {manner.jobs} is not allowed: at most {most} here, 8 a core; a worker takes some 300 MiB"
        )

    def backend_of(jobs: int) -> "Backend":
        return make_backend(manner.backend, jobs=jobs, trial_timeout=manner.trial_timeout, scheduler=manner.scheduler)

    backend_of(1)  # complains before a folder is made
    _check_installed(asked.studies)  # idem
    store = asked.store
    store.prepare()
    with store.lock_records(this_command()):
        if asked.by_file:
            _register(asked)
        coverage = cover(store, asked.specs)
        _set_aside(coverage.damaged, store)
        todo = all_at_hand(to_run(coverage, failed_only=manner.failed_only))
        _compile(todo, manner)
        backend = backend_of(max(1, min(manner.jobs or cpu_count(), len(todo))))
        done = len(coverage.specs) - len(coverage.missing)
        if manner.talks:
            where = f"on {manner.scheduler}" if manner.scheduler else f"{backend.jobs} at a time"
            out.print(
                f"{asked.what}, {_trials_of(asked)}: {done} there, "
                f"{len(todo)} to run{' of those that failed' * manner.failed_only} ({where}) in {store.root}",
                soft_wrap=True,
            )
        if manner.progress == "json":
            print_json(out, {"event": "start", "trials": len(asked.specs), "done": done, "to_run": len(todo)})
        result = _campaign(coverage, todo, store, backend, manner)
    _derive(asked.studies, store)
    if manner.progress == "json":
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
        _fail(result.failures, asked, manner)
    if manner.talks:
        done += result.finished
        what = _trials_of(asked)
        have = f"all {what}" if done == len(asked.specs) else f"{done} of {what}"
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


def _compile(todo: "Sequence[TrialSpec]", manner: Manner) -> None:
    """Compile before the first trial, if need be, and say so; what workers elsewhere have is theirs."""
    from sacma.experiment.compilation import make_compiled_code  # noqa: PLC0415

    if manner.scheduler:
        return

    def say(line: str) -> None:
        if manner.talks:
            err.print(Text(line))

    make_compiled_code(todo, say)


def _register(asked: Asked) -> None:
    """Note that the studies are part of the results, and say which take the place of others."""
    replaced = [
        f"{asked.store.root} held {study.name} with other settings, budget or seed, or of another version; "
        "its records stay, but tables and COCO data now show this one"
        for study in asked.studies
        if asked.store.register(study.parts[0])
    ]
    print_list("note", replaced, err)


def _set_aside(damages: "Sequence[Damage]", store: "Store") -> None:
    """Say which records are damaged, and make way for those of their trials' next run."""
    print_damage(damages)
    for damaged in damages:
        store.set_aside(damaged)
    if damages:
        err.print(f"note: renamed {counted(len(damages), 'damaged record')} to *.damaged-N; running those trials again")


def _trials_of(asked: Asked) -> str:
    return counted(len(asked.specs), "trial") + (f" of shard {asked.shard}" if asked.shard else "")


def _fail(failures: "Sequence[TrialFailure]", asked: Asked, manner: Manner) -> NoReturn:
    """List what failed at last, say how to try it again, and exit."""
    for failure in failures[:LONGEST_LIST]:
        err.print(Text(f"failed {counted(failure.attempts, 'time')}: {failure.spec}: {failure.kind}: {failure.error}"))
    if len(failures) > LONGEST_LIST:
        err.print(Text(f"… and {len(failures) - LONGEST_LIST} more"))
    fail(
        f"{counted(len(failures), 'trial')} of {len(asked.specs)} failed; tracebacks: "
        f"{shlex.join(['sacma', 'status', '--tracebacks', str(asked.store.root)])}; "
        f"try {'it' if len(failures) == 1 else 'them'} again: "
        f"{this_command()}{'' if manner.failed_only else ' --failed-only'}",
        EXIT_FAILED,
    )


def _campaign(
    coverage: "Coverage", todo: "Sequence[TrialSpec]", store: "Store", backend: "Backend", manner: Manner
) -> "CampaignResult":
    from sacma.experiment.campaign import run_campaign  # noqa: PLC0415
    from sacma.progress import Tally, progress_display  # noqa: PLC0415

    if manner.scheduler and todo:
        _check_scheduler(manner.scheduler, warn=manner.progress != "quiet")
    of = len(coverage.specs)
    tally = Tally(todo, known_costs(coverage, store), backend.jobs)
    try:
        with progress_display(manner.progress, tally, out) as display:

            def on_result(result: "FinishedTrial | TrialFailure", last: bool) -> None:
                tally.count(result, last=last)
                display.show(result, last=last)

            return run_campaign(todo, store, backend=backend, retries=manner.retries, on_result=on_result)
    except Interrupted:
        kept = store.count(coverage.specs)
        raise Interrupted(f"interrupted; {kept} of {of} trials are kept; resume with") from None
    except RunError as error:
        kept = store.count(coverage.specs)
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
