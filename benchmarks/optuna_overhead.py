"""Cost of a trial in Optuna beside its objective, which is free here: ask and tell, with several samplers.

A sampler's share is the difference to RandomSampler. Restarting is the first trial of a new sampler, which computes the
optimizer from all trials. Run by ``make bench``.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import optuna
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.trial import Trial

from benchmarks.report import parsed, print_table, write
from sacma.integrations.optuna import SurrogateCMASampler

SAMPLERS: dict[str, Callable[[int], BaseSampler]] = {
    "RandomSampler": lambda seed: RandomSampler(seed=seed),
    "TPESampler": lambda seed: TPESampler(seed=seed),
    "SurrogateCMASampler": lambda seed: SurrogateCMASampler(seed=seed),
    "SurrogateCMASampler, ada-kendall": lambda seed: SurrogateCMASampler(seed=seed, method="ada-kendall"),
    "SurrogateCMASampler, plain": lambda seed: SurrogateCMASampler(seed=seed, method="cmaes"),
}


def main() -> None:
    """Measure, print the table and write ``out/optuna_overhead.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,5,10")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    options = parsed(parser, dimensions="2", trials=30, repeats=1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    measure("SurrogateCMASampler", 2, 30, 0)  # compiles
    rows = []
    for dimension in (int(d) for d in options.dimensions.split(",")):
        for name in SAMPLERS:
            turns = [measure(name, dimension, options.trials, seed) for seed in range(1, options.repeats + 1)]
            a_trial, restart = (min(turn[i] for turn in turns) for i in range(2))
            rows.append({"sampler": name, "D": dimension, "ms a trial": 1e3 * a_trial, "restart, ms": 1e3 * restart})
    print(f"Wall-clock time of a trial with a free objective, of {options.trials} in memory")
    print_table(rows)
    write("optuna_overhead", {"trials": options.trials, "repeats": options.repeats}, rows=rows)


def measure(name: str, dimension: int, n_trials: int, seed: int) -> tuple[float, float]:
    """Return seconds a trial, and of the first trial of a sampler that goes on after all of them."""

    def objective(trial: Trial) -> float:
        x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(dimension)]
        return sum(10 ** (4 * i / dimension) * (value - 1) ** 2 for i, value in enumerate(x))

    study = optuna.create_study(sampler=SAMPLERS[name](seed))
    a_trial = timed(study.optimize, objective, n_trials=n_trials) / n_trials
    study.sampler = SAMPLERS[name](seed)
    return a_trial, timed(study.optimize, objective, n_trials=1)


def timed(call: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    call(*arguments, **options)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
