"""Best values: the lowest Δf that any trial has found."""

from collections.abc import Iterator

import pandas as pd

from sacma.analysis.charts import Axis, Chart, Rows
from sacma.analysis.section import Findings, Report, Section, of_one
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


def charts(report: Report) -> Iterator[Chart]:
    """Yield a chart of them, a panel a dimension."""
    yield Rows(
        name="lowest",
        caption="The lowest of all.",
        data=report.findings["lowest"],
        by=("dimension",),
        x=Axis("delta_f", "Δf", log=True),
    )


SECTION = Section(
    key="lowest",
    title="Lowest",
    heading="Lowest values",
    frames={"lowest": of_one(lowest)},
    tables=tables,
    charts=charts,
)
