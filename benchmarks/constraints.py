"""Problems with constraints: sacma beside SciPy's COBYQA and COBYLA, pycma's fmin_con2, and a penalty.

Names of ``--methods`` and ``--problems`` are separated by semicolons; all where none are given. The problems have
inequality constraints and known optima: functions that give (f, g), feasible where all g ≤ 0. g06, g07 and g09: Liang
et al., *Problem Definitions and Evaluation Criteria for the CEC 2006 Special Session on Constrained Real-Parameter
Optimization*. Pressure vessel, welded beam and tension spring: Coello Coello, *Use of a self-adaptive penalty approach
for engineering optimization problems*, 2000, of continuous variables.
"""

import contextlib
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import cma
import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import Bounds, NonlinearConstraint, minimize

import sacma
from benchmarks.common import arguments, named, print_table
from sacma.types import Array

AFTER = (20, 40, 80)  # evaluations, in units of D
BEST = 1e-8  # gap that counts as the optimum
SIGMA = 1 / 6  # first step, in units of the ranges
TOLERANCE = 1e-6  # largest violation that is allowed to the others, which end on the boundary; to sacma none is
PENALTY = 1e3  # weight of max(0, g)²


class Problem(NamedTuple):
    """A problem."""

    function: Callable[[Any], tuple[float, list[float]]]  # f and all of g
    bounds: list[tuple[float, float]]  # of each coordinate
    constraints: int  # m
    optimum: float  # f*

    def scaled(self, point: Any) -> tuple[float, list[float]]:
        """Return f and g at a point of [0, 1]^D, moved into it where it is outside."""
        low, high = np.array(self.bounds).T
        return self.function(np.clip(low + (high - low) * np.clip(point, 0.0, 1.0), low, high))


def g06(x: Any) -> tuple[float, list[float]]:
    """Return a cubic function of two variables, feasible in a narrow crescent."""
    below = 100.0 - (x[0] - 5) ** 2 - (x[1] - 5) ** 2
    above = (x[0] - 6) ** 2 + (x[1] - 5) ** 2 - 82.81
    return (x[0] - 10) ** 3 + (x[1] - 20) ** 3, [below, above]


def g07(x: Any) -> tuple[float, list[float]]:
    """Return a quadratic function of ten variables; six of eight constraints are active at the optimum."""
    a, b, c, d, e, f, g, h, i, j = x
    value = a**2 + b**2 + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2
    value += 2 * (f - 1) ** 2 + 5 * g**2 + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45
    return value, [
        -105 + 4 * a + 5 * b - 3 * g + 9 * h,
        10 * a - 8 * b - 17 * g + 2 * h,
        -8 * a + 2 * b + 5 * i - 2 * j - 12,
        3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c**2 - 7 * d - 120,
        5 * a**2 + 8 * b + (c - 6) ** 2 - 2 * d - 40,
        a**2 + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f,
        0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e**2 - f - 30,
        -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j,
    ]


def g09(x: Any) -> tuple[float, list[float]]:
    """Return a polynomial of seven variables; two of four constraints are active at the optimum."""
    a, b, c, d, e, f, g = x
    value = (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6
    value += 7 * f**2 + g**4 - 4 * f * g - 10 * f - 8 * g
    return value, [
        -127 + 2 * a**2 + 3 * b**4 + c + 4 * d**2 + 5 * e,
        -282 + 7 * a + 3 * b + 10 * c**2 + d - e,
        -196 + 23 * a + b**2 + 6 * f**2 - 8 * g,
        4 * a**2 + b**2 - 3 * a * b + 2 * c**2 + 5 * f - 11 * g,
    ]


def vessel(x: Any) -> tuple[float, list[float]]:
    """Return the cost of a pressure vessel by the thicknesses of shell and heads, radius and length."""
    shell, head, r, length = x
    cost = 0.6224 * shell * r * length + 1.7781 * head * r**2 + 3.1661 * shell**2 * length + 19.84 * shell**2 * r
    volume = np.pi * r**2 * length + 4 / 3 * np.pi * r**3
    return cost, [0.0193 * r - shell, 0.00954 * r - head, 1_296_000 - volume]


def beam(x: Any) -> tuple[float, list[float]]:
    """Return the cost of a welded beam by the height and length of the weld, height and thickness of the beam."""
    h, weld, t, b = x
    load, overhang, young, shear = 6000.0, 14.0, 30e6, 12e6
    cost = 1.10471 * h**2 * weld + 0.04811 * t * b * (overhang + weld)
    primary = load / (np.sqrt(2) * h * weld)
    radius = np.sqrt(weld**2 / 4 + ((h + t) / 2) ** 2)
    polar = 2 * np.sqrt(2) * h * weld * (weld**2 / 12 + ((h + t) / 2) ** 2)
    secondary = load * (overhang + weld / 2) * radius / polar
    tau = np.sqrt(primary**2 + primary * secondary * weld / radius + secondary**2)
    sigma = 6 * load * overhang / (b * t**2)
    deflection = 4 * load * overhang**3 / (young * t**3 * b)
    slender = 1 - t / (2 * overhang) * np.sqrt(young / (4 * shear))
    buckling = 4.013 * young * np.sqrt(t**2 * b**6 / 36) / overhang**2 * slender
    first = 0.10471 * h**2 + 0.04811 * t * b * (overhang + weld) - 5
    return cost, [tau - 13_600, sigma - 30_000, h - b, first, 0.125 - h, deflection - 0.25, load - buckling]


def spring(x: Any) -> tuple[float, list[float]]:
    """Return the weight of a tension spring by the diameters of wire and coil, and the number of coils."""
    d, coil, count = x
    return (count + 2) * coil * d**2, [
        1 - coil**3 * count / (71_785 * d**4),
        (4 * coil**2 - d * coil) / (12_566 * (coil * d**3 - d**4)) + 1 / (5108 * d**2) - 1,
        1 - 140.45 * d / (coil**2 * count),
        (d + coil) / 1.5 - 1,
    ]


def sphere(x: Any) -> tuple[float, list[float]]:
    """Return Σ x², where the mean of x is at least 1."""
    return float(np.sum(x**2)), [1.0 - float(np.mean(x))]


def disk(x: Any) -> tuple[float, list[float]]:
    """Return Rosenbrock's function in the disk around 0 with radius 1."""
    return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2), [float(np.sum(x**2)) - 1.0]


PROBLEMS = {
    "g06": Problem(g06, [(13, 100), (0, 100)], 2, -6961.813875580138),
    "g07": Problem(g07, [(-10, 10)] * 10, 8, 24.306209068179843),
    "g09": Problem(g09, [(-10, 10)] * 7, 4, 680.630057374402),
    "pressure vessel": Problem(vessel, [(0.0625, 6.1875)] * 2 + [(10, 200)] * 2, 3, 5885.332773616458),
    "welded beam": Problem(beam, [(0.1, 2), (0.1, 10), (0.1, 10), (0.1, 2)], 7, 1.724852308597366),
    "tension spring": Problem(spring, [(0.05, 2), (0.25, 1.3), (2, 15)], 4, 0.012665232788319),
    "sphere, linear": Problem(sphere, [(-5, 5)] * 5, 1, 5.0),
    "Rosenbrock, disk": Problem(disk, [(-2, 2)] * 2, 1, 0.04567480871950),
}


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
    """Measure and print the table."""
    tiny = {"methods": "sacma;COBYQA", "problems": "Rosenbrock, disk", "seeds": 1, "processes": 1}
    options = arguments(__doc__, tiny, methods="", problems="", seeds=10, processes=-1)
    methods = named("--methods", options.methods or None, METHODS, ";")  # some have commas in them
    problems = named("--problems", options.problems or None, PROBLEMS, ";")
    rows = []
    for name in problems:
        for method in methods:
            runs = [delayed(gaps)(name, method, seed) for seed in range(options.seeds)]
            found = np.array(Parallel(n_jobs=options.processes)(runs))
            rows.append({"problem": name, "method": method, **summary(found)})
    print(f"runs of {options.seeds} with a feasible point, median log10 gap of the best, after 20 D, 40 D and 80 D")
    print_table(rows)


def gaps(name: str, method: str, seed: int) -> list[float]:
    """Return the gap of the best feasible point after each of ``AFTER``, infinite where there is none."""
    problem = PROBLEMS[name]
    D = len(problem.bounds)
    tolerance = TOLERANCE if method in {"COBYQA", "COBYLA", "fmin_con2", "sacma, penalty"} else 0.0
    record = Recorded(problem, max(AFTER) * D, tolerance)
    x0 = np.random.default_rng(seed).uniform(0.1, 0.9, size=D)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's and pycma's
        with contextlib.suppress(_Ended):
            METHODS[method](record, x0, seed)
    return [record.gaps[min(factor * D, len(record.gaps)) - 1] for factor in AFTER]


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
