"""Results beside the paper's: mean ranks, wins and CPU time."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines, Scatter
from sacma.analysis.notes import protocol_differences
from sacma.analysis.published import (
    ALGORITHMS,
    READINGS,
    Reading,
    correlations,
    cpu_beside,
    mean_ranks_beside,
    pairs_beside,
)
from sacma.analysis.section import Findings, Make, Report, Section, of_all, of_one
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, lowest, number, number_rows, spanning
from sacma.analysis.tables import PLACE
from sacma.analysis.trials import OF_TARGET
from sacma.strategy.generation_control import T1, T2


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


def _charts(report: Report) -> Iterator[Chart]:
    yield ranks_beside(report.findings["paper_mean_ranks"])
    yield transfer_functions()


def ranks_beside(beside: pd.DataFrame) -> Chart:
    """Return our mean ranks over the paper's, from ``paper_mean_ranks``."""
    return Scatter(
        name="ranks_beside_paper",
        caption="Our mean ranks over the paper's; on the diagonal they are equal.",
        data=beside,
        by=("dimension", "reading"),
        label="scenario",
        x=Axis("paper", "the paper's mean rank"),
        y=Axis("ours", "our mean rank"),
    )


def transfer_functions(steepness: float = 2.0) -> Chart:
    """Return T₁ and T₂ on [0, 1], Figure 1 of the paper, which has k = 2."""
    x = np.linspace(0, 1, 51)
    curves = {"T₁": [T1(value) for value in x.tolist()], "T₂": [T2(value, steepness) for value in x.tolist()]}
    parts = [pd.DataFrame({"transfer": name, "x": x, "share": y, "k": steepness}) for name, y in curves.items()]
    return Lines(
        name="transfer_functions",
        caption="Figure 1: transfer functions, from 1 − e, of the model's error e, to the share γ of the largest "
        "number of model-evaluated generations.",
        data=pd.concat(parts),
        by=("k",),
        series="transfer",
        x=Axis("x", "1 − e"),
        y=Axis("share", "γ, share of the largest gₘ"),
    )


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
    return {"differences": {reading.title: protocol_differences(report.comparison, reading) for reading in readings}}


SECTION = Section(
    key="publication",
    title="Publication",
    heading="Against the publication",
    frames={
        "paper_mean_ranks": of_all(_of_readings(_mean_ranks)),
        "paper_correlation": of_all(_of_readings(lambda found, of: correlations(_mean_ranks(found, of)))),
        "paper_pairs": of_all(_of_readings(lambda found, of: pairs_beside(of_target(found, of, "pairwise")))),
        "paper_cpu": of_one(_of_readings(lambda found, of: cpu_beside(alone(found, of, "cpu")))),
    },
    tables=_tables,
    charts=_charts,
    template="publication.html",
    values=_values,
    shown=lambda findings: findings.comparison.of_paper,
    applies=lambda comparison: comparison.of_paper,
    scoped=False,
)
