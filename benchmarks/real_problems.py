"""Optimizers on problems of the literature: the best values after 5, 10, 20, 40 and 80·D evaluations.

Runs missing runs, keeps each, and prints mean ranks, medians and costs as Markdown; ``--images FOLDER`` draws the
charts. Optimizers of missing packages are left out: ``pip install '.[benchmarks]'`` brings them.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed
from matplotlib.figure import Figure

from benchmarks.common import ROOT, end, named, parsed
from sacma.analysis.figures.files import write

try:
    from benchmarks.real import charts, statistics, tables
    from benchmarks.real.catalogue import HALVES, PROBLEMS
    from benchmarks.real.optimizers import OPTIMIZERS
    from benchmarks.real.runs import RunKey, RunRecord, append, perform, read
except ModuleNotFoundError as error:  # data of problems come with packages
    if str(error.name).startswith(("benchmarks", "sacma")):
        raise
    end(f"{error.name} is missing; pip install '.[benchmarks]' brings it")

ACCURACIES = (0.1, 0.001)  # of the data profiles and running times
RUNS = ROOT / "data" / "real_problems"  # folder of runs: those that are committed, packed, and new ones


def main() -> None:
    """Run missing runs and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="problems that are run; default: development")
    parser.add_argument("--problems", help="names, with commas; default: all of the half")
    parser.add_argument("--optimizers", help="names, with commas; default: all")
    parser.add_argument("--seeds", type=int, default=15, help="the seeds 1 to this")
    parser.add_argument("--budget", type=float, default=80, help="evaluations divided by D")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, default=RUNS, help="folder of the runs")
    parser.add_argument("--images", type=Path, help="folder for the charts")
    parser.add_argument("--reference", default="sacma", help="optimizer that each other is compared with")
    parser.add_argument("--against", type=Path, help="other folder of runs: print how many of both are the same")
    parser.add_argument("--report", action="store_true", help="run nothing: tables and charts of what is there")
    parser.add_argument("--list", action="store_true", help="print the problems, and nothing else")
    options = parsed(
        parser, {"problems": "gas oil,pollutant", "optimizers": "cmaes,random search", "seeds": 2, "budget": 5}
    )
    if options.list:
        for half in HALVES:
            print(f"\n### {half.capitalize()} half\n", *tables.problem_lines(half), sep="\n")
        return
    optimizers = named("--optimizers", options.optimizers, list(OPTIMIZERS))
    chosen = {
        "problem": named("--problems", options.problems, [n for n, p in PROBLEMS.items() if p.half == options.half]),
        "optimizer": optimizers if options.report else installed(optimizers),
    }
    if not options.report:
        asked = keys(chosen["problem"], chosen["optimizer"], options.seeds, options.budget)
        run_missing(asked, options.results, options.jobs)
    records = [
        record
        for record in read(options.results)
        if record.key.problem in chosen["problem"]
        and record.key.optimizer in chosen["optimizer"]
        and record.key.seed <= options.seeds
        and record.key.budget == budget_of(record.key.optimizer, options.budget)
    ]
    if not records:
        end(f"no runs in {options.results}; without --report they are made")
    if options.against:
        others = {record.key: record.improvements for record in read(options.against)}
        both = [record for record in records if record.key in others]
        same = sum(record.improvements == others[record.key] for record in both)
        print(f"{same} of the {len(both)} runs that are in {options.against}, too, are the same")
        return
    print_report(records, options.half, options.reference)
    if options.images:
        draw(records, options.half, options.images)


def installed(names: Iterable[str]) -> list[str]:
    """Return the optimizers with installed packages, and name the others."""
    here = []
    for name in names:
        if missing := OPTIMIZERS[name].missing():
            print(f"left out: {name}, for which {', '.join(missing)} is not installed", file=sys.stderr)
        else:
            here.append(name)
    return here


def budget_of(optimizer: str, budget: float) -> float:
    """Return the budget of an optimizer in evaluations/D, at most its own limit."""
    return min(budget, OPTIMIZERS[optimizer].most)


def keys(problems: Iterable[str], optimizers: Sequence[str], seeds: int, budget: float) -> list[RunKey]:
    """Return all runs, seed by seed."""
    return [
        RunKey(problem, optimizer, seed, budget_of(optimizer, budget))
        for seed, problem, optimizer in product(range(1, seeds + 1), list(problems), optimizers)
    ]


def run_missing(asked: Sequence[RunKey], results: Path, jobs: int) -> None:
    """Run missing runs, and keep each as it ends."""
    there = {record.key for record in read(results)}
    missing = [key for key in asked if key not in there]
    print(f"{len(asked) - len(missing)} of {len(asked)} runs are there", file=sys.stderr)
    begun = time.monotonic()
    tasks = (delayed(perform)(key) for key in missing)
    for done, record in enumerate(Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks), start=1):
        append(results, record)
        left = (time.monotonic() - begun) / done * (len(missing) - done)
        at = f"{record.key.problem}, {record.key.optimizer}, seed {record.key.seed}"
        best = record.improvements[-1][1] if record.improvements else float("inf")
        print(f"{done}/{len(missing)}  {at}: {best:.6g}  about {left / 60:.0f} min left", file=sys.stderr, flush=True)


def print_report(records: Sequence[RunRecord], half: str, reference: str) -> None:
    """Print mean ranks, comparisons with one optimizer, medians by problem at each budget, and overheads."""
    table = statistics.table_of(records)
    ranks = statistics.problem_ranks(table)
    seeds = ranks["seeds"]
    of_each = f"{seeds.min()}" if seeds.min() == seeds.max() else f"{seeds.min()} to {seeds.max()}"
    counts = f"{ranks['problem'].nunique()} problems, {of_each} seeds, 95 % intervals over problems, the least bold"
    print(f"\n### Mean ranks, {half} half, {counts}\n")
    print(*tables.rank_lines(statistics.mean_ranks(ranks), half), sep="\n")
    if {reference} < set(table["optimizer"]):
        print("", *tables.win_lines(statistics.win_shares(table, reference), half, reference), sep="\n")
        for accuracy in ACCURACIES:
            times = statistics.running_times(records, accuracy)
            print("", *tables.time_lines(times, accuracy, reference), sep="\n")
    medians = statistics.medians(table)
    for budget in sorted(medians["budget"].unique()):
        print("", *tables.median_lines(medians, half, budget), sep="\n")
    print("\n### Overhead\n", *tables.overhead_lines(statistics.overheads(records)), sep="\n")


def draw(records: Sequence[RunRecord], half: str, folder: Path) -> None:
    """Draw the charts of a half as SVG, wide and narrow."""
    means = statistics.mean_ranks(statistics.problem_ranks(statistics.table_of(records)))
    profiles = {accuracy: statistics.data_profiles(records, accuracy) for accuracy in ACCURACIES}
    for ending, narrow in ((half, False), (f"{half}_narrow", True)):
        keep(charts.ranks_chart(means, half, narrow=narrow), folder / f"real_problems_ranks_{ending}.svg")
        keep(charts.profiles_chart(profiles, half, narrow=narrow), folder / f"real_problems_profiles_{ending}.svg")


def keep(figure: Figure, path: Path) -> None:
    """Write a figure as SVG alone."""
    write(figure, path.with_suffix(""), pdf=False)
    print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
