"""Best values: the lowest Δf that any trial has found."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import COLUMN, new_layout
from sacma.analysis.section import Drawing, Findings, Report, Section, of_one
from sacma.analysis.table_format import Block, FormattedTable, Head, number_rows


def lowest(findings: Findings) -> pd.DataFrame:
    """Return the lowest value of each algorithm in each dimension."""
    return findings.best.groupby(["algorithm", "dimension"], sort=False)["delta_f"].min().reset_index()


def tables(report: Report) -> Iterator[FormattedTable]:
    """Yield a table of them."""
    values = report.findings["lowest"].pivot(index="algorithm", columns="dimension", values="delta_f")
    header = ((Head("algorithm"), *(Head(f"{D}-D") for D in values.columns)),)
    block = Block(header, number_rows(values, ".1e"))
    yield FormattedTable("lowest_table", "Lowest values", "Of all trials.", (block,))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw them over the dimension."""
    layout = new_layout(COLUMN, 120)
    layout.panel(40, 10, 180, 80).plot(frame["dimension"], frame["delta_f"], "o")
    return layout.figure


SECTION = Section(
    key="lowest",
    title="Lowest",
    heading="Lowest values",
    frames={"lowest": of_one(lowest)},
    tables=tables,
    figures=lambda report: [Drawing("lowest_values", "lowest", "all", partial(draw, report.findings["lowest"]))],
    piece="""
<p class="caption">{{ values.said }} <a href="{{ files.lowest.csv }}">csv</a></p>
{% for each in tables %}{{ table(each) }}{% endfor %}
{{ figure("lowest", "The lowest of all.") }}
""",
    values=lambda report: {"said": f"Of {len(report.comparison.names)} algorithms."},
)
