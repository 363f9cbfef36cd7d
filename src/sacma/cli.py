"""The command line: parsing, progress, messages and exit codes; nothing else.

Heavy modules are imported by the commands that need them, so that help is quick.
"""

import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sacma import __version__
from sacma.errors import SacmaError

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from sacma.config import Study
    from sacma.experiment.campaign import CampaignResult, Workload
    from sacma.experiment.plan import TrialSpec
    from sacma.experiment.store import Store

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="sacma",
    help="Benchmark surrogate-assisted CMA-ES on COCO/BBOB.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Configs = Annotated[list[Path], typer.Argument(help="YAML files, one algorithm each.", metavar="CONFIG…")]
Functions = Annotated[str | None, typer.Option(help="Functions, like 1-5,8.", rich_help_panel="Protocol")]
Dimensions = Annotated[str | None, typer.Option(help="Dimensions, like 2,5.")]
Instances = Annotated[str | None, typer.Option(help="Instances, like 1-5,41-50.")]
Budget = Annotated[float | None, typer.Option(help="True evaluations of a trial, divided by D.")]
Target = Annotated[float | None, typer.Option(help="Δf at which a trial stops.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the study.")]
Results = Annotated[Path, typer.Option(help="Folder of results.", envvar="SACMA_RESULTS")]


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    try:
        app()
    except SacmaError as error:
        fail(str(error), error.exit_code)
    sys.exit(0)


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


@app.command()
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
        _overrides(
            functions=functions, dimensions=dimensions, instances=instances, budget=budget, target=target, seed=seed
        ),
        results,
    )
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.backends import BACKENDS  # noqa: PLC0415

    if backend not in BACKENDS:
        raise SacmaError(f"--backend: {backend!r} is not a backend; allowed: {', '.join(BACKENDS)}")
    store.prepare()
    for study in studies:
        if store.register(study):
            err.print(
                f"note: {results} held {study.name} with other settings, budget or seed; "
                "its records stay, but tables and COCO data now show this one"
            )
    done = len(work.specs) - len(work.missing)
    jobs = 1 if backend == "serial" else min(jobs or cpu_count(), max(1, len(work.missing)))
    out.print(
        f"{len(studies)} algorithms, {len(work.specs)} trials: {done} there, {len(work.missing)} to run "
        f"({jobs} at a time) in {results}"
    )
    result = _campaign(studies, work, store, backend, jobs)
    if result.failures:
        log = _log_failures(result, results)
        for failure in result.failures[:10]:
            err.print(Text(f"failed: {failure.spec}: {failure.error.splitlines()[0]}"))
        fail(
            f"{len(result.failures)} of {len(work.specs)} trials failed; tracebacks are in {log}; "
            f"run the same command to try them again: {_this_command()}",
            EXIT_FAILED,
        )
    out.print(f"all {len(work.specs)} trials are in {results}; next: sacma postprocess {shlex.quote(str(results))}")


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
    except KeyboardInterrupt:
        fail(
            f"interrupted; {kept} of {len(work.specs)} trials are kept; resume with: {_this_command()}",
            EXIT_INTERRUPTED,
        )
    except WorkerLostError as error:
        fail(
            f"{error}; {kept} of {len(work.specs)} trials are there; continue with: {_this_command()}",
            EXIT_FAILED,
        )


def _this_command() -> str:
    return shlex.join(["sacma", *sys.argv[1:]])


def _log_failures(result: "CampaignResult", results: Path) -> Path:
    log = results / "failures.log"
    log.write_text("\n".join(f"{f.spec}\n{f.traceback}" for f in result.failures))
    return log


def _overrides(
    *,
    functions: str | None,
    dimensions: str | None,
    instances: str | None,
    budget: float | None,
    target: float | None,
    seed: int | None,
) -> dict[str, object]:
    return {
        "functions": functions,
        "dimensions": dimensions,
        "instances": instances,
        "budget": budget,
        "target": target,
        "seed": seed,
    }


def _prepare(
    configs: Sequence[Path], overrides: Mapping[str, object], results: Path
) -> "tuple[tuple[Study, ...], Workload, Store]":
    from sacma.config import load_studies  # noqa: PLC0415
    from sacma.experiment.campaign import workload  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415

    studies = load_studies(configs, overrides)
    store = Store(results)
    return studies, workload(studies, store), store


@app.command()
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
    """Show which trials the same `run` would run, and which are there. Runs nothing."""
    studies, work, _ = _prepare(
        configs,
        _overrides(
            functions=functions, dimensions=dimensions, instances=instances, budget=budget, target=target, seed=seed
        ),
        results,
    )
    missing = {spec.key for spec in work.missing}
    all_dimensions = sorted({spec.dimension for spec in work.specs})
    table = _table("trials there / all", *(f"{D}-D" for D in all_dimensions), "all", "evaluations to make")
    for study in studies:
        specs = [spec for spec in work.specs if spec.name == study.name]
        table.add_row(study.name, *_done(specs, missing, all_dimensions), _to_make(specs, missing))
    if len(studies) > 1:
        table.add_row("all", *_done(work.specs, missing, all_dimensions), _to_make(work.specs, missing))
    out.print(table)


def _done(specs: "Iterable[TrialSpec]", missing: set[str], dimensions: Sequence[int]) -> list[str]:
    specs = list(specs)
    groups = [[spec for spec in specs if spec.dimension == D] for D in dimensions]
    return [f"{sum(spec.key not in missing for spec in group)}/{len(group)}" for group in [*groups, specs]]


def _to_make(specs: "Iterable[TrialSpec]", missing: set[str]) -> str:
    return f"{sum(spec.budget for spec in specs if spec.key in missing):,}"


@app.command()
def algorithms() -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Protocol  # noqa: PLC0415

    shown: set[str] = set()
    for name, algorithm in ALGORITHMS.items():
        _describe(f"algorithm: {name}", algorithm.summary, algorithm.settings, shown)
    _describe("protocol", "of any algorithm", Protocol, set())


def _describe(title: str, summary: str, model: "type[BaseModel]", shown: set[str]) -> None:
    """Print a model's fields; refer back to those in ``shown`` and add to it."""
    out.print(Text(f"{title}  {summary}", style="bold"))
    new = {name: info for name, info in model.model_fields.items() if name not in shown}
    known = [name for name in model.model_fields if name in shown]
    if known:
        out.print(Padding(f"as above: {', '.join(known)}", (0, 0, 0, 2)))
    table = _table("  key", "default", "meaning", right=False)
    for name, info in new.items():
        allowed = _allowed(info)
        table.add_row(f"  {name}", _default(info), f"{info.description}{f' ({allowed})' if allowed else ''}")
    out.print(table)
    out.print()
    shown.update(model.model_fields)


def _default(info: "FieldInfo") -> str:
    from sacma.ranges import format_ranges  # noqa: PLC0415

    if info.is_required():
        return "required"
    default = info.default
    if isinstance(default, tuple):
        return format_ranges(default)
    if isinstance(default, float):
        return f"{default:.6g}"
    if default is None or isinstance(default, bool):
        return {None: "null", True: "true", False: "false"}[default]
    return str(default)


def _allowed(info: "FieldInfo") -> str:
    """Return the range or the choices of a field in words."""
    from typing import get_args  # noqa: PLC0415

    symbols = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    bounds = [
        f"{symbol} {getattr(constraint, name):g}"
        for constraint in info.metadata
        for name, symbol in symbols.items()
        if getattr(constraint, name, None) is not None
    ]
    choices = [choice for choice in get_args(info.annotation) if isinstance(choice, str)]
    return ", ".join(bounds) or " | ".join(choices)


@app.command()
def postprocess(
    results: Annotated[Path, typer.Argument(help="Folder of results.")] = Path("results"),
    partial: Annotated[bool, typer.Option("--partial", help="Go on although trials are missing.")] = False,
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Whether to run cocopp.")] = True,
) -> None:
    """Make cocopp's pages and the tables of median Δf and mean ranks from all that is in RESULTS."""
    from sacma.analysis.postprocess import check_complete, cover, write_pages, write_tables  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415

    store = Store(results)
    coverage = cover(store)
    if not partial:
        check_complete(coverage)
    store.prepare()
    page = None
    if pages:
        start = time.monotonic()
        out.print(f"cocopp compares {len(coverage)} algorithms …")
        page = write_pages(store, coverage)
        out.print(f"cocopp took {time.monotonic() - start:.0f} s")
    tables = write_tables(store, coverage)
    _print_medians(tables.medians)
    _print_ranks(tables.ranks)
    if not all(c.complete for c in coverage):
        out.print("PARTIAL: trials are missing; medians are over those that are there (column trials)")
    out.print(f"tables: {tables.medians_file}\n        {tables.ranks_file}", soft_wrap=True)
    if page:
        out.print(f"open:   {page}", soft_wrap=True)


def _print_medians(medians: "pd.DataFrame") -> None:
    budget = medians["budget"].max()
    final = medians[medians["budget"] == budget]
    names = list(medians["algorithm"].unique())
    table = _table("f", "D", *names, title=f"median Δf after {budget:g}·D evaluations")
    for (dimension, function), group in final.groupby(["dimension", "function"]):
        by_name = group.set_index("algorithm")["median_delta_f"]
        table.add_row(str(function), str(dimension), *_cells(by_name, names, "{:.1e}"))
    out.print(table)


def _print_ranks(ranks: "pd.DataFrame") -> None:
    names = list(ranks["algorithm"].unique())
    table = _table("D", "evals/D", *names, title="mean rank (1 is best)")
    for (dimension, budget), group in ranks.groupby(["dimension", "budget"]):
        by_name = group.set_index("algorithm")["mean_rank"]
        table.add_row(str(dimension), f"{budget:.4g}", *_cells(by_name, names, "{:.2f}"))
    out.print(table)


def _cells(values: "pd.Series[float]", names: Sequence[str], form: str) -> list[Text]:
    """Format values by name, the lowest in bold."""
    shown = [form.format(values[name]) if name in values else "-" for name in names]
    lowest = form.format(values.min())
    return [Text(cell, style="bold" if cell == lowest else "") for cell in shown]


def _table(first: str, *others: str, title: str | None = None, right: bool = True) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, title_style="bold", header_style="")
    table.add_column(first, justify="left", no_wrap=True)
    for other in others:
        table.add_column(other, justify="right" if right else "left", overflow="fold")
    return table
