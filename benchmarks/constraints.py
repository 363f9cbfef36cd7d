"""Problems with constraints: sacma beside SciPy's COBYQA and COBYLA, pycma's fmin_con2, and a penalty."""

import argparse
import contextlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import cma
import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import Bounds, NonlinearConstraint, minimize

import sacma
from benchmarks.constrained_problems import PROBLEMS, Problem
from benchmarks.report import named, parsed, print_table, write
from sacma.types import Array

AFTER = (20, 40, 80)  # evaluations, in units of D
BEST = 1e-8  # gap that counts as the optimum
SIGMA = 1 / 6  # first step, in units of the ranges
TOLERANCE = 1e-6  # largest violation that is allowed to the others, which end on the boundary; to sacma none is
PENALTY = 1e3  # weight of max(0, g)²


class _Ended(BaseException):
    """The budget is used up, or the optimum found."""


class Recorded:
    """A problem on [0, 1]^D that keeps f and g of each evaluation; the same point again is not another one."""

    def __init__(self, problem: Problem, budget: int, tolerance: float) -> None:
        self.problem, self._budget, self._tolerance = problem, budget, tolerance
        self._known: dict[bytes, list[float]] = {}
        self.gaps: list[float] = []  # of the best feasible point, by evaluation

    def __call__(self, point: Any) -> tuple[float, Array]:
        """Return f and g."""
        key = np.asarray(point, dtype=float).tobytes()
        if key not in self._known:
            if len(self.gaps) == self._budget or (self.gaps and self.gaps[-1] <= BEST):
                raise _Ended
            f, g = self.problem.scaled(point)
            gap = f - self.problem.optimum if max(g) <= self._tolerance else np.inf
            self.gaps.append(min([gap, *self.gaps[-1:]]))
            self._known[key] = [f, *g]
        f, *g = self._known[key]
        return f, np.array(g)


def by_sacma(record: Recorded, x0: Array, seed: int, method: str = "sacma") -> None:
    """Run sacma with its own handling of constraints."""
    m, D = record.problem.constraints, len(x0)
    sacma.minimize(record, x0, SIGMA, bounds=(0, 1), constraints=m, budget=1000 * D, method=method, seed=seed)


def by_penalty(record: Recorded, x0: Array, seed: int) -> None:
    """Run sacma on a function with a penalty."""

    def penalised(point: Array) -> float:
        f, g = record(point)
        return f + PENALTY * float(np.sum(np.maximum(g, 0.0) ** 2))

    sacma.minimize(penalised, x0, SIGMA, bounds=(0, 1), budget=1000 * len(x0), seed=seed)


def by_cobyqa(record: Recorded, x0: Array, _: int) -> None:
    """Run SciPy's COBYQA."""
    below = NonlinearConstraint(lambda z: record(z)[1], -np.inf, np.zeros(record.problem.constraints))
    options = {"initial_tr_radius": SIGMA, "final_tr_radius": 1e-11, "maxfev": 10**6}
    box = Bounds(np.zeros(len(x0)), np.ones(len(x0)))
    minimize(lambda z: record(z)[0], x0, method="COBYQA", bounds=box, constraints=below, options=options)


def by_cobyla(record: Recorded, x0: Array, _: int) -> None:
    """Run SciPy's COBYLA."""
    below = {"type": "ineq", "fun": lambda z: -record(z)[1]}
    options = {"rhobeg": SIGMA, "tol": 1e-11, "maxiter": 10**6}
    box = Bounds(np.zeros(len(x0)), np.ones(len(x0)))
    minimize(lambda z: record(z)[0], x0, method="COBYLA", bounds=box, constraints=below, options=options)


def by_fmin_con2(record: Recorded, x0: Array, seed: int) -> None:
    """Run pycma's CMA-ES with its augmented Lagrangian."""
    options = {"bounds": [0, 1], "seed": seed + 1, "verbose": -9, "verb_log": 0, "maxfevals": np.inf}
    cma.fmin_con2(lambda z: record(z)[0], x0, SIGMA, constraints=lambda z: list(record(z)[1]), options=options)


METHODS: dict[str, Callable[[Recorded, Array, int], None]] = {
    "sacma": by_sacma,
    "dts-cmaes": lambda record, x0, seed: by_sacma(record, x0, seed, "dts-cmaes"),
    "ada-kendall": lambda record, x0, seed: by_sacma(record, x0, seed, "ada-kendall"),
    "cmaes": lambda record, x0, seed: by_sacma(record, x0, seed, "cmaes"),
    "sacma, penalty": by_penalty,
    "COBYQA": by_cobyqa,
    "COBYLA": by_cobyla,
    "fmin_con2": by_fmin_con2,
}


def main() -> None:
    """Measure, print the table and write ``out/constraints.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", help="separated by semicolons; default: all")
    parser.add_argument("--problems", help="the same")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=-1, help="-1: one a core")
    options = parsed(parser, methods="sacma;COBYQA", problems="Rosenbrock, disk", seeds=1, processes=1)
    methods = named("--methods", options.methods, METHODS, ";")  # some have commas in them
    problems = named("--problems", options.problems, PROBLEMS, ";")
    rows = []
    for name in problems:
        for method in methods:
            runs = [delayed(gaps)(name, method, seed) for seed in range(options.seeds)]
            measured = np.array(Parallel(n_jobs=options.processes)(runs))
            found, times = measured[:, :-1], measured[:, -1]
            rows.append({"problem": name, "method": method, **summary(found), "ms": float(np.mean(times))})
    print(
        f"runs of {options.seeds} with a feasible point, median log10 gap of the best, after 20 D, 40 D and 80 D, CPU"
    )
    print_table(rows)
    write("constraints", vars(options), rows=rows)


def gaps(name: str, method: str, seed: int) -> list[float]:
    """Return the gap of the best feasible point after each of ``AFTER``, infinite where there is none, and CPU ms.

    The milliseconds are those of an evaluation, f and g included, which are formulas.
    """
    problem = PROBLEMS[name]
    D = len(problem.bounds)
    tolerance = TOLERANCE if method in {"COBYQA", "COBYLA", "fmin_con2", "sacma, penalty"} else 0.0
    record = Recorded(problem, max(AFTER) * D, tolerance)
    x0 = np.random.default_rng(seed).uniform(0.1, 0.9, size=D)
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's and pycma's
        with contextlib.suppress(_Ended):
            METHODS[method](record, x0, seed)
    spent = 1e3 * (time.process_time() - begun) / len(record.gaps)
    return [*(record.gaps[min(factor * D, len(record.gaps)) - 1] for factor in AFTER), spent]


def summary(found: Array) -> dict[str, Any]:
    """Return the cells of a row: the feasible share and the median gap after each number of evaluations."""
    with np.errstate(divide="ignore"):
        medians = np.median(np.log10(np.maximum(found, BEST)), axis=0)
    feasible = np.isfinite(found).sum(axis=0)
    return {
        f"{factor} D": f"{count}: {median:.1f}"
        for factor, count, median in zip(AFTER, feasible, medians.tolist(), strict=True)
    }


if __name__ == "__main__":
    main()
