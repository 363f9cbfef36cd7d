"""Optuna's sampler with one and with several workers, in simulated time: Δf after the same number of trials.

Functions of bbob; the instance is the seed. Trials take 1 to 2 units of time, and a worker begins the next one at once.
"""

import argparse
import heapq
from typing import TYPE_CHECKING

import cocoex
import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution

from benchmarks.report import parsed, print_table, write
from sacma.integrations.optuna import SurrogateCMASampler

if TYPE_CHECKING:
    from optuna.trial import Trial


def main() -> None:
    """Run all, print the table and write ``out/optuna_workers.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1,8,10,15")
    parser.add_argument("--methods", default="sacma,ada-kendall")
    parser.add_argument("--workers", default="1,4")
    parser.add_argument("--dimension", type=int, default=5)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5, help="the seeds 1 to this")
    options = parsed(parser, functions="1", trials=12, seeds=1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    rows = []
    for workers in (int(w) for w in options.workers.split(",")):
        for function in (int(f) for f in options.functions.split(",")):
            for method in options.methods.split(","):
                place = {"function": function, "dimension": options.dimension}
                how = {"workers": workers, "trials": options.trials}
                found = [final(method, **place, **how, seed=seed) for seed in range(1, options.seeds + 1)]
                rows.append({"workers": workers, "f": function, "method": method, "mean Δf": float(np.mean(found))})
    print_table(rows)
    write("optuna_workers", vars(options), rows=rows)


def final(method: str, *, function: int, dimension: int, workers: int, trials: int, seed: int) -> float:
    """Return Δf of the best trial."""
    problem = cocoex.BareProblem("bbob", function, dimension, seed)
    space: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(-5, 5) for i in range(dimension)}
    study = optuna.create_study(sampler=SurrogateCMASampler(seed=seed, method=method))
    rng = np.random.default_rng(seed)
    ends: list[tuple[float, int, Trial | None]] = [(0.0, worker, None) for worker in range(workers)]
    for left in reversed(range(trials + workers)):
        now, worker, ended = heapq.heappop(ends)
        if ended is not None:
            study.tell(ended, float(problem(np.array([ended.params[name] for name in space]))))
        if left >= workers:
            heapq.heappush(ends, (now + rng.uniform(1, 2), worker, study.ask(space)))
    return float(study.best_value - problem.best_value())


if __name__ == "__main__":
    main()
