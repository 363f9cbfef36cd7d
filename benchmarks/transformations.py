"""Functions of bbob with other values, or some known: transformed, in another unit, or huge at some points.

Prints the mean of log10 Δf of the original function, at least 1e-8, after multiples of D evaluations.
"""

import math
import sys
from collections.abc import Callable
from itertools import product

import cocoex
import numpy as np
from scipy.stats.qmc import LatinHypercube

import sacma
from benchmarks.common import arguments, named, print_table
from sacma.coco.ranges import parse_ranges
from sacma.types import Array

BUDGETS = (5, 10, 25, 50, 100, 250)
PRECISION = 1e-8
LARGEST = sys.float_info.max

# Increasing functions of Δf; exp(f), with a unit of its own, is added.
MONOTONE: dict[str, Callable[[float], float]] = {
    "f": lambda f: f,
    "f^1/4": lambda f: f**0.25,
    "f^2": lambda f: f * f,
    "ln": lambda f: math.log(f + 1e-300),
    "1e6 + f": lambda f: 1e6 + f,
    "1e-12 f": lambda f: 1e-12 * f,
    "1e-18 f": lambda f: 1e-18 * f,
}

WRONG = {"NaN": math.nan, "1e10": 1e10, "largest": LARGEST}
FAILING: dict[str, Callable[[int, Array, float], bool]] = {
    "20th": lambda count, _x, _u: count == 20,
    "10 %": lambda _count, _x, u: u < 0.1,
    "x1 > 1": lambda _count, x, _u: x[0] > 1.0,
}
CASES = [*MONOTONE, "exp", *(f"{value} {where}" for where, value in product(FAILING, WRONG))]


def main() -> None:
    """Measure and print a row a case, dimension and method."""
    tiny = {"cases": "f^2,1e10 20th", "functions": "1", "dimensions": "2", "instances": "1", "budget": 10}
    options = arguments(
        __doc__, tiny, cases=",".join(CASES), methods="sacma,lq-cma-es,acma-es", functions="1,2,8,10,12,14,15,17,21",
        dimensions="5", instances="101-115", budget=100, known=0,
    )  # fmt: skip
    budgets = [budget for budget in BUDGETS if budget <= options.budget]
    places = list(product(parse_ranges(options.functions), parse_ranges(options.instances)))
    rows = []
    for case in named("--cases", options.cases, CASES):
        for D, method in product(parse_ranges(options.dimensions), options.methods.split(",")):
            found = np.mean([run(case, (*place, D), method, budgets, options.known) for place in places], axis=0)
            gaps = {f"{budget}·D": gap for budget, gap in zip(budgets, found.tolist(), strict=True)}
            rows.append({"values": case, "D": D, "method": method, **gaps})
    print_table(rows)


def run(case: str, place: tuple[int, int, int], method: str, budgets: list[int], designed: int) -> Array:
    """Return log10 Δf of the original after each budget of a run, shape (b,), which is given a design of known points.

    Args:
        case: values of f.
        place: function, instance and dimension D.
        method: of ``sacma.minimize``.
        budgets: multiples of D evaluations.
        designed: points of the Latin hypercube/D.
    """
    function, instance, dimension = place
    problem = cocoex.BareProblem("bbob", function, dimension, instance)
    random, best = np.random.default_rng([function, instance]), [math.inf]
    unit = float(np.median([problem(x) - problem.best_value() for x in random.uniform(-5, 5, (200, dimension))])) / 50.0

    def evaluated(x: Array) -> float:
        difference = max(problem(x) - problem.best_value(), 0.0)
        if case == "exp":
            value = math.exp(min(difference / unit, 700.0))
        elif case in MONOTONE:
            value = MONOTONE[case](difference)
        else:
            wrong, where = case.split(" ", 1)
            failed = FAILING[where](len(best), x, random.random())
            value = WRONG[wrong] if failed else difference
            difference = math.inf if failed else difference
        best.append(min(best[-1], difference))
        return value

    x0 = random.uniform(-4, 4, dimension)
    design = 10.0 * LatinHypercube(dimension, rng=random).random(designed * dimension) - 5.0
    known = (design, [evaluated(x) for x in design]) if designed else None
    first = len(best) - 1
    sacma.minimize(
        evaluated, x0, sigma0=8.0 / 3.0, method=method, budget=budgets[-1] * dimension, seed=instance, known=known,
        max_failures=None,
    )  # fmt: skip
    at = np.minimum(first + np.multiply(budgets, dimension), len(best) - 1)
    return np.asarray(np.log10(np.clip(np.array(best)[at], PRECISION, None)))


if __name__ == "__main__":
    main()
