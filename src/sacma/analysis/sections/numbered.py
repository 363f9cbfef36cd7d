"""The paper's tables and figures, made as in the paper from our trials of each reading, with the paper's numbers."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from sacma.analysis.paper.readings import ADAPTIVE, ALGORITHMS, Reading
from sacma.analysis.section import Drawing, Report, Section
from sacma.analysis.sections.control import FIGURE_2, control_frequency, transfer_functions
from sacma.analysis.sections.cpu import cpu_table
from sacma.analysis.sections.data import PAPER_SWEEP, grid_table, paper_sweep
from sacma.analysis.sections.ecdf import ecdf
from sacma.analysis.sections.pairwise import wins_table
from sacma.analysis.sections.ranks import mean_ranks_table
from sacma.analysis.sections.readings import EVIDENCE, as_in_paper, costs_of
from sacma.analysis.table_format import FormattedTable
from sacma.analysis.trials import OF_TARGET
from sacma.coco.function_names import function_title

PIECE = """
<h3>Its tables and figures, from our trials</h3>
<p class="caption">With the paper's numbers. Those of trials are of each reading by itself: its algorithms are ranked
among themselves, and {{ "#FE_t"|symbols }} is that of their medians. Tables and figures of other sections are over all
algorithms that are compared.</p>
{{ figure("figure_1", "Figure 1: transfer functions γ, from the error of the model to the share of the largest number\
 of model-evaluated generations.") }}
{% for each in tables %}{{ table(each) }}{% endfor %}
{{ figure("figure_2", "Figure 2: control frequency, true over model-evaluated generations, of single whole\
 trials; in the paper on f8 in 20-D.") }}
{{ figure("figure_3", "Figure 3: proportion of targets reached over evaluations/D, bootstrapped, by groups of\
 functions; in the paper in 20-D.") }}
"""

TRIED = f"The paper tried every combination for each adaptive algorithm; sacma sweep configs/sweeps/{PAPER_SWEEP} does."
STEEPNESS = (2.0,)  # of the study


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield Tables 1 to 4, all but the first for each reading."""
    if not report.comparison.readings:
        return
    yield replace(grid_table(paper_sweep()), name="table1_grid", caption=TRIED)
    made = [table for reading in report.comparison.readings for table in _of_reading(report, reading)]
    yield from sorted(made, key=lambda table: table.number or 0)


def _of_reading(report: Report, reading: Reading) -> Iterator[FormattedTable]:
    """Yield Tables 2 to 4 of one reading, as far as there are trials for them."""
    findings, comparison = report.findings, report.comparison
    evidence = findings.once(EVIDENCE[reading])
    cpu = as_in_paper(findings["cpu"], comparison, reading)
    adaptive = cpu[cpu["algorithm"].isin(ADAPTIVE)]
    tables = []
    if len(adaptive):
        tables.append((2, cpu_table(adaptive)))
    if len(set(evidence.ranks["algorithm"])) > 1:
        tables.append((3, mean_ranks_table(evidence.ranks, evidence.tests, OF_TARGET)))
        tables.append((4, wins_table(evidence.pairs, OF_TARGET)))
    for number, table in tables:
        name = f"table{number}_{table.name.removeprefix('table_')}_{reading.key}"
        yield replace(table, name=name, number=number, reading=reading.title)


def _figures(report: Report) -> Iterator[Drawing]:
    """Yield Figures 1 to 3, all but the first for each reading, the last two in 20-D if that is there."""
    readings = report.comparison.readings
    if readings:
        make = partial(transfer_functions, STEEPNESS)
        yield Drawing("figure1_transfer_functions", "figure_1", "T₁ and T₂", make)
    for reading in readings:
        yield from _control(report, reading)
    for reading in readings:
        yield from _run_lengths(report, reading)


def _control(report: Report, reading: Reading) -> Iterator[Drawing]:
    costs = costs_of(report.findings, reading)
    there = costs[costs["algorithm"].isin(ADAPTIVE) & (costs["function"] == FIGURE_2[1])]
    if len(there):
        D, f = _dimension(there["dimension"]), FIGURE_2[1]
        make = partial(control_frequency, there, function=f, dimension=D, **_look(report))
        title = f"{function_title(f)}, {D}-D, {reading.title}"
        yield Drawing(f"figure2_control_f{f:02d}_{D:02d}D_{reading.key}", "figure_2", title, make)


def _run_lengths(report: Report, reading: Reading) -> Iterator[Drawing]:
    curves = report.findings.once(EVIDENCE[reading]).ecdf
    if len(curves):
        D = _dimension(curves["dimension"])
        make = partial(ecdf, curves[curves["dimension"] == D], dimension=D, **_look(report))
        title = f"{D}-D, {reading.title}"
        yield Drawing(f"figure3_run_lengths_{D:02d}D_{reading.key}", "figure_3", title, make)


def _dimension(dimensions: Iterable[int]) -> int:
    """Return that of the paper's figures, or the largest."""
    there = set(dimensions)
    return FIGURE_2[0] if FIGURE_2[0] in there else int(max(there))


def _look(report: Report) -> dict[str, Any]:
    return {"algorithms": ALGORITHMS, "partial": not report.comparison.complete}


SECTION = Section(
    key="publication",
    title="Publication",
    tables=_tables,
    figures=_figures,
    piece=PIECE,
    shown=lambda findings: findings.comparison.of_paper,
    applies=lambda comparison: comparison.of_paper,
    scoped=False,
)
