"""Noise that a call does not announce: how often a warning says so, on noisy functions, and on bbob, where it must not.

Runs of the default method: on the 24 functions of bbob, looked at after 20·D, 50·D and all evaluations; and on
a sphere, an ellipsoid, Rosenbrock's and Rastrigin's function with normal noise of three sizes.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator

import cocoex
import numpy as np

import sacma
from benchmarks.report import parsed, print_table, write
from sacma.optimize.noise import looks_noisy

SIZES = (0.01, 0.1, 1.0)  # standard deviations


def main() -> None:
    """Run all, print the table and write ``out/unannounced.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,3,5,10")
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--budget", type=int, default=100, help="evaluations a dimension")
    options = parsed(parser, dimensions="2", functions="1", budget=20)
    rows = []
    for D in map(int, options.dimensions.split(",")):
        suite = cocoex.Suite("bbob", "instances: 1-2", f"dimensions: {D} function_indices: {options.functions}")
        found = [warned for problem in suite for warned in looked_at(problem, D, options.budget)]
        rows.append({"functions": "bbob", "D": D, "noise": 0.0, "looked at": len(found), "warned": sum(found)})
        for size in SIZES:
            found = [
                looked_at(noisy(fun, size, seed), D, options.budget)[-1]
                for seed, fun in enumerate(functions(D))
                for _ in range(2)
            ]
            rows.append({"functions": "four", "D": D, "noise": size, "looked at": len(found), "warned": sum(found)})
    print_table(rows)
    write("unannounced", vars(options), rows=rows)


def looked_at(fun: Callable[[np.ndarray], float], D: int, budget: int) -> list[bool]:
    """Return whether values look noisy after some shares of a run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        history = sacma.minimize(fun, np.zeros(D), 8 / 3, bounds=[(-5, 5)] * D, budget=budget * D, seed=1).history
    counts = sorted({min(n * D, len(history.values)) for n in (20, 50, budget)})
    return [looks_noisy(history.points[:n], history.values[:n]) for n in counts]


def noisy(fun: Callable[[np.ndarray], float], size: float, seed: int) -> Callable[[np.ndarray], float]:
    """Return the function with normal noise."""
    rng = np.random.default_rng(seed)
    return lambda x: fun(x) + size * rng.standard_normal()


def functions(D: int) -> Iterator[Callable[[np.ndarray], float]]:
    """Yield four functions with their optimum within the bounds."""
    rng = np.random.default_rng(5)
    turned, _ = np.linalg.qr(rng.standard_normal((D, D)))
    x0, axes = rng.uniform(-2, 2, D), 10.0 ** (3.0 * np.arange(D) / max(1, D - 1))
    yield lambda x: float(np.sum((x - x0) ** 2))
    yield lambda x: float(np.sum(axes * (turned @ (x - x0)) ** 2))
    yield lambda x: float(np.sum(100.0 * (x[1:] + 0.5 - (x[:-1] + 0.5) ** 2) ** 2 + (x[:-1] - 0.5) ** 2))
    yield lambda x: float(10.0 * np.sum(1.0 - np.cos(2.0 * np.pi * (x - x0))) + np.sum((x - x0) ** 2))


if __name__ == "__main__":
    main()
