"""Functions: median Δf, ranks and decades gained over the baseline on each of them."""

from collections.abc import Iterator

import pandas as pd

from sacma.analysis.charts import Axis, Cells, Chart
from sacma.analysis.section import Findings, Report, Section, of_all, of_one
from sacma.analysis.tables import function_ranks, gains
from sacma.analysis.trials import OF_TARGET


def _gains(findings: Findings) -> pd.DataFrame:
    comparison, best = findings.comparison, findings.best
    of_target = best[best["scenario"].isin(OF_TARGET)]
    return gains(of_target, comparison.baseline, comparison.compared.overlap.shares)


def _charts(report: Report) -> Iterator[Chart]:
    yield Cells(
        name="functions",
        caption="The best of a function is bold. Ranks are among the algorithms that are shown. A decade gained over "
        "the baseline is ten times closer to the optimum; below 0 is behind.",
        data=report.findings.medians.merge(report.findings["function_ranks"], how="left"),
        by=("dimension", "scenario"),
        x=Axis("median_delta_f", "median Δf", log=True),
    )


SECTION = Section(
    key="functions",
    title="Functions",
    frames={
        "best_delta_f": of_one(lambda findings: findings.best),
        "evaluations_to_target": of_all(lambda findings: findings.comparison.to_target),
        "median_delta_f": of_one(lambda findings: findings.comparison.with_empty_cells(findings.medians)),
        "function_ranks": of_all(lambda findings: function_ranks(findings.shared_medians)),
        "gains": of_all(_gains),
    },
    charts=_charts,
    template="functions.html",
)
