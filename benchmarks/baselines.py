"""lq-CMA-ES beside ADA-Kendall, each with the CMA-ES that it is built on, and beside ADA-Kendall with active update.

Runs what is missing into a results folder that can be interrupted and continued like any other, and prints
log₁₀ of the median Δf by function: where the one surrogate leads, and where the other. lq-CMA-ES has the active update.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import cpu_count
from report import ROOT, print_table, write
from studies import changed, medians_of

from sacma.analysis.tables import mean_ranks
from sacma.config import load_study
from sacma.experiment.store import Store

CONFIGS = ("cmaes", "baselines/acma_es", "ada_kendall", "baselines/lq_cma_es")
BUDGETS = (25.0, 50.0, 125.0, 250.0)
CLEARLY = 0.5
"""Decades of the median Δf by which one leads the other."""


def main() -> None:
    """Run what is missing, print the tables and write ``out/baselines.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default="5")
    parser.add_argument("--instances", default="1-5,41-50")
    parser.add_argument("--results", type=Path, default=ROOT.parent / "results" / "baselines")
    parser.add_argument("--jobs", type=int, default=cpu_count())
    options = vars(parser.parse_args())
    store, jobs = Store(options.pop("results")), options.pop("jobs")

    studies = [load_study(ROOT.parent / "configs" / f"{name}.yaml", options) for name in CONFIGS]
    (ada_kendall,) = (study for study in studies if study.name == "ADA-Kendall")
    medians = medians_of([*studies, changed(ada_kendall, "active", active=True)], store, jobs, BUDGETS)
    for dimension, group in medians.groupby("dimension"):
        for budget, at_budget in group.groupby("budget"):
            print(f"\n{dimension}-D, {budget:g}·D: log10 of the median Δf")
            print(by_function(at_budget).to_string())
    ranks = mean_ranks(medians).pivot(index=["dimension", "scenario"], columns="algorithm", values="mean_rank")
    print("\nmean rank (1 is best)")
    print(ranks.round(2).to_string())
    rows = [
        {"D": int(dimension), "evaluations/D": budget, **lead(by_function(at_budget), other)}
        for (dimension, budget), at_budget in medians.groupby(["dimension", "budget"])
        for other in ("ADA-Kendall", "ADA-Kendall-active")
    ]
    print(f"\nfunctions on which lq-CMA-ES leads, or is behind, by {CLEARLY} decades or more")
    print_table(rows)
    write("baselines", options, leads=rows, medians=medians.to_dict("records"))


def by_function(medians: pd.DataFrame) -> pd.DataFrame:
    """Return log₁₀ of the median Δf at one budget, algorithms side by side."""
    table = medians.pivot(index="function", columns="algorithm", values="median_delta_f")
    return table.map(np.log10).round(1)


def lead(table: pd.DataFrame, other: str) -> dict[str, str]:
    """Return the functions on which lq-CMA-ES and another algorithm lead one another."""
    decades = table[other] - table["lq-CMA-ES"]
    return {
        "than": other,
        "leads": ",".join(map(str, decades.index[decades >= CLEARLY])) or "-",
        "behind": ",".join(map(str, decades.index[decades <= -CLEARLY])) or "-",
    }


if __name__ == "__main__":
    main()
