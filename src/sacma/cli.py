"""The command line: parsing, progress, messages and exit codes; nothing else.

Heavy modules are imported by the commands that need them, so that help is quick.
"""

import io
import re
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer
from rich.console import Console
from rich.text import Text

from sacma import __version__
from sacma.__main__ import Interrupted, this_command
from sacma.errors import RunError, SacmaError

if TYPE_CHECKING:
    from sacma.experiment.backends import Backend
    from sacma.experiment.campaign import CampaignResult
    from sacma.experiment.cost import CostModel
    from sacma.experiment.coverage import Coverage
    from sacma.experiment.failure import TrialFailure
    from sacma.experiment.plan import TrialSpec
    from sacma.experiment.record import FinishedTrial
    from sacma.experiment.store import Store, StoredStudy

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2

app = typer.Typer(
    name="sacma",
    help="Benchmark surrogate-assisted CMA-ES on COCO/BBOB.",
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

Configs = Annotated[list[Path] | None, typer.Argument(help="YAML files, one algorithm each.", metavar="CONFIG")]
Functions = Annotated[str | None, typer.Option(help="Functions, like 1-5,8.")]
Dimensions = Annotated[str | None, typer.Option(help="Dimensions, like 2,5.")]
Instances = Annotated[str | None, typer.Option(help="Instances, like 1-5,41-50.")]
Budget = Annotated[float | None, typer.Option(help="True evaluations of a trial, divided by D.")]
Target = Annotated[float | None, typer.Option(help="Δf at which a trial stops.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the study.")]
Results = Annotated[Path, typer.Option(help="Folder of results.", envvar="SACMA_RESULTS")]
ResultsArgument = Annotated[Path, typer.Argument(help="Folder of results.", envvar="SACMA_RESULTS", metavar="RESULTS")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Parallel trials; default: the number of cores.")]
Shard = Annotated[str | None, typer.Option(help="Only shard K of N, like 2/10: for job arrays.", metavar="K/N")]

LONGEST_LIST = 20
"""Lines of a list of trials."""


# click's base of usage errors: typer exports no name for it, and newer ones bring a click of their own.
ClickError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])


def main() -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # Δ and … on a terminal that has none
    try:
        return app(sys.argv[1:] or ["--help"], prog_name="sacma", standalone_mode=False) or 0
    except SacmaError as error:
        fail(str(error), error.exit_code)
    except ClickError as error:
        fail(f"{error.format_message()} (see: sacma --help)", EXIT_BAD_INPUT)
    except BrokenPipeError:
        fail("whoever read the output has gone", EXIT_FAILED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}", EXIT_FAILED)


def fail(message: str, code: int) -> NoReturn:
    """Say in one line what is wrong, and exit."""
    err.print(Text(f"sacma: {' '.join(message.split())}"))
    sys.exit(code)


def _version(asked: bool) -> None:
    if asked:
        out.print(f"sacma {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Benchmark surrogate-assisted CMA-ES on COCO/BBOB."""


@dataclass(frozen=True)
class Asked:
    """What trials a command is about.

    Args:
        studies: from configs, or those that are in the results.
        specs: their trials, or a shard of them.
        store: the results.
    """

    studies: "Sequence[StoredStudy]"
    specs: "tuple[TrialSpec, ...]"
    store: "Store"


@app.command(short_help="Run the trials that are not there yet.")
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

    overrides = _overrides(functions, dimensions, instances, budget, target, seed)
    asked = _asked(configs, results, overrides, shard)
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
    tally = Tally(todo, _costs(coverage), backend.jobs)
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


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, one or many."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _overrides(
    functions: str | None,
    dimensions: str | None,
    instances: str | None,
    budget: float | None,
    target: float | None,
    seed: int | None,
) -> dict[str, object]:
    given = {
        "functions": functions,
        "dimensions": dimensions,
        "instances": instances,
        "budget": budget,
        "target": target,
        "seed": seed,
    }
    return {key: value for key, value in given.items() if value is not None}


def _asked(
    configs: Sequence[Path] | None, results: Path, overrides: dict[str, object], shard_text: str | None
) -> Asked:
    from sacma.config import load_studies  # noqa: PLC0415
    from sacma.experiment.coverage import shard  # noqa: PLC0415
    from sacma.experiment.store import Store, StoredStudy  # noqa: PLC0415

    store = Store(results)
    if configs:
        studies: Sequence[StoredStudy] = [StoredStudy((study,)) for study in load_studies(configs, overrides)]
    else:
        studies = store.studies()
        if not studies:
            raise SacmaError(f"{results} holds no study to continue; name at least one CONFIG")
        if overrides:
            raise SacmaError(f"--{next(iter(overrides))} changes what a config says; name at least one CONFIG")
    specs = tuple(spec for study in studies for spec in study.specs())
    if shard_text is not None:
        number, of = _parse_shard(shard_text)
        specs = shard(specs, number, of)
    return Asked(studies, specs, store)


def _parse_shard(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", given)
    if match is None or int(match[1]) > int(match[2]):
        raise SacmaError(f"--shard: {given!r} is not allowed; give K/N with 1 <= K <= N, like 2/10")
    return int(match[1]), int(match[2])


def _register(asked: Asked, configs: Sequence[Path] | None) -> None:
    if not configs:
        return
    for study in asked.studies:
        if asked.store.register(study.parts[0]):
            err.print(
                f"note: {asked.store.root} held {study.name} with other settings, budget or seed; "
                "its records stay, but tables and COCO data now show this one"
            )


def _costs(coverage: "Coverage") -> "CostModel":
    from sacma.experiment.cost import CostModel  # noqa: PLC0415

    costs = CostModel()
    for spec, outcome in coverage.trials:
        costs.learn(spec, outcome.cpu.total)
    return costs


@app.command(short_help="Show what a run would run, and what it will cost.")
def plan(
    configs: Configs = None,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
    jobs: Jobs = None,
    shard: Shard = None,
) -> None:
    """Show which trials the same run command would run, which are there, and what time and space the rest will take.

    Runs nothing. Costs are those of finished trials in RESULTS, and of shipped figures where there are none.
    """
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, work_in  # noqa: PLC0415
    from sacma.experiment.coverage import cover  # noqa: PLC0415
    from sacma.progress import clock  # noqa: PLC0415
    from sacma.terminal import plan_table  # noqa: PLC0415

    asked = _asked(configs, results, _overrides(functions, dimensions, instances, budget, target, seed), shard)
    coverage = cover(asked.store, asked.specs)
    costs = _costs(coverage)
    out.print(plan_table(coverage, costs))
    if coverage.complete:
        out.print("nothing to run")
        return
    workers = jobs or cpu_count()
    if results.exists() and not results.is_dir():
        raise SacmaError(f"--results: {results} is not a folder")
    cpu_seconds = costs.seconds(work_in(coverage.missing))
    free = shutil.disk_usage(next(folder for folder in [results, *results.absolute().parents] if folder.exists())).free
    needed = bytes_on_disk(coverage.missing)
    source = f"by {costs.trials} finished trials" if costs.trials else "by shipped figures"
    out.print(f"CPU time:  {cpu_seconds / 3600:.2g} h, {source}")
    out.print(
        f"wall time: {clock(SECONDS_TO_START + cpu_seconds / workers)} with {counted(workers, 'worker')} (--jobs)"
    )
    out.print(f"disk:      {needed / 1e6:,.0f} MB more, {free / 1e6:,.0f} MB free")
    if needed > free:
        err.print("note: that is more than there is")


@app.command(short_help="Show how complete results are, and what to do next.")
def status(
    results: ResultsArgument = Path("results"),
    tracebacks: Annotated[bool, typer.Option("--tracebacks", help="Show failures in full.")] = False,
) -> None:
    """Show what is done, missing and failed of each study in RESULTS, who works on it, and the next command."""
    from sacma.experiment.coverage import cover_studies  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415
    from sacma.terminal import missing_lines, status_table  # noqa: PLC0415

    store = Store(results)
    covered = cover_studies(store)
    out.print(status_table(covered))
    missing = [line for _, coverage in covered for line in missing_lines(coverage)]
    if any(coverage.heads for _, coverage in covered):
        _print_list("missing", missing)
    failures = [coverage.failures[spec.key] for _, coverage in covered for spec in coverage.failed]
    for failure in failures if tracebacks else ():
        out.print(Text(f"\n{failure.spec}: {failure.kind}: {failure.error}\n{failure.traceback}"), soft_wrap=True)
    if not tracebacks:
        _print_list("failed", [f"{f.spec}: {f.kind}: {f.error} ({counted(f.attempts, 'time')})" for f in failures])
    environments = {key for _, coverage in covered for key in coverage.environments}
    if len(environments) > 1:
        out.print(f"note: the trials ran in {len(environments)} environments; provenance/ says which")
    writer = store.writer()
    if writer is not None:
        out.print(Text(f"running: {writer}"), soft_wrap=True)
        return
    command = ["sacma", "postprocess", str(results)]
    if missing:
        command = ["sacma", "run", "--results", str(results)]
        if all(coverage.failed == coverage.missing for _, coverage in covered):
            command.insert(2, "--failed-only")
    out.print(f"next: {shlex.join(command)}", soft_wrap=True)


def _print_list(what: str, lines: Sequence[str], console: Console = out) -> None:
    for line in lines[:LONGEST_LIST]:
        console.print(Text(f"{what}: {line}"), soft_wrap=True)
    if len(lines) > LONGEST_LIST:
        console.print(f"{what}: … and {len(lines) - LONGEST_LIST} lines more")


@app.command(short_help="Run one trial again and compare it bit by bit.")
def replay(
    record: Annotated[Path, typer.Argument(help="A file *.record of a results folder.", metavar="RECORD")],
) -> None:
    """Run the trial of RECORD again, and say whether it gives the same bits, or where it first differs.

    Exit code 1 if it differs. What differs between the environments then and now is listed too.
    """
    from sacma.experiment.record import DamagedRecordError, decode  # noqa: PLC0415

    try:
        content = decode(record.read_bytes())
    except OSError as error:
        raise SacmaError(f"{record} cannot be read: {error.strerror}") from None
    except DamagedRecordError as error:
        raise SacmaError(f"{record} is damaged or no record: {error}") from None
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.experiment.replay import replay as run_again  # noqa: PLC0415

    old = content.provenance
    out.print(f"{content.spec}, run on {old.host} at {old.started} with sacma {old.environment.sacma}", soft_wrap=True)
    if content.spec.algorithm not in ALGORITHMS:
        raise SacmaError(f"the algorithm {content.spec.algorithm} of {record} is not installed; install its package")
    try:
        result = run_again(content)
    except Exception as error:
        raise RunError(f"{content.spec} fails now: {type(error).__name__}: {error}") from error
    for phrase in result.environment:
        out.print(Text(f"environment differs, then / now: {phrase}"), soft_wrap=True)
    if result.difference is None:
        out.print("bit-identical")
        return
    fail(f"differs first at {result.difference}", EXIT_FAILED)


@app.command(short_help="List algorithms and their settings.")
def algorithms() -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Protocol, Study  # noqa: PLC0415
    from sacma.terminal import description  # noqa: PLC0415

    out.print(description("config", "the keys of a YAML file", Study, set()))
    known: set[str] = set()
    for name, algorithm in ALGORITHMS.items():
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known))
        known.update(algorithm.settings.model_fields)
    out.print(description("protocol", "what is run, of any algorithm", Protocol, set()))


@app.command(short_help="Make pages and tables of results.")
def postprocess(
    results: ResultsArgument = Path("results"),
    partial: Annotated[
        bool, typer.Option("--partial", help="Go on although trials are missing; all that is made says so.")
    ] = False,
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Whether to run cocopp.")] = True,
    foreign: Annotated[
        list[str] | None,
        typer.Option("--with", help="COCO data of others, a folder or an archive, to compare.", metavar="NAME=PATH"),
    ] = None,
) -> None:
    """Make cocopp's pages and tables from all that is in RESULTS.

    The tables are median Δf, mean ranks, tests whether they differ, and how often each algorithm beats each other.
    """
    from sacma.analysis.postprocess import (  # noqa: PLC0415
        budget_of,
        check_complete,
        check_finished,
        derive,
        differences,
        foreign_notes,
        load_foreign,
        target_of,
        write_pages,
        write_tables,
    )
    from sacma.experiment.coverage import cover_studies  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415
    from sacma.terminal import median_table, missing_lines, rank_table  # noqa: PLC0415

    store = Store(results)
    covered = cover_studies(store)
    check_finished(store, covered)
    missing = [line for _, coverage in covered for line in missing_lines(coverage)]
    others = load_foreign(foreign or (), [study.name for study, _ in covered])
    _print_list("missing", missing, err)
    if not partial:
        check_complete(store, covered)
    store.prepare()
    with store.lock_derived(this_command()):
        notes = [*differences(covered), *derive(store, covered)]
        notes += foreign_notes(others, budget_of(covered), target_of(covered))
        for note in notes:
            err.print(Text(f"note: {note}"))
        tables = write_tables(store, covered, others)
        page = None
        if pages:
            start = time.monotonic()
            out.print(f"cocopp looks at {counted(len(covered) + len(others), 'algorithm')} …")
            page = write_pages(store, covered, others)
            out.print(f"cocopp took {time.monotonic() - start:.0f} s")
    out.print(median_table(tables.medians))
    out.print(rank_table(tables.ranks))
    if missing:
        out.print("PARTIAL: trials are missing; medians are over those that are there (column trials)")
    for number, file in enumerate(tables.files):
        out.print(f"{'        ' if number else 'tables: '}{file}", soft_wrap=True)
    if page:
        out.print(f"open:   {page}", soft_wrap=True)


@app.command(short_help="Pack COCO data for submission to the COCO data archive.")
def export(
    results: ResultsArgument = Path("results"),
    output: Annotated[Path | None, typer.Option(help="Folder of archives; default: RESULTS/export.")] = None,
    accept_warnings: Annotated[
        bool, typer.Option("--accept-warnings", help="Export although cocopp warns, of few instances for example.")
    ] = False,
) -> None:
    """Pack the COCO folder of each algorithm in RESULTS as NAME.tgz, ready for the COCO data archive.

    Each is checked: every trial of the study is there once, headers agree, data files are complete, and cocopp loads
    it without a warning.
    """
    from sacma.analysis.export import find_faults, load_in_cocopp, pack, read_folder  # noqa: PLC0415
    from sacma.analysis.postprocess import check_complete, check_finished  # noqa: PLC0415
    from sacma.experiment.coverage import cover_studies  # noqa: PLC0415
    from sacma.experiment.store import Store, write_whole  # noqa: PLC0415

    store = Store(results)
    covered = cover_studies(store)
    check_finished(store, covered)
    check_complete(store, covered)
    folder = output or results / "export"
    store.prepare()
    with store.lock_derived(this_command()):
        for study, coverage in covered:
            store.derive(study)
            contents = read_folder(store.coco_folder(study.name))
            places = [spec.place for spec in coverage.specs]
            faults = find_faults(contents, places)
            if faults:
                more = f" (and {counted(len(faults) - 1, 'more fault')})" if len(faults) > 1 else ""
                fail(f"{study.name}: {faults[0]}{more}", EXIT_FAILED)
            archive = pack(study.name, contents)
            warned = load_in_cocopp(study.name, archive, places)
            _print_list(f"{study.name}: cocopp warns", warned, err)
            if warned and not accept_warnings:
                fail(
                    f"{study.name} is not exported: cocopp warns of it; with --accept-warnings it is all the same",
                    EXIT_FAILED,
                )
            path = folder / f"{study.name}.tgz"
            write_whole(path, archive)
            out.print(f"{path}: {counted(len(places), 'trial')}, {len(archive) / 1e6:.1f} MB, checked", soft_wrap=True)
