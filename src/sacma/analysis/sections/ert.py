"""Expected running times to targets, shares of the virtual best, and algorithms beside the baseline."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines, Scatter
from sacma.analysis.figures.style import number
from sacma.analysis.run_lengths import PROBLEM, TARGETS, running_times, shares, virtual_best
from sacma.analysis.section import Findings, Report, Section, by_dimension, of_all, of_one
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, spanning
from sacma.analysis.table_format import number as number_cell
from sacma.analysis.trials import ROUNDING
from sacma.coco.suites import VIRTUAL_BEST, function_title

SHARES = {"best": ".1f", "reached": ".1f", "median_ratio": ".2f"}
ERT = "ert_per_dimension"


def _times(findings: Findings) -> pd.DataFrame:
    comparison = findings.comparison
    wanted = comparison.own_targets or TARGETS
    targets = [target for target in wanted if target >= comparison.target * (1 - ROUNDING)]
    return running_times(comparison.compared.trials, targets)


def _shared(findings: Findings) -> pd.DataFrame:
    """Return running times of functions that all algorithms have, in dimensions with several algorithms."""
    times = findings.comparison.compared.overlap.shared(findings["ert"])
    return times[times.groupby("dimension")["algorithm"].transform("nunique") > 1]


def _charts(report: Report) -> Iterator[Chart]:
    times, best = report.findings["ert"], report.findings["virtual_best"].assign(algorithm=VIRTUAL_BEST)
    both = pd.concat([times, best], ignore_index=True) if len(best) else times
    reached = both[np.isfinite(both[ERT].to_numpy(float))]
    yield Lines(
        name="ert",
        caption="Expected running time (ERT, or aRT): evaluations of all trials, until the target or their end, over "
        "the number of trials that reached the target; a target that no trial reached has none. The virtual best is "
        "the lowest of all algorithms at each target.",
        data=reached.sort_values(["dimension", "function"], kind="stable"),
        by=("dimension", "function"),
        x=Axis("target", "target Δf", log=True, falls=True),
        y=Axis(ERT, "ERT / D", log=True),
    )
    baseline, shared = report.comparison.baseline, report.findings.once(_shared)
    table = shared.pivot(index=PROBLEM, columns="algorithm", values=ERT)
    pairs = [
        pd.DataFrame({"algorithm": name, "own": table[name], "other": table[baseline]}).reset_index().dropna()
        for name in table.columns.drop(baseline, errors="ignore")
        if baseline in table
    ]
    if pairs:
        points = pd.concat(pairs)
        points = points[np.isfinite(points[["own", "other"]].to_numpy(float)).any(axis=1)]
        problem = [
            f"{function_title(f)}, Δf {target:g}"
            for f, target in zip(points["function"], points["target"], strict=True)
        ]
        yield Scatter(
            name="ert_pairs",
            caption=f"ERT/D of an algorithm and of {baseline}, a point for each function and target; below the "
            "diagonal the algorithm is faster. At the border: one of the two never reached the target.",
            data=points.assign(problem=problem),
            by=("algorithm",),
            series="dimension",
            label="problem",
            x=Axis("other", f"ERT / D of {baseline}", log=True),
            y=Axis("own", "ERT / D of the algorithm", log=True),
        )


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield shares of the virtual best, then by dimension ERT/D of each function, algorithm and target."""
    share = report.findings["virtual_best_share"]
    if not share.empty:
        yield _share_table(share)
    for D, times in by_dimension(report.findings["ert"]):
        yield FormattedTable(
            f"ert_{D:02d}D",
            f"{D}-D",
            "Expected running time over D, in brackets how many trials reached the target; the lowest is bold.",
            tuple(_blocks(times)),
        )


def _share_table(share: pd.DataFrame) -> FormattedTable:
    dimensions = sorted(share["dimension"].unique())
    known = share.assign(best=100 * share["share"], reached=100 * share["reached"] / share["problems"])
    values = known.pivot(index="algorithm", columns="dimension", values=list(SHARES)).swaplevel(axis="columns")
    values = values.reindex(index=share["algorithm"].unique(), columns=pd.MultiIndex.from_product([dimensions, SHARES]))
    rows = zip(values.index, values.to_numpy(float).tolist(), strict=True)
    body = tuple((Cell(str(name)), *map(number_cell, of, [*SHARES.values()] * len(dimensions))) for name, of in rows)
    header = spanning(("dimension", "algorithm"), (f"{D}-D" for D in dimensions), ("best", "reached", "ratio"))
    return FormattedTable(
        "virtual_best_shares",
        "Shares of the virtual best",
        "Of all pairs of a function and a target that some algorithm reached: on how many percent this one has the "
        "lowest ERT, equal ones divided; how many percent it reached in some trial; and the median ratio of its ERT to "
        "the lowest.",
        (Block(header, body),),
    )


def _blocks(times: pd.DataFrame) -> Iterator[Block]:
    """Yield the running times of one dimension, a block a function: algorithms × targets."""
    targets = sorted(times["target"].unique(), reverse=True)
    times = times.sort_values("target", ascending=False, kind="stable")
    for function, of_function in times.groupby("function"):
        ert = of_function[ERT]
        best = (ert == ert.groupby(of_function["target"]).transform("min")) & np.isfinite(ert.to_numpy(float))
        counts = of_function[["successes", "trials"]].to_numpy(int).tolist()
        written = [number(t) if np.isfinite(t) else "∞" for t in ert.to_list()]
        texts = [f"{text} ({s}/{n})" for text, (s, n) in zip(written, counts, strict=True)]
        cells = pd.Series(map(Cell, texts, best.to_list()), of_function.index)
        body = [(Cell(str(name)), *of) for name, of in cells.groupby(of_function["algorithm"], sort=False)]
        yield Block(((Head(f"f{function}"), *(Head(f"{target:g}") for target in targets)),), tuple(body))


SECTION = Section(
    key="ert",
    title="Running times",
    heading="Expected running times",
    frames={
        "ert": of_one(_times),
        "virtual_best": of_all(lambda findings: virtual_best(findings.once(_shared))),
        "virtual_best_share": of_all(lambda findings: shares(findings.once(_shared))),
    },
    tables=_tables,
    charts=_charts,
    template="ert.html",
    shown=lambda findings: not findings["ert"].empty,
)
