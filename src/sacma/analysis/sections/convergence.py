"""Convergence and final values: the best Δf on every function over evaluations, and at the end of the budget."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines, Rows
from sacma.analysis.section import Findings, Report, Section, of_one
from sacma.analysis.trials import convergence_curves

KEYS = ["algorithm", "dimension", "function"]
QUANTILES = {"best": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "worst": 1.0}
PLACE = ("dimension", "function")
QUARTILES = ("lower_quartile", "upper_quartile")


def final_quantiles(findings: Findings) -> pd.DataFrame:
    """Return quantiles, on the log scale, of the best Δf of the trials at the largest fixed budget, where it is known.

    Columns are algorithm, dimension, function, trials, best, lower_quartile, median, upper_quartile and worst.
    """
    last = findings.best[findings.best["scenario"] == findings.comparison.fixed_budgets[-1]]
    known = last[np.isfinite(last["delta_f"].to_numpy(float))]
    logs = known.assign(log=np.log10(known["delta_f"].to_numpy(float))).groupby(KEYS, sort=False)["log"]
    found = {name: 10.0 ** logs.quantile(share) for name, share in QUANTILES.items()}
    return pd.DataFrame({"trials": logs.size(), **found}).reset_index()


def _charts(report: Report) -> Iterator[Chart]:
    delta_f = Axis("median", "best Δf", log=True)
    yield Lines(
        name="convergence",
        caption="Best Δf of the median trial over evaluations, with quartiles; drag to enlarge, double-click to undo.",
        data=report.findings["convergence"].sort_values(list(PLACE), kind="stable"),
        by=PLACE,
        x=Axis("evaluations_per_dimension", "true evaluations / D", log=True),
        y=delta_f,
        band=QUARTILES,
    )
    yield Rows(
        name="final_values",
        caption=f"Best Δf after {report.comparison.fixed_budgets[-1]} evaluations: median trial, quartiles, best "
        "and worst.",
        data=report.findings["final_values"].sort_values(list(PLACE), kind="stable"),
        by=PLACE,
        x=delta_f,
        bar=QUARTILES,
        whisker=("best", "worst"),
    )


SECTION = Section(
    key="convergence",
    title="Convergence",
    frames={
        "convergence": of_one(
            lambda findings: convergence_curves(findings.comparison.compared.trials, findings.comparison.budget)
        ),
        "final_values": of_one(final_quantiles),
    },
    charts=_charts,
)
