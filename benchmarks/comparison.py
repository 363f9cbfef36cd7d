"""All algorithms compared, as docs/comparison.md shows it: from the report's tables, as Markdown. It runs nothing.

Run as ``python benchmarks/comparison.py RESULTS`` after ``sacma postprocess RESULTS``; ``--csv FILE`` writes log₁₀ of
the median Δf by dimension, function and budget, an algorithm a column.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from report import bold, markdown, parsed

FAR = 3.0
"""Decades behind the best of a function, from which an algorithm is said to lose it."""


def main() -> None:
    """Print mean ranks, log₁₀ of the median Δf over functions, and where each algorithm loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--csv", type=Path)
    given = parsed(parser)
    tables = given.results / "report" / "tables"
    ranks = pd.read_csv(tables / "mean_ranks.csv")
    medians = pd.read_csv(tables / "median_delta_f.csv")
    budgets = [name for name in ranks["scenario"].unique() if "#" not in name]
    ranks, medians = (table[table["scenario"].isin(budgets)] for table in (ranks, medians))
    medians["log10"] = np.log10(medians["median_delta_f"])
    if given.csv:
        wide = medians.pivot(index=["dimension", "function", "evaluations"], columns="algorithm", values="log10")
        wide.round(2).to_csv(given.csv)
    for dimension, here in medians.groupby("dimension"):
        print(f"\n### {dimension}-D\n")
        mean_ranks = ranks[ranks["dimension"] == dimension].pivot(
            index="algorithm", columns="scenario", values="mean_rank"
        )[budgets]
        by_function = here.pivot(index=["scenario", "function"], columns="algorithm", values="log10")
        middle = by_function.groupby(level="scenario").mean().T[budgets]
        order = mean_ranks.mean(axis=1).sort_values().index
        print(markdown("mean rank at", *budgets, "mean log₁₀ Δf_med at", *budgets))
        print(markdown("---", *["---:"] * len(budgets), "---", *["---:"] * len(budgets)))
        best = mean_ranks.min(), middle.min()
        for name in order:
            cells = [
                [bold(f"{table.loc[name, b]:.{digits}f}", table.loc[name, b] == lowest[b]) for b in budgets]
                for table, lowest, digits in ((mean_ranks, best[0], 2), (middle, best[1], 1))
            ]
            print(markdown(str(name), *cells[0], "", *cells[1]))
        at_end = by_function.loc[budgets[-1]]
        behind = at_end.sub(at_end.min(axis=1), axis=0)
        print(f"\nThree decades or more behind the best of a function at {budgets[-1]}:\n")
        for name in order:
            lost = behind.index[behind[name] >= FAR]
            print(f"- {name}: {', '.join(f'f{function}' for function in lost) or 'none'}")


if __name__ == "__main__":
    main()
