"""On how many functions one algorithm of a results folder is ahead of others: by median Δf at given budgets.

Run as ``python -m benchmarks.beats RESULTS NAME OTHER...`` on a folder of results or of outcomes (see ``outcomes.py``).
It runs nothing.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.comparison import check_apart
from benchmarks.outcomes import covered_in
from benchmarks.report import end, parsed, print_table
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial


def main() -> None:
    """Print a row for each dimension, budget and other algorithm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("name")
    parser.add_argument("others", nargs="+")
    parser.add_argument("--budgets", default="25,83", help="evaluations divided by D")
    parser.add_argument("--also", type=Path, action="append", default=[], help="further results or outcomes")
    parser.add_argument("--dimension", type=int, help="default: all")
    given = parsed(parser)
    wanted = {given.name, *given.others}
    covered = [each for folder in (given.results, *given.also) for each in covered_in(folder, needed=False)]
    covered = [(study, there) for study, there in covered if study.name in wanted]
    if unknown := wanted - {study.name for study, _ in covered}:
        end(f"no results of {', '.join(sorted(unknown))}")
    check_apart([study for study, _ in covered])
    try:
        budgets = [float(budget) for budget in given.budgets.split(",")]
    except ValueError:
        end(f"--budgets: {given.budgets}; allowed: numbers of evaluations/D, like 25,83")
    if max(budgets) > (least := min(part.protocol.budget for study, _ in covered for part in study.parts)):
        end(f"--budgets: {max(budgets):g}; allowed: up to {least:g}, where the first of the algorithms ends")
    trials = [trial for _, there in covered for trial in there.trials]
    trials = [trial for trial in trials if given.dimension in {None, trial[0].dimension}]
    runs = Counter(spec.place for spec, _ in trials)
    paired = [our_trial(*trial) for trial in trials if runs[trial[0].place] == len(wanted)]
    if not paired:
        end("no problem that all of these have run")
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
