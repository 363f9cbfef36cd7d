"""CPU milliseconds a true evaluation, for each algorithm of the study and each dimension, beside their floor.

Run by ``make bench``; with configs as arguments, like ``configs/baselines/*.yaml``, of those instead. Whole trials of
the study's protocol on one function of each of bbob's groups, in one process and on one core; options change it. The
floor is what nothing built on pycma and LAPACK can avoid: the time inside pycma's ``ask`` and ``tell`` in these very
trials, and for each evaluation of the likelihood one bare ``dpotrf``, timed in the same run.
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cma
import numpy as np
from report import config_paths, print_table, write
from scipy.linalg.lapack import dpotrf
from threadpoolctl import threadpool_limits

from sacma.config import load_studies
from sacma.experiment.plan import TrialSpec, plan
from sacma.experiment.record import TrialRecord
from sacma.experiment.trial import run_trial

PARTS = ("objective", "fit", "predict", "strategy", "other")


def main() -> None:
    """Run the sample, print the table and write it to ``out/trial_cost.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="*", type=Path, default=config_paths(), help="instead of those of the study")
    parser.add_argument("--suite", default="bbob")
    parser.add_argument("--functions", default="1,8,13,15,21")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    protocol = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    configs = protocol.pop("configs")
    cells: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in plan(load_studies(configs, protocol)):
        cells.setdefault((spec.name, spec.dimension), []).append(spec)

    for name in dict.fromkeys(name for name, _ in cells):
        run_trial(next(spec for spec in cells[name, min(d for _, d in cells)]))  # imported and compiled from here on
    rows = []
    for (name, dimension), specs in cells.items():
        rows.append({"algorithm": name, "D": dimension, **cost(specs)})
        print(f"{name} {dimension}-D", flush=True)
    print(f"\nCPU ms a true evaluation, functions {protocol['functions']}, instances {protocol['instances']}")
    print_table(rows)
    write("trial_cost", protocol, milliseconds=rows)


def cost(specs: Sequence[TrialSpec]) -> dict[str, float]:
    """Run the trials and return the CPU milliseconds a true evaluation: total, parts, floor and their ratio."""
    stopwatch = _Stopwatch()
    evaluations, factorisations = 0, Counter[int]()
    seconds = dict.fromkeys(PARTS, 0.0)
    with (
        patch.object(cma.CMAEvolutionStrategy, "ask", stopwatch.timed(cma.CMAEvolutionStrategy.ask)),
        patch.object(cma.CMAEvolutionStrategy, "tell", stopwatch.timed(cma.CMAEvolutionStrategy.tell)),
    ):
        for spec in specs:
            record = run_trial(spec)
            evaluations += record.outcome.evaluations
            factorisations += factorised(record)
            for part in PARTS:
                seconds[part] += getattr(record.outcome.cpu, part)
    lapack = sum(count * dpotrf_seconds(n) for n, count in factorisations.items())
    scale = 1e3 / evaluations
    total, floor = scale * sum(seconds.values()), scale * (stopwatch.seconds + lapack)
    return {
        "total": total,
        **{part: scale * seconds[part] for part in PARTS},
        "pycma": scale * stopwatch.seconds,
        "dpotrf": scale * lapack,
        "floor": floor,
        "ratio": total / floor if floor else math.nan,
    }


class _Stopwatch:
    """CPU seconds inside the functions that it times."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` with its time added up."""

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            result = function(*args, **kwargs)
            self.seconds += time.process_time() - start
            return result

        return wrapper


def factorised(record: TrialRecord) -> Counter[int]:
    """Return how many matrices of which size the trainings of a trial have factorised."""
    trace = record.trace
    sizes = Counter[int]()
    columns = (trace["training_set_size"], trace["likelihood_evaluations"], trace["half_evaluations"])
    for n, whole, half in zip(*columns, strict=True):
        sizes[int(n)] += int(whole)
        sizes[(int(n) + 1) // 2] += int(half)
    return sizes


_seconds: dict[int, float] = {}


def dpotrf_seconds(n: int) -> float:
    """Return the median CPU seconds of factorising an n × n matrix, n rounded up to a multiple of ten."""
    rounded = max(10, -(-n // 10) * 10)
    if rounded not in _seconds:
        X = np.random.default_rng(0).standard_normal((rounded, 5))
        A = np.asfortranarray(np.exp(-0.5 * np.sum((X[:, None] - X) ** 2, axis=2)) + 1e-3 * np.eye(rounded))
        samples = []
        with threadpool_limits(limits=1):
            for _ in range(31):
                copies = [A.copy(order="F") for _ in range(max(1, 600 // rounded))]
                start = time.process_time()
                for copy in copies:
                    dpotrf(copy, lower=1, clean=0, overwrite_a=1)
                samples.append((time.process_time() - start) / len(copies))
        _seconds[rounded] = float(np.median(samples))
    return _seconds[rounded] * (n / rounded) ** 3 if n else 0.0


if __name__ == "__main__":
    main()
