"""Differences between the paper's text and its authors' code, and how each moves the mean ranks: added and left out.

The six algorithms of ``configs/`` with one difference of ``configs/as_run/``, and those of ``configs/as_run/`` with
all but one, are ranked among themselves and compared with the paper's Table 3. Runs into a results folder that can be
interrupted and continued like any other, also into one that holds trials of both kinds of configs. Run by
``make attribution``.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import cpu_count
from report import CONFIGS, ROOT, parsed, print_table, write
from studies import changed, trials_of

from sacma.analysis.paper import published
from sacma.analysis.paper.published import ALGORITHMS
from sacma.analysis.tables import PLACE, mean_ranks, median_delta_f
from sacma.analysis.trials import Trial, budgets_to_target, evaluations_to_target
from sacma.config.nested import value_at
from sacma.config.study import Study, load_study
from sacma.store.store import Store

DIFFERENCES = {
    "k-means": ("training_set",),
    "cold start": ("model",),
    "box, c_μ": ("sampling",),
    "floor, raising": ("control",),
    "restarts": ("restarts", "acceptance"),
}
"""The parts that are exchanged: the radius of GP-1 and GP-5 goes with k-means, error measures with the floor."""


def main() -> None:
    """Run what is missing, print the table and write ``out/attribution.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default="2,5,10")
    parser.add_argument("--instances", default="1-5")
    parser.add_argument("--results", type=Path, default=ROOT.parent / "results" / "attribution")
    parser.add_argument("--jobs", type=int, default=cpu_count())
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument("--backend", default="loky")
    tiny = {"functions": "1", "dimensions": "2", "instances": "1", "budget": 10}
    options = vars(parsed(parser, **tiny, backend="serial"))
    del options["tiny"]
    store, jobs, backend = Store(options.pop("results")), options.pop("jobs"), options.pop("backend")

    wholes = dict(variants(options))
    studies = {study.name: study for whole in wholes.values() for study in whole.values()}
    trials = trials_of(studies.values(), store, jobs, backend)
    rows = [row for name, whole in wholes.items() for row in agreement(name, whole, trials)]
    print("\nmean ranks, Spearman's ρ with the paper's, and the root mean square of their differences (rms)")
    print_table(sorted(rows, key=lambda row: (row["D"], row["scenario"] != rows[0]["scenario"])))
    write("attribution", options, rows=rows)


def variants(protocol: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Study]]]:
    """Yield names of variants and their six algorithms, by the paper's names."""
    folder = ROOT.parent / "configs"
    text, code = (
        {name: load_study(place / f"{file}.yaml", protocol) for name, file in zip(ALGORITHMS, CONFIGS, strict=True)}
        for place in (folder, folder / "as_run")
    )
    yield "text", text
    for difference, parts in DIFFERENCES.items():
        yield f"text + {difference}", _with(text, code, parts, difference)
    yield "code", code
    for difference, parts in DIFFERENCES.items():
        yield f"code − {difference}", _with(code, text, parts, difference)


def _with(
    ours: Mapping[str, Study], theirs: Mapping[str, Study], parts: Iterable[str], suffix: str
) -> dict[str, Study]:
    """Return algorithms with parts of others; where the parts are the same, the algorithm itself."""
    word, made = suffix.partition(",")[0].replace(" ", "-"), {}
    for name, study in ours.items():
        content, other = study.settings.model_dump(), theirs[name].settings.model_dump()
        exchanged = {part: value_at(other, part) for part in parts if value_at(other, part) != value_at(content, part)}
        made[name] = changed(study, word, exchanged) if exchanged else study
    return made


def agreement(name: str, whole: Mapping[str, Study], trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield a row for each dimension and scenario of a variant."""
    named = {study.name: algorithm for algorithm, study in whole.items()}
    theirs = [trial for trial in trials if trial.algorithm in named]
    scenarios = budgets_to_target(evaluations_to_target(theirs, whole[ALGORITHMS[0]].protocol.budget))
    ranks = mean_ranks(median_delta_f(theirs, scenarios)).replace({"algorithm": named})
    beside = ranks.merge(published.mean_ranks().rename(columns={"mean_rank": "paper"}), on=[*PLACE, "algorithm"])
    for (dimension, scenario), group in beside.groupby(PLACE, sort=False):
        ours = group.set_index("algorithm")["mean_rank"].reindex(ALGORITHMS).round(9)
        paper = group.set_index("algorithm")["paper"].reindex(ALGORITHMS)
        yield {
            "D": int(dimension),
            "scenario": str(scenario),
            "variant": name,
            **{algorithm: float(rank) for algorithm, rank in ours.items()},
            "ρ": float(pd.Series.corr(ours, paper, method="spearman")),
            "rms": float(np.sqrt(np.mean((ours - paper) ** 2))),
        }


if __name__ == "__main__":
    main()
