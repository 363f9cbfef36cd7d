"""Open readings of the paper, measured: training radius, selection, bounds, and the published code, whole and in parts.

Runs ADA-Kendall and GP-5 with each reading through the harness, into a results folder that can be interrupted and
continued like any other, and compares the readings of one algorithm with each other. Run by ``make readings``.
"""

import argparse
import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import cpu_count
from report import ROOT, parsed, print_table, write
from studies import changed, medians_of

from sacma.analysis.tables import mean_ranks
from sacma.config.nested import value_at
from sacma.config.study import Study, load_study
from sacma.store.store import Store

ALGORITHMS = {"ADA-Kendall": "ada_kendall.yaml", "GP-5": "gp5.yaml"}
RADII = (8.0, 16.0, 32.0, 64.0, math.inf)
SELECTIONS = ("recent", "nearest", "kmeans")
PARTS_AS_RUN = ("model", "training_set", "acceptance", "control", "control.error", "sampling", "restarts")
BUDGETS = (25.0, 50.0, 250.0 / 3.0, 125.0, 250.0)


def main() -> None:
    """Run what is missing, print the tables and write ``out/open_readings.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default="2,5,10")
    parser.add_argument("--instances", default="1-5")
    parser.add_argument("--readings", default="all", help="names, like r8-recent,as-run")
    parser.add_argument("--results", type=Path, default=ROOT.parent / "results" / "readings")
    parser.add_argument("--jobs", type=int, default=cpu_count())
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument("--backend", default="loky")
    tiny = {"functions": "1", "dimensions": "2", "instances": "1", "budget": 10, "readings": "r8-recent,as-run"}
    options = vars(parsed(parser, **tiny, backend="serial"))
    del options["tiny"]
    store, jobs, backend = Store(options.pop("results")), options.pop("jobs"), options.pop("backend")

    wanted = options.pop("readings").split(",")
    studies = [
        study
        for name in ALGORITHMS
        for study in readings(name, options)
        if wanted == ["all"] or study.name.removeprefix(f"{name}-") in wanted
    ]
    medians = medians_of(studies, store, jobs, BUDGETS, backend)
    tables = {}
    for name in ALGORITHMS:
        tables[name] = list(compare(medians[medians["algorithm"].str.startswith(name)]))
        print(f"\n{name}: mean rank at evaluations/D (1 is best), wins and mean log10 Δf_med at 250 D")
        print_table(tables[name])
    write("open_readings", options, **tables)


def readings(name: str, protocol: dict[str, Any]) -> Iterator[Study]:
    """Yield the studies of all readings of one algorithm."""
    base = load_study(ROOT.parent / "configs" / ALGORITHMS[name], protocol)
    for selection in SELECTIONS:
        for radius in RADII:
            training_set = {"training_set.radius": radius, "training_set.selection": {"name": selection}}
            yield changed(base, f"r{radius:g}-{selection}", training_set)
    yield changed(base, "r64-recent-penalty", {"sampling.bounds": "penalty"})
    as_run = load_study(ROOT.parent / "configs" / "as_run" / ALGORITHMS[name], protocol)
    yield as_run
    content = as_run.settings.model_dump()
    for part in PARTS_AS_RUN:
        with suppress(KeyError):  # a part that this control has not
            if value_at(content, part) != value_at(base.settings.model_dump(), part):
                yield changed(
                    base, f"as-run-{part.rpartition('.')[2].replace('_', '-')}", {part: value_at(content, part)}
                )


def compare(medians: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for each dimension and reading."""
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
                "reading": reading,
                **by_budget,
                "wins": float(wins[reading]),
                "log10": float(logarithms[reading].mean()),
            }


if __name__ == "__main__":
    main()
