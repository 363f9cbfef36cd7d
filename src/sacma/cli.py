"""The command line: parsing, progress, messages and exit codes; nothing else.

Heavy modules are imported by the commands that need them, so that help is quick.
"""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from rich.console import Console
from rich.text import Text

from sacma import __version__
from sacma.__main__ import Interrupted, this_command
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from sacma.config import Study
    from sacma.experiment.campaign import CampaignResult, Workload
    from sacma.experiment.store import Store

FAILURES = "failures.log"
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

Configs = Annotated[list[Path], typer.Argument(help="YAML files, one algorithm each.", metavar="CONFIG")]
Functions = Annotated[str | None, typer.Option(help="Functions, like 1-5,8.")]
Dimensions = Annotated[str | None, typer.Option(help="Dimensions, like 2,5.")]
Instances = Annotated[str | None, typer.Option(help="Instances, like 1-5,41-50.")]
Budget = Annotated[float | None, typer.Option(help="True evaluations of a trial, divided by D.")]
Target = Annotated[float | None, typer.Option(help="Δf at which a trial stops.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the study.")]
Results = Annotated[Path, typer.Option(help="Folder of results.", envvar="SACMA_RESULTS")]


# click's base of usage errors: typer exports no name for it, and newer ones bring a click of their own.
ClickError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        return app(sys.argv[1:] or ["--help"], prog_name="sacma", standalone_mode=False) or 0
    except SacmaError as error:
        fail(str(error), error.exit_code)
    except ClickError as error:
        fail(f"{error.format_message()} (see: sacma --help)", EXIT_BAD_INPUT)
    except OSError as error:
        if error.filename is None:
            raise
        fail(f"{error.filename}: {error.strerror}", EXIT_FAILED)


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


@app.command(short_help="Run the trials that are not there yet.")
def run(
    configs: Configs,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
    jobs: Annotated[int | None, typer.Option(min=1, help="Parallel trials; default: the number of cores.")] = None,
    backend: Annotated[str, typer.Option(help="loky (parallel) or serial.")] = "loky",
) -> None:
    """Run the trials of one or more configs that are not there yet, and merge their COCO data.

    Options of the protocol replace what the configs say. The same command continues after an interruption.
    """
    studies, work, store = _prepare(
        configs,
        results,
        functions=functions,
        dimensions=dimensions,
        instances=instances,
        budget=budget,
        target=target,
        seed=seed,
    )
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.backends import BACKENDS  # noqa: PLC0415

    if backend not in BACKENDS:
        raise SacmaError(f"--backend: {backend!r} is not a backend; allowed: {', '.join(BACKENDS)}")
    most = 8 * cpu_count()
    if jobs is not None and jobs > most:
        raise SacmaError(f"--jobs: {jobs} is not allowed: at most {most} here, 8 a core; a worker takes some 200 MiB")
    store.prepare()
    for study in studies:
        if store.register(study):
            err.print(
                f"note: {results} held {study.name} with other settings, budget or seed; "
                "its records stay, but tables and COCO data now show this one"
            )
    for path in store.set_aside_damaged(work.missing):
        err.print(Text(f"note: a damaged record is now {path}; its trial is run again"))
    done = len(work.specs) - len(work.missing)
    (results / FAILURES).unlink(missing_ok=True)
    jobs = 1 if backend == "serial" else min(jobs or cpu_count(), max(1, len(work.missing)))
    out.print(
        f"{counted(len(studies), 'algorithm')}, {counted(len(work.specs), 'trial')}: {done} there, "
        f"{len(work.missing)} to run ({jobs} at a time) in {results}",
        soft_wrap=True,
    )
    result = _campaign(studies, work, store, backend, jobs)
    if result.failures:
        log = _log_failures(result, results)
        for failure in result.failures[:10]:
            err.print(Text(f"failed: {failure.spec}: {failure.error.splitlines()[0]}"))
        fail(
            f"{len(result.failures)} of {len(work.specs)} trials failed; tracebacks are in {log}; "
            f"run the same command to try them again: {this_command()}",
            EXIT_FAILED,
        )
    out.print(
        f"all {counted(len(work.specs), 'trial')} in {results}; next: sacma postprocess {shlex.quote(str(results))}",
        soft_wrap=True,
    )


def _campaign(
    studies: "Sequence[Study]", work: "Workload", store: "Store", backend: str, jobs: int
) -> "CampaignResult":
    from sacma.experiment.backends import BACKENDS  # noqa: PLC0415
    from sacma.experiment.backends.loky import WorkerLostError  # noqa: PLC0415
    from sacma.experiment.campaign import run_campaign  # noqa: PLC0415
    from sacma.experiment.trial import TrialFailure  # noqa: PLC0415
    from sacma.progress import progress_display  # noqa: PLC0415

    kept = len(work.specs) - len(work.missing)
    try:
        with progress_display(len(work.missing), out) as progress:

            def on_result(result: Any) -> None:
                nonlocal kept
                failed = isinstance(result, TrialFailure)
                kept += not failed
                progress.advance(evaluations=0 if failed else result.outcome.evaluations, failed=failed)

            return run_campaign(studies, work, store, backend=BACKENDS[backend], jobs=jobs, on_result=on_result)
    except Interrupted:
        raise Interrupted(f"interrupted; {kept} of {len(work.specs)} trials are kept; resume with") from None
    except WorkerLostError as error:
        fail(
            f"{error}; {kept} of {len(work.specs)} trials are kept; go on with: {this_command()}",
            EXIT_FAILED,
        )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, one or many."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _log_failures(result: "CampaignResult", results: Path) -> Path:
    log = results / FAILURES
    log.write_text("\n".join(f"{f.spec}\n{f.traceback}" for f in result.failures))
    return log


def _prepare(
    configs: Sequence[Path], results: Path, **overrides: object
) -> "tuple[tuple[Study, ...], Workload, Store]":
    from sacma.config import load_studies  # noqa: PLC0415
    from sacma.experiment.campaign import workload  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415

    studies = load_studies(configs, overrides)
    store = Store(results)
    return studies, workload(studies, store), store


@app.command(short_help="Show what a run would run.")
def plan(
    configs: Configs,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
) -> None:
    """Show which trials the same run command would run, and which are there. Runs nothing."""
    from sacma.terminal import plan_table  # noqa: PLC0415

    studies, work, _ = _prepare(
        configs,
        results,
        functions=functions,
        dimensions=dimensions,
        instances=instances,
        budget=budget,
        target=target,
        seed=seed,
    )
    out.print(plan_table([study.name for study in studies], work.specs, work.missing))


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
    results: Annotated[
        Path, typer.Argument(help="Folder of results.", envvar="SACMA_RESULTS", metavar="RESULTS")
    ] = Path("results"),
    partial: Annotated[bool, typer.Option("--partial", help="Go on although trials are missing.")] = False,
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Whether to run cocopp.")] = True,
) -> None:
    """Make cocopp's pages and the tables of median Δf and mean ranks from all that is in RESULTS."""
    from sacma.analysis.postprocess import (  # noqa: PLC0415
        check_complete,
        cover,
        differences,
        write_pages,
        write_tables,
    )
    from sacma.experiment.store import Store  # noqa: PLC0415
    from sacma.terminal import median_table, rank_table  # noqa: PLC0415

    store = Store(results)
    coverage = cover(store)
    if not partial:
        check_complete(store, coverage)
    store.prepare()
    for difference in differences(coverage):
        err.print(f"note: {difference}")
    tables = write_tables(store, coverage)
    page = None
    if pages:
        start = time.monotonic()
        out.print(f"cocopp looks at {counted(len(coverage), 'algorithm')} …")
        page = write_pages(store, coverage)
        out.print(f"cocopp took {time.monotonic() - start:.0f} s")
    out.print(median_table(tables.medians))
    out.print(rank_table(tables.ranks))
    if not all(c.complete for c in coverage):
        out.print("PARTIAL: trials are missing; medians are over those that are there (column trials)")
    out.print(f"tables: {tables.medians_file}\n        {tables.ranks_file}", soft_wrap=True)
    if page:
        out.print(f"open:   {page}", soft_wrap=True)
