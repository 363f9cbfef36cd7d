"""Functions with noise: quality of the recommended point, and error of its value, with ``noisy`` and without."""

import argparse
from typing import Any

import numpy as np

import sacma
from benchmarks.common import arguments, print_table
from sacma.types import Array

DIMENSION = 5
OPTIMUM = 0.3  # of each coordinate, but for Rosenbrock's function


def main() -> None:
    """Measure and print the table."""
    tiny = {"methods": "cmaes", "budget": 30, "seeds": 2}
    options = arguments(
        __doc__, tiny, methods="sacma,ada-kendall,cmaes", deviation=0.5, budget=50 * DIMENSION, seeds=15
    )
    rows = [
        {"method": method, "function": name, "noisy": noisy, **measured(name, method, noisy=noisy, options=options)}
        for method in options.methods.split(",")
        for name in FUNCTIONS
        for noisy in (False, True)
    ]
    print(
        f"{options.budget} evaluations in {DIMENSION}-D, noise of standard deviation {options.deviation:g}, "
        f"{options.seeds} runs each: median f(x) without noise, median of |fun − f(x)|, mean of fun − f(x), "
        "and the share of runs with f(x) within two errors of fun"
    )
    print_table(rows)


def measured(name: str, method: str, *, noisy: bool, options: argparse.Namespace) -> dict[str, Any]:
    """Return a row of the table."""
    fun = FUNCTIONS[name]
    truths, off, within = [], [], []
    for seed in range(options.seeds):
        noise = np.random.default_rng([seed, *f"{method} {name}".encode()])

        def evaluated(x: Array, noise: np.random.Generator = noise) -> float:
            return fun(x) + options.deviation * float(noise.standard_normal())

        found = sacma.minimize(
            evaluated, bounds=[(-2, 2)] * DIMENSION, budget=options.budget, seed=seed, method=method, noisy=noisy
        )
        truths.append(fun(found.x))
        off.append(found.fun - truths[-1])
        within.append(noisy and abs(off[-1]) <= 2 * found.fun_error)
    return {
        "f(x)": float(np.median(truths)),
        "off": float(np.median(np.abs(off))),
        "bias": float(np.mean(off)),
        "within 2 errors": f"{np.mean(within):.0%}" if noisy else "-",
    }


def sphere(x: Array) -> float:
    """Σ zᵢ²."""
    return float(np.sum((x - OPTIMUM) ** 2))


def rosenbrock(x: Array) -> float:
    """Rosenbrock's function."""
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def ellipsoid(x: Array) -> float:
    """Σ 10^(3 (i − 1)/(D − 1)) zᵢ²."""
    return float(10.0 ** np.linspace(0, 3, len(x)) @ (x - OPTIMUM) ** 2)


FUNCTIONS = {"sphere": sphere, "Rosenbrock": rosenbrock, "ellipsoid": ellipsoid}


if __name__ == "__main__":
    main()
