"""CPU time of ask and tell, by method and dimension; functions are of bbob, instance 1."""

import argparse
import time
from typing import Any

import cocoex
import numpy as np

import sacma
from benchmarks.common import arguments, print_table


def main() -> None:
    """Measure and print the table."""
    tiny = {"methods": "cmaes", "dimensions": "2", "functions": "1", "budget_factor": 20}
    defaults = {
        "methods": "sacma,dts-cmaes,ada-kendall,cmaes",
        "dimensions": "2,3,5,10,20",
        "functions": "1,8,13,15,21",
    }
    options = arguments(__doc__, tiny, **defaults, budget_factor=100)
    rows = [
        {"method": method, "D": int(D), **measured(method, int(D), options)}
        for method in options.methods.split(",")
        for D in options.dimensions.split(",")
    ]
    print(f"CPU ms of ask and tell, to {options.budget_factor} D evaluations, functions {options.functions}")
    print_table(rows)


def measured(method: str, dimension: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return the measured columns of the table, after a run that loads and compiles."""
    spent(method, "8", dimension, 20 * dimension)
    times = [spent(method, f, dimension, options.budget_factor * dimension) for f in options.functions.split(",")]
    every = np.concatenate(times)
    return {
        "an evaluation": float(np.mean(every)),
        "on the dearest function": float(max(np.mean(each) for each in times)),
        "longest 1 % from": float(np.quantile(every, 0.99)),
    }


def spent(method: str, function: str, dimension: int, budget: int) -> np.ndarray:
    """Return CPU milliseconds of ask and tell by evaluation, shape (n,)."""
    suite = cocoex.Suite("bbob", "instances:1", f"function_indices:{function} dimensions:{dimension}")
    problem = suite[0]  # ends with its suite
    es = sacma.Optimizer(np.zeros(dimension), 2.0, bounds=(-5, 5), method=method, budget=budget, seed=1)
    times: list[float] = []
    while not es.stop():
        begun = time.process_time()
        points = es.ask()
        asked = time.process_time() - begun
        values = [problem(x) for x in points]
        begun = time.process_time()
        es.tell(points, values)
        times += [1e3 * (asked + time.process_time() - begun) / len(points)] * len(points)
    return np.array(times)


if __name__ == "__main__":
    main()
