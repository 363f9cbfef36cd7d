"""On how many functions one algorithm of a results folder is ahead of others: by median Δf at given budgets.

Run as ``python benchmarks/beats.py RESULTS NAME OTHER...``. It runs nothing.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from report import parsed, print_table

from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial
from sacma.store.completeness import completeness_of
from sacma.store.store import Store


def main() -> None:
    """Print a row for each dimension, budget and other algorithm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("name")
    parser.add_argument("others", nargs="+")
    parser.add_argument("--budgets", default="25,83", help="evaluations divided by D")
    given = parsed(parser)
    store = Store(given.results)
    wanted = {given.name, *given.others}
    specs = [spec for study in store.studies() if study.name in wanted for spec in study.specs()]
    trials = list(completeness_of(store, specs).trials)
    runs = Counter(spec.place for spec, _ in trials)
    paired = [our_trial(*trial) for trial in trials if runs[trial[0].place] == len(wanted)]
    budgets = [float(budget) for budget in given.budgets.split(",")]
    medians = median_delta_f(paired, fixed_budgets(budgets))
    rows = []
    for (dimension, budget), group in medians.groupby(["dimension", "budget"]):
        table = group.pivot(index="function", columns="algorithm", values="median_delta_f").map(np.log10).round(9)
        for other in given.others:
            difference = table[given.name] - table[other]
            rows.append(
                {
                    "D": dimension,
                    "evaluations/D": budget,
                    "other": other,
                    "ahead": int((difference < 0).sum()),
                    "level": int((difference == 0).sum()),
                    "behind": int((difference > 0).sum()),
                    "behind on": " ".join(f"f{function}" for function in table.index[difference > 0]) or "none",
                    "log10": float(table[given.name].mean()),
                    "log10 of other": float(table[other].mean()),
                }
            )
    print(
        f"{given.name}: median Δf over the instances that all have run, {len(paired) // len(wanted)} problems, "
        f"{medians['function'].nunique()} functions"
    )
    print_table(rows)


if __name__ == "__main__":
    main()
