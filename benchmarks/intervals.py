"""Intervals of the model: the share of new evaluations that are within two standard deviations of what was foreseen.

Runs by ask and tell on functions of bbob, or on real problems; before a point is told, the model foresees its value.
95 % would be right. The factor is that of the standard deviations with which 95 % would be within.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator

import cocoex
import numpy as np
from scipy.special import ndtr

import sacma
from benchmarks.report import parsed, print_table, write
from sacma.optimize.model import Surrogate
from sacma.types import Array

TWO, SHARE = 2.0, 0.9545  # standard deviations, and the share of a normal distribution within them


def main() -> None:
    """Run all, print the table and write ``out/intervals.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,5,10")
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--instances", default="1-2")
    parser.add_argument("--budget", type=int, default=50, help="evaluations a dimension")
    parser.add_argument("--method", default="sacma")
    parser.add_argument("--real", action="store_true", help="real problems in place of functions of bbob")
    options = parsed(parser, dimensions="2", functions="1", instances="1", budget=15)
    rows = []
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for group, fun, bounds in real() if options.real else of_bbob(options):
        es = sacma.Optimizer(bounds=bounds, budget=options.budget * len(bounds), seed=1, method=options.method)
        while not es.stop():
            X, model = es.ask(), es.model
            values = [fun(x) for x in X]
            if model is not None:
                told = [(x, value) for x, value in zip(X, values, strict=True) if np.isfinite(value)]
                found[group, model.kind].extend(deviations(model, [x for x, _ in told], [value for _, value in told]))
            es.tell(X, values)
    for (group, kind), each in sorted(found.items()):
        row = {"": group, "model": kind, "evaluations": len(each), "within, %": 100.0 * np.mean(np.array(each) <= TWO)}
        rows.append({**row, "factor for 95 %": float(np.quantile(each, SHARE) / TWO)})
    print_table(rows)
    write("intervals", vars(options), rows=rows)


Function = Callable[[Array], float]
Named = tuple[str, Function, list[tuple[float, float]]]  # group of a table, function, and bounds


def of_bbob(options: argparse.Namespace) -> Iterator[Named]:
    """Yield functions of bbob, by dimension."""
    for D in map(int, options.dimensions.split(",")):
        chosen = f"dimensions: {D} function_indices: {options.functions}"
        for problem in cocoex.Suite("bbob", f"instances: {options.instances}", chosen):
            yield f"{D:2}-D", problem, [(-5, 5)] * D


def real() -> Iterator[Named]:
    """Yield the real problems on their unit cubes, by their halves."""
    from benchmarks.real.catalogue import PROBLEMS  # noqa: PLC0415 it loads data

    for problem in PROBLEMS.values():
        yield problem.half, problem.at, [(0, 1)] * problem.dimension


def deviations(model: Surrogate, X: list[Array], values: list[float]) -> list[float]:
    """Return how many standard deviations values are from what is foreseen: those of the interval that ends at each."""
    least, most = np.zeros(len(values)), np.full(len(values), 8.0)
    for _ in range(40):
        z = (least + most) / 2.0
        limits = [model.interval([x], float(2.0 * ndtr(each) - 1.0)) for x, each in zip(X, z, strict=True)]
        inside = np.array([low[0] <= value <= high[0] for (low, high), value in zip(limits, values, strict=True)])
        least, most = np.where(inside, least, z), np.where(inside, z, most)
    return most.tolist()


if __name__ == "__main__":
    main()
