"""Later data of one algorithm, held against the comparison of docs/comparison.md, as Markdown. It runs nothing.

Run as ``python benchmarks/repetition.py ARCHIVE`` for COCO data of the algorithm: of a later version, or of another
processor, whose last bits and so whose runs differ. Mean ranks are each taken among the same other algorithms.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from comparison import FIRST_BUDGET, print_behind, print_lead
from report import ROOT, bold, markdown, markdown_head, parsed

from sacma.analysis.comparison import Comparison, compare, load_external_data
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import budgets_up_to, fixed_budgets

PLACE = ["dimension", "function", "evaluations"]

MEASURES: Mapping[str, Callable[[pd.DataFrame], pd.Series]] = {
    "mean rank": lambda values: values.rank(axis=1).mean(),
    "mean log₁₀ Δf_med": lambda values: values.mean(),
}
"""Of log₁₀ Δf_med, functions × algorithms."""


def main() -> None:
    """Print a table for each dimension that both have."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, help="of COCO data, named as the algorithm")
    parser.add_argument("--csv", type=Path, default=ROOT.parent / "docs" / "data" / "comparison.csv")
    given = parsed(parser)
    (data,) = load_external_data([str(given.archive)], [], None)
    known = pd.read_csv(given.csv).set_index(PLACE)
    later = medians_of(compare([], [data], budget=None)).reindex(known.index)
    known = known.assign(later=later["log10"].round(2), scenario=later["scenario"]).dropna(subset="later")
    for dimension, here in known.groupby(level="dimension"):
        print(f"\n{dimension}-D:\n")
        print_repetition(here, data.name)


def medians_of(comparison: Comparison) -> pd.DataFrame:
    """Return log₁₀ Δf_med by place at the budgets of the comparison."""
    budgets = dict.fromkeys((FIRST_BUDGET, *budgets_up_to(comparison.budget)))
    medians = median_delta_f(list(comparison.trials), fixed_budgets(budgets))
    return medians.assign(log10=np.log10(medians["median_delta_f"])).set_index(PLACE)


def print_repetition(here: pd.DataFrame, name: str) -> None:
    """Print mean ranks and means of the algorithm, in the comparison and in these data, and how these stand."""
    scenarios = list(here["scenario"].unique())
    others = here.columns.difference([name, "later", "scenario"])
    values = [here[here["scenario"] == scenario].drop(columns="scenario") for scenario in scenarios]
    print(markdown_head("", *scenarios))
    for what, measure in MEASURES.items():
        first = [measure(of.drop(columns="later")) for of in values]
        later = [measure(of.drop(columns=name)) for of in values]
        for label, who, found in (("in the comparison", name, first), ("these data", "later", later)):
            cells = (bold(f"{of[who]:.2f}", of[who] < of[others].min()) for of in found)
            print(markdown(f"{what}, {label}", *cells))
        lowest = (f"{of[others].idxmin()} {bold(f'{of[others].min():.2f}', bold=False)}" for of in later)
        print(markdown(f"{what}, lowest of the others", *lowest))
    now = here.drop(columns=name).rename(columns={"later": name}).reset_index()
    medians = now.melt([*PLACE, "scenario"], var_name="algorithm", value_name="log10")
    medians["median_delta_f"] = 10.0 ** medians["log10"]
    print_lead(medians, name, [name, *others])
    print_behind(medians, name, [name, *others])


if __name__ == "__main__":
    main()
