"""Batches: ``ask(q)``, evaluated and told together, beside one point at a time and the populations of pycma.

Mean log10 of the best Δf after 25, 50 and 100 evaluations a dimension, over functions of bbob and seeds.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import cma
import cocoex
import numpy as np
from report import parsed, print_table, write

import sacma

MARKS = (25, 50, 100)  # evaluations a dimension
BEST = 1e-8


def main() -> None:
    """Run all, print the table and write ``out/batches.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="5,10")
    parser.add_argument("--functions", default="1,8,10,15,21")
    parser.add_argument("--batches", default="1,4,10")
    parser.add_argument("--methods", default="sacma,dts-cmaes,pycma")
    parser.add_argument("--seeds", type=int, default=5, help="the seeds 1 to this")
    parser.add_argument("--budget", type=int, default=100, help="evaluations a dimension")
    options = parsed(parser, dimensions="2", functions="1", batches="4", seeds=1, budget=25)
    rows: list[dict[str, Any]] = []
    for D in map(int, options.dimensions.split(",")):
        for method in options.methods.split(","):
            for q in map(int, options.batches.split(",")):
                found = {f: final(method, q, D, f, options) for f in map(int, options.functions.split(","))}
                for mark in [n for n in MARKS if n <= options.budget]:
                    means = {f"f{f}": float(np.mean([row[mark] for row in each])) for f, each in found.items()}
                    mean = float(np.mean(list(means.values())))
                    rows.append({"D": D, "method": method, "q": q, "after, D": mark, **means, "mean": mean})
    print_table(rows)
    write("batches", vars(options), rows=rows)


def final(method: str, q: int, D: int, function: int, options: argparse.Namespace) -> list[dict[int, float]]:
    """Return log10 Δf at each mark, of each seed."""
    found = []
    for seed in range(1, options.seeds + 1):
        problem = cocoex.BareProblem("bbob", function, D, seed)
        x0 = np.random.default_rng([function, seed]).uniform(-4, 4, D)
        best, course = np.inf, []
        for values in batches(method, q, problem, x0=x0, seed=seed, budget=options.budget * D):
            for value in values:
                best = min(best, value - problem.best_value())
                course.append(np.log10(max(best, BEST)))
        found.append({n: course[min(n * D, len(course)) - 1] for n in MARKS})
    return found


def batches(method: str, q: int, problem: Any, *, x0: np.ndarray, seed: int, budget: int) -> Iterator[list[float]]:
    """Yield the values of each batch."""
    if method == "pycma":
        given = {"popsize": q, "seed": seed, "verbose": -9} if q > 1 else {"seed": seed, "verbose": -9}
        es, count = cma.CMAEvolutionStrategy(x0, 8 / 3, given), 0
        while count < budget and not es.stop():
            X = es.ask()
            values = [float(problem(x)) for x in X]
            es.tell(X, values)
            count += len(X)
            yield values
        return
    optimizer = sacma.Optimizer(x0, 8 / 3, budget=budget, seed=seed, method=method)
    while not optimizer.stop():
        X = optimizer.ask(q)
        values = [float(problem(x)) for x in X]
        optimizer.tell(X, values)
        yield values


if __name__ == "__main__":
    main()
