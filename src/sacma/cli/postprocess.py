"""sacma postprocess: the report, tables, figures and cocopp's pages of results."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from sacma.cli.console import counted, err, out, output_folder, print_damage, print_list, redraws
from sacma.cli.interruption import this_command

if TYPE_CHECKING:
    from sacma.analysis.postprocess import Written


def postprocess(
    results: Path = Path("results"),
    partial: Annotated[
        bool, typer.Option("--partial", help="Continue without missing trials; all output is marked as partial.")
    ] = False,
    pages: Annotated[
        bool | None,
        typer.Option("--pages/--no-pages", help="Whether to run cocopp; default: where --against is not given."),
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf/--no-pdf", help="Whether to write figures as PDF, too; faster without.")
    ] = True,
    foreign: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Data of others to compare, of COCO, IOHprofiler or Nevergrad, or CSV: a folder, an archive, a file, "
            "a folder of archives, or a name in cocopp's cache.",
            metavar="[NAME=]PATH",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Algorithms whose outcomes come with sacma, to compare without running them: all, or names that "
            "sacma algorithms --kept lists.",
            metavar="NAMES",
        ),
    ] = None,
    algorithms: Annotated[
        str | None, typer.Option(help="Algorithms to compare, like GP-5,CMA-ES; default: all.", metavar="NAMES")
    ] = None,
    functions: Annotated[
        str | None, typer.Option(help="Functions to compare, like 1-5,8; default: all.", metavar="LIST")
    ] = None,
    dimensions: Annotated[
        str | None, typer.Option(help="Dimensions to compare, like 2,5; default: all.", metavar="LIST")
    ] = None,
    instances: Annotated[
        str | None, typer.Option(help="Instances to compare, like 1-5; default: all.", metavar="LIST")
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(
            help="Δf of expected running times, like 1e2..1e-8 or 10,1,1e-3, not below the final target; default: "
            "decades from 100 down.",
            metavar="LIST",
        ),
    ] = None,
    budgets: Annotated[
        str | None,
        typer.Option(
            help="Evaluations/D at which to compare, like 10,25,100, up to the largest; default: the paper's up to "
            "--budget.",
            metavar="LIST",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Algorithm that gains are measured against; default: one of an algorithm file, else CMA-ES, else the "
            "first.",
            metavar="NAME",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=1e9,
            help="Evaluations/D up to which to compare; default: the smallest budget of your algorithms.",
            metavar="NUMBER",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder of report/ and cocopp/; default: RESULTS.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Parallel processes; default: the number of cores.")] = None,
) -> None:
    """Make the report, its tables and figures, and cocopp's pages, from RESULTS and what --with and --against name.

    The report is RESULTS/report/index.html: one page that opens offline. Beside it are its tables as CSV, LaTeX,
    Markdown and HTML, and its figures as SVG and PDF.
    """
    from joblib import cpu_count

    from sacma.analysis.against import beside_kept
    from sacma.analysis.choice import parse_choice
    from sacma.analysis.comparison import Comparison, check_complete, check_finished, compare, load_external_data
    from sacma.analysis.notes import notes
    from sacma.analysis.postprocess import derive, environment_notes, write_pages, write_report
    from sacma.cli.tables import missing_lines
    from sacma.coco.suites import SUITES
    from sacma.files.atomic import check_replaceable
    from sacma.store.completeness import completeness_of_studies
    from sacma.store.store import Store
    from sacma.store.stored_study import check_one_suite

    store, pages = Store(results), against is None if pages is None else pages
    choice = parse_choice(
        algorithms=algorithms,
        functions=functions,
        dimensions=dimensions,
        instances=instances,
        targets=targets,
        budgets=budgets,
    )
    everything = completeness_of_studies(store, needed=not (foreign or against), whole=True)
    studies = [study for study, _ in everything]
    check_one_suite(studies, results)
    suite = SUITES[studies[0].suite] if studies else None
    others = load_external_data(foreign or (), [study.name for study in studies], suite)
    check_finished(store, everything)
    left_out: list[str] = []
    if against is not None:
        both, left_out = beside_kept(
            Comparison(everything, others), against, budget or max(choice.budgets, default=None)
        )
        everything, others = both.covered, both.external
    covered, others = choice.apply(everything, others)
    check_finished(store, covered, chosen=True)
    missing = [line for _, completeness in covered for line in missing_lines(completeness)]
    comparison = compare(covered, others, baseline, choice.targets, budget, budgets=choice.budgets)
    print_damage([damage for _, completeness in covered for damage in completeness.damaged])
    print_list("missing", missing, err)
    if not partial:
        check_complete(store, covered, partial=True)
    store.prepare("copy it to where it can: COCO data are made in it")
    folder = output_folder(output, results)
    with store.lock_derived(this_command()):
        for name in ("report", *["cocopp"] * pages):
            check_replaceable(folder / name)  # before what takes long
        manifests = derive(store, comparison.covered)
        known = [*left_out, *choice.notes, *notes(comparison), *environment_notes(comparison.covered, manifests)]
        for note in known:
            err.print(Text(f"note: {note}"))
        if pages:
            start = time.monotonic()
            out.print(f"cocopp looks at {counted(len(comparison.names), 'algorithm')} …")
            write_pages(store, comparison, choice.cocopp_note, output=folder)
            out.print(f"cocopp took {time.monotonic() - start:.0f} s")
        start = time.monotonic()
        with _step_display() as show:
            written = write_report(
                store,
                comparison,
                manifests,
                known,
                output=folder,
                jobs=jobs or cpu_count(),
                pdf=pdf,
                pages=pages,
                on_step=show,
            )
        out.print(f"the report took {time.monotonic() - start:.0f} s, with {counted(written.figures, 'figure')}")
    _print_found(written, missing)


def _print_found(written: "Written", missing: list[str]) -> None:
    """Print the findings, and the paths of the report."""
    from sacma.cli.tables import own_places, rank_table

    out.print()
    out.print(Text(written.summary.headline))
    out.print()
    for sentence in written.summary.more:
        out.print(Text(f"- {sentence}"))
    out.print()
    ranks = written.findings["mean_ranks"]
    comparison = written.findings.comparison
    kept = {study.name for study, completeness in comparison.covered if completeness.manifest}
    own = set(comparison.names) - kept if kept else set[str]()
    if len(comparison.names) > 1 and len(ranks):
        out.print(rank_table(ranks, own))
    for line in own_places(ranks, written.findings["areas"], own) if own and len(ranks) else ():
        out.print(Text(line))
    if missing:
        out.print("PARTIAL: trials are missing; medians are over those that are there (column trials)")
    out.print(f"tables:  {written.page.parent / 'tables'}, pairwise.csv has all pairs", soft_wrap=True)
    out.print(f"figures: {written.page.parent / 'figures'}", soft_wrap=True)
    out.print(f"open:    {written.page}", soft_wrap=True)


@contextmanager
def _step_display() -> Iterator[Callable[[str, float], None]]:
    """Show steps and the part that is done: by a bar, or in a log by a line for each kind of step."""
    columns = BarColumn(bar_width=20), TextColumn("{task.description}")
    bar = Progress(*columns, console=out, transient=True, disable=not redraws(out))
    task, last = bar.add_task("", total=1.0), ""

    def show(what: str, part: float) -> None:
        nonlocal last
        bar.update(task, completed=part, description=what)
        if bar.disable and what.partition(" ")[0] != last.partition(" ")[0]:
            out.print(f"{what} …", soft_wrap=True)
        last = what

    with bar:
        yield show
