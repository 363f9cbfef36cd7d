"""Functions: median Δf, ranks and decades gained over the baseline on each of them."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Cells, Chart
from sacma.analysis.section import Findings, Report, Section, of_all, of_one
from sacma.analysis.tables import function_ranks, gains
from sacma.analysis.trials import OF_TARGET

CELL = ["dimension", "scenario", "function"]
MOST_DECADES = 9.0  # gained or lost, at which colours are the strongest


def _gains(findings: Findings) -> pd.DataFrame:
    comparison, best = findings.comparison, findings.best
    of_target = best[best["scenario"].isin(OF_TARGET)]
    return gains(of_target, comparison.baseline, comparison.compared.overlap.shares)


def _cells(findings: Findings) -> pd.DataFrame:
    """Return the texts, the best and the shades of the ranks, decades gained, and medians of each cell."""
    medians = findings.medians.assign(value=np.log10(findings.medians["median_delta_f"].to_numpy(float)))
    of_baseline = (
        medians[medians["algorithm"] == findings.comparison.baseline].set_index(CELL)["value"].rename("theirs")
    )
    gained = medians.join(of_baseline, on=CELL)
    gained["value"] = gained["theirs"] - gained["value"]
    ranks = findings["function_ranks"].rename(columns={"rank": "value"})
    most = min(MOST_DECADES, max(1.0, float(gained["value"].abs().max())))
    shades = (ranks["value"].max() - ranks["value"]) / max(1.0, ranks["value"].max() - 1)
    parts = {
        "rank": ranks.assign(text=ranks["value"].map("{:.3g}".format), shade=shades),
        f"decades gained over {findings.comparison.baseline}": gained.assign(
            text=gained["value"].map("{:+z.2f}".format),
            shade=(gained["value"] / most).clip(-1, 1),
            value=-gained["value"],
        ),
        "median Δf, log₁₀": medians.assign(text=medians["value"].map("{:z.2f}".format), shade=0.0),
    }
    columns = ["show", *CELL, "algorithm", "text", "shade", "value"]
    found = pd.concat([part.dropna(subset=["value"]).assign(show=show)[columns] for show, part in parts.items()])
    best = found["value"] == found.groupby(["show", *CELL])["value"].transform("min")
    return found.assign(best=best, text=found["text"].str.replace("-", "\N{MINUS SIGN}").str.replace("inf", "∞"))


def _charts(report: Report) -> Iterator[Chart]:
    yield Cells(
        name="functions",
        caption="The best of a function is bold. A decade gained is ten times closer to the optimum; below 0 is "
        "behind. Another baseline: --baseline.",
        data=_cells(report.findings),
        by=("show", "dimension", "scenario"),
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
