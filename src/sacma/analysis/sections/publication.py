"""Results beside the paper's: mean ranks, wins and CPU time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines, Scatter
from sacma.analysis.notes import protocol_differences
from sacma.analysis.published import READINGS, Reading, correlations, cpu_beside, mean_ranks_beside, pairs_beside
from sacma.analysis.section import Findings, Make, Report, Section, of_all, of_one
from sacma.analysis.table_format import Block, FormattedTable, number_rows, spanning
from sacma.analysis.tables import PLACE
from sacma.analysis.trials import OF_TARGET
from sacma.strategy.generation_control import T1, T2


def alone(findings: Findings, reading: Reading, frame: str) -> pd.DataFrame:
    """Return a frame of the algorithms of one reading among themselves, by their names in the paper."""
    found = findings.alone(reading.names)[frame]
    return found.replace({"algorithm": reading.names, "other": reading.names}) if len(found) else found


def of_target(findings: Findings, reading: Reading, frame: str) -> pd.DataFrame:
    """Return the rows of the frame ``alone`` in the paper's scenarios."""
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
    ranks = report.findings["paper_mean_ranks"]
    for reading in READINGS:
        of_reading = ranks[ranks["reading"] == reading.title]
        if len(of_reading):
            yield _beside_table(of_reading, reading, protocol_differences(report.comparison, reading))


def _charts(report: Report) -> Iterator[Chart]:
    beside = report.findings["paper_mean_ranks"]
    if len(beside):  # two points an algorithm and dimension: all dimensions share a panel
        places = beside["dimension"].astype(str) + "-D, " + beside["scenario"]
        yield replace(ranks_beside(beside.assign(scenario=places)), by=("reading",))
    yield transfer_functions()


def ranks_beside(beside: pd.DataFrame) -> Chart:
    """Return our mean ranks over the paper's, from ``paper_mean_ranks``."""
    return Scatter(
        name="ranks_beside_paper",
        caption="Our mean ranks over the paper's, of all dimensions and both budgets; on the diagonal they are equal.",
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


def _beside_table(beside: pd.DataFrame, reading: Reading, differences: Sequence[str]) -> FormattedTable:
    """Return our mean ranks beside the paper's, from ``mean_ranks_beside``; the caption has other protocols."""
    algorithms, whose = beside["algorithm"].unique(), ("paper", "ours")
    rows = beside.assign(place=[f"{D}-D, {scenario}" for D, scenario in zip(*beside[PLACE].to_numpy().T, strict=True)])
    values = rows.pivot(index="place", columns="algorithm", values=list(whose)).swaplevel(axis="columns")
    values = values.reindex(rows["place"].unique(), columns=pd.MultiIndex.from_product([algorithms, whose]))
    return FormattedTable(
        f"table3_beside_paper{reading.suffix.replace('-', '_')}",
        f"Mean ranks beside the paper's, {reading.title}",
        f"The protocol is not the paper's: {'; '.join(differences)}." if differences else "",
        (Block(spanning(("", "scenario"), algorithms, whose), number_rows(values, ".2f")),),
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
    applies=lambda comparison: comparison.of_paper,
    scoped=False,
)
