"""The CPU hours of the full study, extrapolated from a stratified sample, beside the paper's.

The sample holds two trials (two instances, one of each block) of two functions of each of bbob's five groups, for
each algorithm and dimension; each stands for its share of the 24 functions × 15 instances. Of the paper's the
table of CPU seconds a true evaluation is known (its Table 2, the adaptive algorithms): times all evaluations.
"""

import argparse
import statistics
from collections.abc import Sequence
from typing import Any

from joblib import cpu_count

from benchmarks.report import CONFIGS, config_paths, parsed, print_table, write
from sacma.analysis.paper import published
from sacma.config.plan import plan
from sacma.config.study import load_studies
from sacma.experiment.backends import make_backend
from sacma.store.failure import TrialFailure
from sacma.store.outcome import Outcome

TRIALS = 24 * 15
GROUPS = {1: 5, 2: 4, 3: 5, 4: 5, 5: 5}
"""How many functions each of bbob's groups has."""

FUNCTIONS = {1: 1, 3: 1, 6: 2, 8: 2, 10: 3, 13: 3, 15: 4, 17: 4, 20: 5, 21: 5}
"""The sample's functions, and their groups."""


def main() -> None:
    """Run the sample, print the table and write ``out/study_cost.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=cpu_count())
    parser.add_argument("--instances", default="1,41")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument("--backend", default="loky")
    options = parsed(parser, instances="1", dimensions="2", budget=10, backend="serial")
    protocol = {"functions": ",".join(map(str, FUNCTIONS)), "instances": options.instances}
    protocol |= {"dimensions": options.dimensions, "budget": options.budget}
    specs = plan(load_studies(config_paths(CONFIGS), protocol))
    cells: dict[tuple[str, int], list[tuple[int, Outcome]]] = {}
    for result in make_backend(options.backend, jobs=options.jobs).run(specs):
        if isinstance(result, TrialFailure):
            raise SystemExit(result.traceback)
        cells.setdefault((result.spec.name, result.spec.dimension), []).append((result.spec.function, result.outcome))

    table = published.cpu_seconds()
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(spec.name for spec in specs):
        ours = {D: _hours(sample) for (algorithm, D), sample in sorted(cells.items()) if algorithm == name}
        paper = table[table["algorithm"] == name]
        theirs = float((paper["seconds"] * paper["dimension"]).sum()) * TRIALS * 250 / 3600
        rows.append(
            {
                "algorithm": name,
                **{f"{D}-D": hours for D, hours in ours.items()},
                "hours": sum(ours.values()),
                "paper's hours": theirs or "",
                "ratio": theirs / sum(ours.values()) if theirs else "",
            }
        )
    adaptive = [row for row in rows if row["algorithm"].startswith("ADA")]
    for label, chosen in (("adaptive three", adaptive), ("all six", list(rows))):
        total = {key: sum(row[key] for row in chosen) for key in rows[0] if key.endswith("-D") or key == "hours"}
        theirs = sum(row["paper's hours"] for row in adaptive) if chosen is adaptive else ""
        ratio = theirs / total["hours"] if chosen is adaptive else ""
        rows.append({"algorithm": label, **total, "paper's hours": theirs, "ratio": ratio})
    print("CPU hours of the full study: 24 functions, 15 instances, 250 D evaluations")
    print_table(rows)
    write("study_cost", vars(options), hours=rows)


def _hours(trials: Sequence[tuple[int, Outcome]]) -> float:
    """CPU hours of all trials of a cell: the groups weighted by their functions."""
    seconds = 0.0
    for group, functions in GROUPS.items():
        sample = [outcome.cpu.total for function, outcome in trials if FUNCTIONS[function] == group]
        seconds += functions * 15 * statistics.mean(sample)
    return seconds / 3600


if __name__ == "__main__":
    main()
