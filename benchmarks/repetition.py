"""Other runs of an algorithm, held against the comparison of docs/comparison.md, as Markdown. It runs nothing.

Run as ``python benchmarks/repetition.py FOLDER... --again FOLDER``, where --again has its runs of another seed, of
another version, or of another processor, whose last bits and so whose runs differ. Folders are as ``comparison.py``
takes them, all of results or all of outcomes: these have seven digits, by which ties are told. Mean ranks are each
taken among the same other algorithms.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from comparison import FIRST_BUDGET, add_folders, read
from report import bold, markdown, markdown_head, parsed

from sacma.analysis.comparison import Comparison
from sacma.analysis.tables import median_delta_f, tied
from sacma.analysis.trials import budgets_up_to, fixed_budgets

PLACE = ["dimension", "scenario", "function"]

MEASURES: Mapping[str, Callable[[pd.DataFrame], pd.Series]] = {
    "mean rank": lambda values: _ranks(values).mean(),
    "mean log₁₀ Δf_med": lambda values: values.mean(),
}
"""Of log₁₀ Δf_med, functions × algorithms."""


def main() -> None:
    """Print a table for each dimension that both have."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_folders(parser)
    parser.add_argument("--again", type=Path, required=True, metavar="FOLDER", help="the other runs")
    parser.add_argument("--of", default="sacma", help="the algorithm; default: sacma")
    given = parsed(parser)
    comparison, other = read(given.folders, given), read([given.again], given)
    name = given.of
    known, again = medians_of(comparison, comparison.budget), medians_of(other, comparison.budget)[name]
    for dimension, here in known.groupby(level="dimension"):
        if dimension in again.index.get_level_values("dimension"):
            print(f"\n{dimension}-D:\n")
            print_repetition(here, again.reindex(here.index), name)


def medians_of(comparison: Comparison, budget: float) -> pd.DataFrame:
    """Return log₁₀ Δf_med at budgets up to one, (dimension, scenario, function) × algorithms."""
    budgets = dict.fromkeys((FIRST_BUDGET, *budgets_up_to(budget)))
    medians = median_delta_f(comparison.compared.shared, fixed_budgets(budgets))
    table = medians.assign(log10=np.log10(medians["median_delta_f"])).pivot(
        index=PLACE, columns="algorithm", values="log10"
    )
    return table.reindex(medians["scenario"].unique(), level="scenario")


def _ranks(values: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks on each function; what is equal but for rounding has the same, as in the comparison."""
    return pd.DataFrame(np.apply_along_axis(tied, 1, values.to_numpy()), values.index, values.columns).rank(axis=1)


def print_repetition(known: pd.DataFrame, again: pd.Series, name: str) -> None:
    """Print mean ranks and means of an algorithm as in the comparison and by the other data, and the best other."""
    scenarios = list(known.index.get_level_values("scenario").unique())
    others = known.columns.difference([name])
    both = {"in the comparison": known, "again": known.assign(**{name: again})}
    print(markdown_head("", *scenarios))
    for what, measure in MEASURES.items():
        for label, values in both.items():
            found = [measure(values.xs(scenario, level="scenario")) for scenario in scenarios]
            cells = (bold(f"{of[name]:.2f}", of[name] < of[others].min()) for of in found)
            print(markdown(f"{what}, {label}", *cells))
        lowest = (f"{of[others].idxmin()} {bold(f'{of[others].min():.2f}', bold=False)}" for of in found)
        print(markdown(f"{what}, lowest of the others", *lowest))


if __name__ == "__main__":
    main()
