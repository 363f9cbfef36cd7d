"""Comparison of open readings of the paper: training radius, selection, bounds, and parts of the published code.

Runs ADA-Kendall and GP-5 with each reading, and compares the readings of one algorithm with each other. An interrupted
run continues. Run by ``make readings``.
"""

import argparse
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common import ROOT, campaign_of, changed, named, print_table
from sacma.analysis.tables import mean_ranks, median_delta_f
from sacma.analysis.trials import fixed_budgets
from sacma.config.nested import value_at
from sacma.config.study import Study, load_study

ALGORITHMS = {"ADA-Kendall": "ada_kendall.yaml", "GP-5": "gp5.yaml"}
RADII = (8.0, 16.0, 32.0, 64.0, math.inf)
SELECTIONS = ("recent", "nearest", "kmeans")
PARTS_AS_RUN = ("model", "training_set", "acceptance", "control", "control.error", "sampling", "restarts")
BUDGETS = (25.0, 50.0, 250.0 / 3.0, 125.0, 250.0)


def main() -> None:
    """Run missing trials and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", help="names, like r8-recent,as-run")
    tiny = {"readings": "r8-recent,as-run"}
    campaign, given = campaign_of(parser, "readings", dimensions="2,5,10", instances="1-5", **tiny)

    known = {
        name: {_reading(study.name, name): study for study in readings(name, campaign.protocol)} for name in ALGORITHMS
    }
    wanted = named("--readings", given.readings, dict.fromkeys(r for found in known.values() for r in found))
    studies = [study for found in known.values() for reading, study in found.items() if reading in wanted]
    medians = median_delta_f(campaign.trials_of(studies), fixed_budgets(BUDGETS))
    for name in ALGORITHMS:
        print(f"\n{name}: mean rank at evaluations/D (1 is best), wins and mean log10 Δf_med at 250 D")
        print_table(list(compare(medians[medians["algorithm"].str.startswith(name)], name)))


def readings(name: str, protocol: dict[str, Any]) -> Iterator[Study]:
    """Yield the studies of all readings of one algorithm."""
    base = load_study(ROOT / "configs" / ALGORITHMS[name], protocol)
    for selection in SELECTIONS:
        for radius in RADII:
            training_set = {"training_set.radius": radius, "training_set.selection": {"name": selection}}
            yield changed(base, f"r{radius:g}-{selection}", training_set)
    yield changed(base, "r64-recent-penalty", {"sampling.bounds": "penalty"})
    as_run = load_study(ROOT / "configs" / "as_run" / ALGORITHMS[name], protocol)
    yield as_run
    content = as_run.settings.model_dump()
    for part in PARTS_AS_RUN:
        with suppress(KeyError):  # a part that this control has not
            if value_at(content, part) != value_at(base.settings.model_dump(), part):
                yield changed(
                    base, f"as-run-{part.rpartition('.')[2].replace('_', '-')}", {part: value_at(content, part)}
                )


def compare(medians: pd.DataFrame, name: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each dimension and reading of an algorithm."""
    ranks = mean_ranks(medians)
    last = medians[medians["budget"] == max(BUDGETS)]
    for dimension in sorted(medians["dimension"].unique()):
        table = last[last["dimension"] == dimension].pivot(
            index="function", columns="algorithm", values="median_delta_f"
        )
        logarithms = table.map(np.log10).round(9)
        best = logarithms.eq(logarithms.min(axis="columns"), axis="index")
        wins = best.div(best.sum(axis="columns"), axis="index").sum()  # shared among equals
        for reading in medians["algorithm"].unique():
            row = ranks[(ranks["dimension"] == dimension) & (ranks["algorithm"] == reading)]
            by_budget = {
                scenario.removesuffix("·D").partition(".")[0]: float(rank)
                for scenario, rank in zip(row["scenario"], row["mean_rank"], strict=True)
            }
            yield {
                "D": int(dimension),
                "reading": _reading(reading, name),
                **by_budget,
                "wins": float(wins[reading]),
                "log10": float(logarithms[reading].mean()),
            }


def _reading(study: str, algorithm: str) -> str:
    return study.removeprefix(f"{algorithm}-")


if __name__ == "__main__":
    main()
