"""Later data of one algorithm, held against the comparison of docs/comparison.md, as Markdown. It runs nothing.

Run as ``python benchmarks/repetition.py ARCHIVE`` for COCO data of the algorithm: of a later version, or of another
processor, whose last bits and so whose runs differ. Mean ranks are each taken among the same other algorithms.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from comparison import FIRST_BUDGET
from report import ROOT, bold, markdown, markdown_head, parsed

from sacma.analysis.comparison import Comparison, compare, load_external_data
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import budgets_up_to, fixed_budgets

PLACE = ["dimension", "function", "evaluations"]


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
    """Print mean ranks and means of the algorithm, at first and later, beside the lowest of the others."""
    scenarios = list(here["scenario"].unique())
    values = {s: here.loc[here["scenario"] == s].drop(columns="scenario") for s in scenarios}
    others = [column for column in here if column not in {name, "later", "scenario"}]
    ranks = {
        (who, s): of.drop(columns=left_out).rank(axis=1).mean()
        for s, of in values.items()
        for who, left_out in ((name, "later"), ("later", name))
    }
    means = {s: of.mean() for s, of in values.items()}
    print(markdown_head("", *scenarios))
    for label, who in (("at first", name), ("later", "later")):
        cells = ((ranks[who, s][who], ranks[who, s][others].min()) for s in scenarios)
        print(markdown(f"mean rank, {label}", *(bold(f"{own:.2f}", own < best) for own, best in cells)))
    print(markdown("lowest of the others", *(f"{ranks[name, s][others].min():.2f}" for s in scenarios)))
    lowest = {s: means[s][others].min() for s in scenarios}
    virtual = {s: of[others].min(axis=1).mean() for s, of in values.items()}
    for label, who in (("at first", name), ("later", "later")):
        print(
            markdown(
                f"mean log₁₀ Δf_med, {label}",
                *(bold(f"{means[s][who]:.2f}", means[s][who] < lowest[s]) for s in scenarios),
            )
        )
    print(markdown("lowest of the others", *(bold(f"{lowest[s]:.2f}", bold=False) for s in scenarios)))
    print(markdown("best of the others on each function", *(bold(f"{virtual[s]:.2f}", bold=False) for s in scenarios)))


if __name__ == "__main__":
    main()
