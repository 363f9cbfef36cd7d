"""CPU time of a choice of training points by k-means, and the points that it chooses, for both seedings.

Run by ``make bench``. The candidates are those of real trials of GP-5-as-run, recorded where there are most of them;
each choice is repeated with further random numbers. Near: the share of chosen points within 3√D of m.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import PrivateAttr
from threadpoolctl import threadpool_limits

from benchmarks.report import ROOT, parsed, print_table, write
from benchmarks.studies import run_with
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.config.plan import plan
from sacma.config.study import load_studies
from sacma.surrogate.selections.kmeans import KMeans
from sacma.surrogate.training_set import Indices
from sacma.types import Array

CONFIG = Path("as_run") / "gp5.yaml"
SEEDINGS = ("k-means++", "random")


class RecordedKMeans(KMeans):
    """The selection, with the candidates of each choice."""

    _candidates: list[tuple[Array, int]] = PrivateAttr(default_factory=list)

    @property
    def candidates(self) -> list[tuple[Array, int]]:
        """The candidates of each choice, shape (n, D), and how many were chosen."""
        return self._candidates

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Choose, and keep what from."""
        self._candidates.append((whitened, size))
        return super().choose(whitened, size, rng)


def main() -> None:
    """Record, choose, print and write ``out/selection.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--function", type=int, default=8)
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the config's")
    parser.add_argument("--repetitions", type=int, default=50)
    options = parsed(parser, dimensions="2", budget=60, repetitions=2)
    rows = []
    with threadpool_limits(limits=1):
        for dimension in map(int, options.dimensions.split(",")):
            whitened, size = most_candidates(dimension, options.function, options.budget)
            row: dict[str, Any] = {"D": dimension, "candidates": len(whitened), "chosen": size}
            for seeding in SEEDINGS:
                milliseconds, near = measured(KMeans(seeding=seeding), whitened, size, options.repetitions)
                row |= {f"{seeding}, ms": milliseconds, f"{seeding}, near": near}
            rows.append(row)
    print(f"CPU ms a choice (median), and share of near points, f{options.function}")
    print_table(rows)
    write("selection", vars(options), rows=rows)


def most_candidates(dimension: int, function: int, budget: float | None) -> tuple[Array, int]:
    """Return the largest set of candidates of a trial, whitened, shape (n, D), and n_max."""
    overrides = {"functions": str(function), "dimensions": str(dimension), "instances": "1", "budget": budget}
    (study,) = load_studies([ROOT.parent / "configs" / CONFIG], overrides)
    (spec,) = plan([study])
    selection = RecordedKMeans()
    training_set = study.settings.training_set.model_copy(update={"selection": selection})
    settings = study.settings.model_copy(update={"training_set": training_set})
    run_with(spec, lambda problem, rng: surrogate_cmaes(problem, rng, settings))
    return max(selection.candidates, key=lambda chosen: len(chosen[0]))


def measured(selection: KMeans, whitened: Array, size: int, repetitions: int) -> tuple[float, float]:
    """Return the median of CPU milliseconds, and the mean share of near points, over repeated choices."""
    selection.prepare()
    milliseconds, near = [], []
    for seed in range(repetitions):
        rng, start = np.random.default_rng(seed), time.process_time()
        chosen = whitened[selection.choose(whitened, size, rng)]
        milliseconds.append(1e3 * (time.process_time() - start))
        near.append(np.mean(np.linalg.norm(chosen, axis=1) < 3 * np.sqrt(chosen.shape[1])))
    return float(np.median(milliseconds)), float(np.mean(near))


if __name__ == "__main__":
    main()
