"""sacma run: run the trials that are not there yet."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.__main__ import Interrupted, this_command
from sacma.cli.common import (
    EXIT_FAILED,
    LONGEST_LIST,
    Budget,
    Configs,
    Dimensions,
    Functions,
    Instances,
    Jobs,
    Results,
    Seed,
    Shard,
    Target,
    counted,
    err,
    fail,
    out,
)
from sacma.cli.trials import Asked, asked_trials, known_costs, protocol_overrides
from sacma.errors import RunError, SacmaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sacma.experiment.backends import Backend
    from sacma.experiment.campaign import CampaignResult
    from sacma.experiment.coverage import Coverage
    from sacma.experiment.failure import TrialFailure
    from sacma.experiment.plan import TrialSpec
    from sacma.experiment.record import FinishedTrial
    from sacma.experiment.store import Store, StoredStudy


def run(
    configs: Configs = None,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
    jobs: Jobs = None,
    backend: Annotated[str, typer.Option(help="loky (worker processes), dask (clusters) or serial.")] = "loky",
    scheduler: Annotated[
        str | None, typer.Option(help="Of a dask cluster, like tcp://host:8786.", metavar="ADDRESS")
    ] = None,
    shard: Shard = None,
    retries: Annotated[int, typer.Option(min=0, help="How often a trial that fails is tried again.")] = 1,
    trial_timeout: Annotated[
        float | None, typer.Option(min=0.001, max=1e8, help="Seconds after which a trial is ended, as failed.")
    ] = None,
    failed_only: Annotated[bool, typer.Option("--failed-only", help="Run only what failed before.")] = False,
    progress: Annotated[str, typer.Option(help="bar, lines, json, quiet, or auto for what suits.")] = "auto",
) -> None:
    """Run the trials of one or more configs that are not there yet, and merge their COCO data.

    Options of the protocol replace what the configs say. The same command continues after an interruption. Without a
    config, the studies that are in the results are continued.
    """
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.backends import make_backend  # noqa: PLC0415
    from sacma.experiment.coverage import cover, to_run  # noqa: PLC0415
    from sacma.progress import MODES, print_json  # noqa: PLC0415

    overrides = protocol_overrides(functions, dimensions, instances, budget, target, seed)
    asked = asked_trials(configs, results, overrides, shard)
    if progress not in MODES:
        raise SacmaError(f"--progress: {progress!r} is not allowed; allowed: {', '.join(MODES)}")
    most = 8 * cpu_count()
    if jobs is not None and jobs > most:
        raise SacmaError(f"--jobs: {jobs} is not allowed: at most {most} here, 8 a core; a worker takes some 300 MiB")
    make_backend(backend, jobs=1, trial_timeout=trial_timeout, scheduler=scheduler)  # complains before a folder is made
    store, talk = asked.store, progress not in {"json", "quiet"}
    store.prepare()
    with store.lock_records(this_command()):
        _register(asked, configs)
        coverage = cover(store, asked.specs)
        for damaged in coverage.damaged:
            aside = store.set_aside(damaged)
            err.print(Text(f"note: a damaged record ({damaged.reason}) is now {aside}; its trial is run again"))
        todo = to_run(coverage, failed_only=failed_only)
        jobs = max(1, min(jobs or cpu_count(), len(todo)))
        chosen = make_backend(backend, jobs=jobs, trial_timeout=trial_timeout, scheduler=scheduler)
        where = f"on {scheduler}" if scheduler else f"{chosen.jobs} at a time"
        done = len(coverage.specs) - len(coverage.missing)
        if talk:
            out.print(
                f"{counted(len(asked.studies), 'algorithm')}, {_trials_of(asked, shard)}: {done} there, "
                f"{len(todo)} to run{' of those that failed' * failed_only} ({where}) in {results}",
                soft_wrap=True,
            )
        if progress == "json":
            print_json(out, {"event": "start", "trials": len(asked.specs), "done": done, "to_run": len(todo)})
        result = _campaign(coverage, todo, store, chosen, retries, progress)
    _derive(asked.studies, store)
    if progress == "json":
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
        again = this_command() + ("" if failed_only else " --failed-only")
        _list_failures(result.failures)
        fail(
            f"{counted(len(result.failures), 'trial')} of {len(asked.specs)} failed; tracebacks: "
            f"{shlex.join(['sacma', 'status', '--tracebacks', str(results)])}; try {_them(result.failures)} again: "
            f"{again}",
            EXIT_FAILED,
        )
    if talk:
        done += result.finished
        following = f"next: sacma postprocess {shlex.quote(str(results))}"
        if shard:
            following = "next: copy the folders of all shards together"
        what = _trials_of(asked, shard)
        have = f"all {what}" if done == len(asked.specs) else f"{done} of {what}"
        out.print(f"{have} in {results}; {following}", soft_wrap=True)


def _register(asked: Asked, configs: "Sequence[Path] | None") -> None:
    if not configs:
        return
    for study in asked.studies:
        if asked.store.register(study.parts[0]):
            err.print(
                f"note: {asked.store.root} held {study.name} with other settings, budget or seed; "
                "its records stay, but tables and COCO data now show this one"
            )


def _trials_of(asked: Asked, shard: str | None) -> str:
    return counted(len(asked.specs), "trial") + (f" of shard {shard}" if shard else "")


def _them(failures: "Sequence[TrialFailure]") -> str:
    return "it" if len(failures) == 1 else "them"


def _list_failures(failures: "Sequence[TrialFailure]") -> None:
    for failure in failures[:LONGEST_LIST]:
        err.print(Text(f"failed {counted(failure.attempts, 'time')}: {failure.spec}: {failure.kind}: {failure.error}"))
    if len(failures) > LONGEST_LIST:
        err.print(Text(f"… and {len(failures) - LONGEST_LIST} more"))


def _campaign(
    coverage: "Coverage", todo: "Sequence[TrialSpec]", store: "Store", backend: "Backend", retries: int, mode: str
) -> "CampaignResult":
    from sacma.experiment.campaign import run_campaign  # noqa: PLC0415
    from sacma.progress import Tally, progress_display  # noqa: PLC0415

    of = len(coverage.specs)
    tally = Tally(todo, known_costs(coverage), backend.jobs)
    try:
        with progress_display(mode, tally, out) as display:

            def on_result(result: "FinishedTrial | TrialFailure", last: bool) -> None:
                tally.count(result, last=last)
                display.show(result, last=last)

            return run_campaign(todo, store, backend=backend, retries=retries, on_result=on_result)
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
                    store.derive(stored)
    except RunError as error:
        fail(f"{error}; all records are kept; go on with: {this_command()}", EXIT_FAILED)
