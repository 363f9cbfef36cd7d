"""Expected running times to targets, shares of the virtual best, and algorithms beside the baseline."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines, Scatter
from sacma.analysis.ert_details import ert_details, formatted
from sacma.analysis.run_lengths import PROBLEM, TARGETS, running_times, shares, virtual_best
from sacma.analysis.section import Findings, Report, Section, of_all, of_one
from sacma.analysis.trials import ROUNDING
from sacma.coco.suites import VIRTUAL_BEST, function_title

ERT = "ert_per_dimension"


def _times(findings: Findings) -> pd.DataFrame:
    comparison = findings.comparison
    wanted = comparison.own_targets or TARGETS
    targets = [target for target in wanted if target >= comparison.target * (1 - ROUNDING)]
    return running_times(comparison.compared.trials, targets)


def _details(findings: Findings) -> pd.DataFrame:
    comparison = findings.comparison
    targets = [float(target) for target in findings["ert"]["target"].unique()]
    trials = comparison.compared.shared
    return ert_details(trials, targets, comparison.baseline, of_2009=comparison.suite.of_2009)


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
            caption="ERT/D of an algorithm and of the baseline, a point for each function and target; below the "
            "diagonal the algorithm is faster. At the border: one of the two never reached the target.",
            data=points.assign(problem=problem),
            by=("algorithm",),
            series="dimension",
            label="problem",
            x=Axis("other", f"ERT / D of {baseline}", log=True),
            y=Axis("own", "ERT / D of the algorithm", log=True),
            computed=True,
        )


SECTION = Section(
    key="ert",
    title="Running times",
    heading="Expected running times",
    frames={
        "ert": of_one(_times),
        "ert_details": of_all(_details),
        "virtual_best": of_all(lambda findings: virtual_best(findings.once(_shared))),
        "virtual_best_share": of_all(lambda findings: shares(findings.once(_shared))),
    },
    tables=lambda report: formatted(report.findings["ert_details"], report.comparison.baseline),
    charts=_charts,
    template="ert.html",
    shown=lambda findings: not findings["ert"].empty,
)
