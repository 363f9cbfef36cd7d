"""Functions without a value in a region, or at scattered points."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import sacma
from benchmarks.report import parsed, print_table, write
from sacma.types import Array

Function = Callable[[Array], float | None]
BOX, START, SIGMA = (-2.0, 2.0), 0.0, 0.5


def main() -> None:
    """Measure, print the table and write ``out/failures.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", default="sacma,dts-cmaes,ada-kendall,cmaes")
    parser.add_argument("--dimensions", default="3,5")
    parser.add_argument("--budget-factor", type=int, default=40, help="evaluations/D")
    parser.add_argument("--seeds", type=int, default=16)
    options = parsed(parser, methods="sacma", dimensions="2", budget_factor=15, seeds=2)
    rows = [
        {"function": name, "D": D, "method": method, **measured(fun, int(D), method, options)}
        for name, fun in PROBLEMS.items()
        for D in options.dimensions.split(",")
        for method in options.methods.split(",")
    ]
    print(f"median of the best values after {options.budget_factor} D evaluations, {options.seeds} runs")
    print_table(rows)
    write("failures", vars(options), rows=rows)


def measured(fun: Function, dimension: int, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the columns of the table that are measured."""
    runs = [
        sacma.minimize(
            fun,
            np.full(dimension, START),
            SIGMA,
            bounds=BOX,
            seed=seed,
            budget=options.budget_factor * dimension,
            method=method,
        )
        for seed in range(options.seeds)
    ]
    return {
        "median": float(np.median([run.fun for run in runs])),
        "failed": f"{np.mean([run.failures / run.nfev for run in runs]):.0%}",
        "ended by failures": sum(run.status == sacma.Status.FAILURES for run in runs),
    }


def sphere(x: Array) -> float:
    """Σ (xᵢ − 1)²."""
    return float(np.sum((x - 1.0) ** 2))


def rosenbrock(x: Array) -> float:
    """Rosenbrock's function."""
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def scattered(x: Array, share: float) -> bool:
    """Return True at a share of all points that follows no pattern."""
    return bool(np.random.default_rng(np.abs(x).view(np.uint64)).random() < share)


PROBLEMS: dict[str, Function] = {
    "sphere, none where x1 > 1/2": lambda x: None if x[0] > 0.5 else sphere(x),
    "sphere, none where the mean of x > 1/2": lambda x: None if np.mean(x) > 0.5 else sphere(x),
    "Rosenbrock, none where x1 > 0.8": lambda x: None if x[0] > 0.8 else rosenbrock(x),
    "Rosenbrock, none in a ball": lambda x: None if np.sum((x - 0.6) ** 2) < 0.05 else rosenbrock(x),
    "Rosenbrock, none at 10 % of all points": lambda x: None if scattered(x, 0.1) else rosenbrock(x),
    "Rosenbrock, none at 30 % of all points": lambda x: None if scattered(x, 0.3) else rosenbrock(x),
}


if __name__ == "__main__":
    main()
