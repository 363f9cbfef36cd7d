"""sacma postprocess: pages and tables of results."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sacma.__main__ import this_command
from sacma.cli.common import ResultsArgument, counted, err, out, print_list


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
    print_list("missing", missing, err)
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
