"""Results beside the paper's: mean ranks, wins and CPU time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import COLUMN, LINE, PAGE, guide, mark_key, new_layout
from sacma.analysis.figures.rows import rows
from sacma.analysis.figures.style import FAINT, Look, looks, styled
from sacma.analysis.notes import paper_notes
from sacma.analysis.paper.beside import correlations, cpu_beside, mean_ranks_beside, pairs_beside
from sacma.analysis.paper.published import ALGORITHMS, READINGS, Reading
from sacma.analysis.section import Drawing, Findings, Make, Report, Section, of_all, of_one
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, lowest, number, number_rows, spanning
from sacma.analysis.tables import PLACE
from sacma.analysis.trials import OF_TARGET, THIRD_OF_IT

PIECE = """
<p>Repický, Bajer, Pitra and Holeňa, <cite>Adaptive generation-based evolution control for Gaussian process surrogate
models</cite>, ITAT 2017.</p>
{% for reading, notes in values.notes.items() if notes %}<ul>{% for note in notes %}
<li>{% if values.readings|length > 1 %}{{ reading|capitalize }}: {% endif %}{{ note }}</li>{% endfor %}</ul>{% endfor %}
{{ figure("publication", "Our mean ranks over the paper's, after #FE_t evaluations (filled) and a third of them (open);\
 on the diagonal they are equal.") }}
{% for each in tables %}{{ table(each) }}{% endfor %}
"""

LEFT, BETWEEN, ABOVE, BELOW = 34.0, 22.0, 28.0, 16.0
"""Room left of the panels, between them, above each row and below it, in points."""

MARGIN = 0.25  # of the axes beyond the mean ranks
ANY = Look("#7F7F7F", (), "o")  # in the key, of whatever algorithm


def alone(findings: Findings, reading: Reading, frame: str) -> pd.DataFrame:
    """Return a frame of the algorithms of one reading among themselves, by their names in the paper."""
    found = findings.alone(reading.names)[frame]
    return found.replace({"algorithm": reading.names, "other": reading.names}) if len(found) else found


def of_target(findings: Findings, reading: Reading, frame: str) -> pd.DataFrame:
    """Return the rows of such a frame in the paper's scenarios."""
    found = alone(findings, reading, frame)
    return found[found["scenario"].isin(OF_TARGET)] if len(found) else found


def _of_readings(make: Callable[[Findings, Reading], pd.DataFrame]) -> Make:
    """Return a function that makes a frame of every reading, with a column ``reading``."""

    def frames(findings: Findings) -> pd.DataFrame:
        readings = findings.comparison.readings
        parts = [make(findings, reading).assign(reading=reading.title) for reading in readings]
        parts = [part for part in parts if len(part)] or parts[:1] or [pd.DataFrame(columns=["reading"])]
        found = pd.concat(parts, ignore_index=True)
        return found[["reading", *found.columns.drop("reading")]]

    return frames


def _mean_ranks(findings: Findings, reading: Reading) -> pd.DataFrame:
    return mean_ranks_beside(of_target(findings, reading, "mean_ranks"))


def _correlations(findings: Findings, reading: Reading) -> pd.DataFrame:
    return correlations(_mean_ranks(findings, reading))


def _pairs(findings: Findings, reading: Reading) -> pd.DataFrame:
    return pairs_beside(of_target(findings, reading, "pairwise"))


def _cpu(findings: Findings, reading: Reading) -> pd.DataFrame:
    return cpu_beside(alone(findings, reading, "cpu"))


def _tables(report: Report) -> Iterator[FormattedTable]:
    findings = report.findings
    ranks, correlation = findings["paper_mean_ranks"], findings["paper_correlation"]
    for reading in READINGS:
        of = reading.title
        if (ranks["reading"] == of).any():
            yield _beside_ranks_table(ranks[ranks["reading"] == of], correlation[correlation["reading"] == of], reading)
        pairs = findings["paper_pairs"]
        if (pairs["reading"] == of).any():
            yield _beside_pairs_table(pairs[pairs["reading"] == of], reading)
    if len(findings["paper_cpu"]):
        yield _beside_cpu_table(findings["paper_cpu"])


def _figures(report: Report) -> Iterator[Drawing]:
    beside = report.findings["paper_mean_ranks"]
    if len(beside):
        make = partial(ranks_beside, beside, partial=not report.comparison.complete)
        yield Drawing("ranks_beside_paper", "publication", "all dimensions", make)
        yield Drawing("ranks_beside_paper_narrow", "", "all dimensions, a column", partial(make, width=COLUMN))


def ranks_beside(beside: pd.DataFrame, *, width: float = PAGE, partial: bool = False) -> Figure:
    """Draw our mean ranks over the paper's, columns as of ``paper_mean_ranks``; on the diagonal they are equal.

    Open markers are of the smaller budget, a third of #FE_t; the key says so. A figure of the width of a column has two
    panels in a row.
    """
    these = rows(beside, [*PLACE, "algorithm", "reading", "paper", "ours"], unique=["reading", *PLACE, "algorithm"])
    dimensions, readings = sorted(these["dimension"].unique()), list(these["reading"].unique())
    lowest, highest = (float(of(these[["paper", "ours"]].to_numpy())) for of in (np.min, np.max))
    limits = lowest - MARGIN, highest + MARGIN
    columns = min(len(dimensions), 2) if width < PAGE else len(dimensions)
    side = (width - LEFT - 6 - (columns - 1) * BETWEEN) / (columns if width < PAGE else max(columns, 3))
    lines, height = -(-len(dimensions) // columns), ABOVE - LINE + side + BELOW
    row = LINE + lines * height  # of a reading, below its title
    look = looks(ALGORITHMS)
    shown = [name for name in ALGORITHMS if (these["algorithm"] == name).any()]
    budgets = [scenario for scenario in reversed(OF_TARGET) if (these["scenario"] == scenario).any()]
    keys = [mark_key(name, look[name]) for name in shown]
    keys += [mark_key(f"after {each}", replace(ANY, filled=each != THIRD_OF_IT)) for each in budgets]
    with styled():
        body = len(readings) * row + LINE
        layout = new_layout(width, body, keys=keys, partial=partial)
        for n, reading in enumerate(readings):
            layout.write(LEFT, n * row + 2, f"Ours, {reading}", va="top")
            for position, dimension in enumerate(dimensions):
                line, column = divmod(position, columns)
                top = n * row + line * height + ABOVE
                axes = layout.panel(LEFT + column * (side + BETWEEN), top, side, side, f"{dimension}-D")
                axes.plot(limits, limits, color=FAINT, linewidth=1.0, zorder=0)
                guide(axes)
                axes.set(xticks=range(1, 7), yticks=range(1, 7), xlim=limits, ylim=limits, aspect="equal")
                there = these[(these["reading"] == reading) & (these["dimension"] == dimension)]
                for point in there.to_dict("records"):
                    shape = replace(look[point["algorithm"]], filled=point["scenario"] != THIRD_OF_IT)
                    axes.plot(point["paper"], point["ours"], linestyle="none", clip_on=False, **shape.mark)
        middle = LEFT + (width - LEFT) / 2
        layout.write(middle, body - LINE / 2, "the paper's mean rank", ha="center", va="center")
        layout.write(8, (body - LINE) / 2, "our mean rank", rotation=90, ha="center", va="center")
        return layout.figure


def _beside_ranks_table(beside: pd.DataFrame, correlation: pd.DataFrame, reading: Reading) -> FormattedTable:
    """Return our mean ranks beside the paper's, and their agreement, from ``mean_ranks_beside``."""
    algorithms = list(beside["algorithm"].unique())
    both = [beside.set_index([*PLACE, "algorithm"])[whose].to_dict() for whose in ("paper", "ours")]
    rows = []
    for row in correlation.to_dict("records"):
        D, scenario = row["dimension"], row["scenario"]
        values = [[of.get((D, scenario, name), np.nan) for of in both] for name in algorithms]
        best = zip(*(lowest(column, ".2f") for column in zip(*values, strict=True)), strict=True)
        cells = [
            number(value, ".2f", bold=bold)
            for pair, bolds in zip(values, best, strict=True)
            for value, bold in zip(pair, bolds, strict=True)
        ]
        agreement = ["spearman_rho", "rms_difference"]
        rows.append((Cell(f"{D}-D, {scenario}"), *cells, *(number(row[column], ".2f") for column in agreement)))
    header = (
        (Head(""), *(Head(name, 2) for name in algorithms), Head("ρ"), Head("difference")),
        (
            Head("scenario"),
            *(Head(text) for _ in algorithms for text in ("paper", "ours")),
            *(Head(text) for text in ("ρ", "rms")),
        ),
    )
    return FormattedTable(
        f"table3_beside_paper{reading.suffix.replace('-', '_')}",
        f"Mean ranks beside the paper's, {reading.title}",
        "The lowest of each is bold. ρ is Spearman's correlation of the two, rms the root mean square of their "
        "differences.",
        (Block(header, tuple(rows)),),
    )


def _beside_pairs_table(beside: pd.DataFrame, reading: Reading) -> FormattedTable:
    """Return our wins beside the paper's, from ``pairs_beside``."""
    algorithms = [name for name in ALGORITHMS if name in set(beside["algorithm"])]
    header_of = partial(spanning, over=algorithms, below=("paper", "ours"))
    blocks = []
    for (D, scenario), group in beside.groupby(PLACE, sort=False):
        wins = group.pivot(index="algorithm", columns="other", values=["paper", "ours"]).swaplevel(axis="columns")
        wins = wins.reindex(index=algorithms, columns=pd.MultiIndex.from_product([algorithms, ("paper", "ours")]))
        stars = {
            (row["algorithm"], (row["other"], whose))
            for row in group.to_dict("records")
            for whose, significant in (("paper", "paper_significant"), ("ours", "significant"))
            if row[significant]
        }
        blocks.append(Block(header_of((f"{D}-D", str(scenario))), number_rows(wins, ".0f", stars=stars)))
    return FormattedTable(
        f"table4_beside_paper{reading.suffix.replace('-', '_')}",
        f"Wins beside the paper's, {reading.title}",
        "On how many functions the algorithm of the row has the lower Δf_med than that of the column. An asterisk: "
        "significantly, in each by Friedman's post-hoc test with the correction of Bergmann and Hommel.",
        tuple(blocks),
    )


def _beside_cpu_table(beside: pd.DataFrame) -> FormattedTable:
    """Return CPU seconds per true evaluation beside the paper's, from ``cpu_beside`` of each reading."""
    columns = ["algorithm", "dimension", "reading", "paper", "ours", "ratio"]
    rows = tuple(
        (Cell(f"{name}, {D}-D"), Cell(reading), number(paper, ".2f"), number(ours, ".5f"), number(ratio, ",.0f"))
        for name, D, reading, paper, ours, ratio in beside[columns].itertuples(index=False)
    )
    header = ((Head("CPU seconds per evaluation"), Head("reading"), Head("paper"), Head("ours"), Head("times less")),)
    return FormattedTable(
        "table2_beside_paper",
        "CPU time beside the paper's",
        "Both on one thread, each on its own machines, ours of whole trials.",
        (Block(header, rows),),
    )


def _values(report: Report) -> Mapping[str, object]:
    readings = report.comparison.readings
    notes = {reading.title: list(paper_notes(report.comparison, reading)) for reading in readings}
    return {"readings": list(notes), "notes": notes}


SECTION = Section(
    key="publication",
    title="Publication",
    heading="Against the publication",
    frames={
        "paper_mean_ranks": of_all(_of_readings(_mean_ranks)),
        "paper_correlation": of_all(_of_readings(_correlations)),
        "paper_pairs": of_all(_of_readings(_pairs)),
        "paper_cpu": of_one(_of_readings(_cpu)),
    },
    tables=_tables,
    figures=_figures,
    piece=PIECE,
    values=_values,
    shown=lambda findings: findings.comparison.of_paper,
    applies=lambda comparison: comparison.of_paper,
    scoped=False,
)
