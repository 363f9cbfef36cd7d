"""Where to begin without x0: at the centre of the box, or at the best point of a first sample that fills it.

On bbob, and on the development half of the real problems, as ``sacma.minimize`` without a first guess. Variants are
ranked on each problem and seed by the best value after 5, 10 and 25·D evaluations, those of the sample included.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cocoex
import numpy as np
from joblib import Parallel, delayed
from scipy.stats import qmc, rankdata

import sacma
from benchmarks.real.catalogue import HALVES, PROBLEMS
from benchmarks.report import named, parsed, print_table, write
from sacma.types import Array

AFTER = (5, 10, 25)  # evaluations/D
HALF_WIDTH = 5.0  # of bbob's box


@dataclass(frozen=True)
class First:
    """A way to begin in the unit cube."""

    sample: int  # points of the sample divided by D; 0: the centre, and no sample
    share: float  # σ₀ as a share of the width


VARIANTS = {
    "centre, σ₀ = width/6 (the default)": First(0, 1 / 6),
    "centre, width/10": First(0, 1 / 10),
    "centre, width/4": First(0, 1 / 4),
    "best of D points, width/6": First(1, 1 / 6),
    "best of 2 D points, width/6": First(2, 1 / 6),
    "best of 2 D points, width/10": First(2, 1 / 10),
    "best of 4 D points, width/10": First(4, 1 / 10),
}


@dataclass(frozen=True)
class Case:
    """One problem with one seed: the same for all variants."""

    group: str
    dimension: int
    problem: int | str  # function of bbob, or the name of a real problem
    seed: int  # instance of bbob, idem

    def objective(self) -> Callable[[Array], float]:
        """Return f on the unit cube."""
        if isinstance(self.problem, str):
            return PROBLEMS[self.problem].at
        options = f"dimensions:{self.dimension} function_indices:{self.problem}"
        problem = cocoex.Suite("bbob", f"instances:{self.seed}", options).get_problem(0)
        return lambda unit: float(problem(HALF_WIDTH * (2.0 * unit - 1.0)))


def main() -> None:
    """Run, print the table and write ``out/first_point.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,5", help="of bbob")
    parser.add_argument("--functions", default=",".join(map(str, range(1, 25))))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--problems", help="names, with commas; default: all of the development half")
    parser.add_argument("--jobs", type=int, default=1)
    given = parsed(parser, dimensions="2", functions="1", seeds=1, problems="gas oil")
    real = named("--problems", given.problems, [n for n, p in PROBLEMS.items() if p.half == HALVES[0]])
    cases = list(cases_of(given, real))
    found = Parallel(n_jobs=given.jobs)(delayed(best_of_all)(case) for case in cases)
    rows = []
    for group in dict.fromkeys(case.group for case in cases):
        ranks = np.array(
            [rankdata(best, axis=0) for case, best in zip(cases, found, strict=True) if case.group == group]
        )
        for name, mean in zip(VARIANTS, ranks.mean(axis=0), strict=True):
            rows.append({"problems": group, "runs": len(ranks), "begins at": name} | by_budget(mean))
    print(f"mean rank of {len(VARIANTS)} ways to begin, by the best value after so many evaluations; 1 is best")
    print_table(rows)
    write("first_point", vars(given), rows=rows)


def by_budget(mean: Array) -> dict[str, Any]:
    """Return mean ranks by the names of their budgets."""
    return {f"{after}·D": round(float(value), 2) for after, value in zip(AFTER, mean, strict=True)}


def cases_of(given: argparse.Namespace, real: Sequence[str]) -> Iterator[Case]:
    """Yield the cases of all groups."""
    for D in map(int, given.dimensions.split(",")):
        for f in map(int, given.functions.split(",")):
            yield from (Case(f"bbob, {D}-D", D, f, 101 + seed) for seed in range(given.seeds))
    for name in real:
        yield from (Case("real", PROBLEMS[name].dimension, name, seed) for seed in range(1, 1 + given.seeds))


def best_of_all(case: Case) -> Array:
    """Return the best values of each variant after each budget, shape (variants, budgets)."""
    return np.array([best(case, first) for first in VARIANTS.values()])


def best(case: Case, first: First) -> Array:
    """Return the best values of one run after each budget, shape (budgets,)."""
    D, f, values = case.dimension, case.objective(), []

    def noted(unit: Array) -> float:
        values.append(f(unit))
        return values[-1]

    start, archive = np.full(D, 0.5), None
    if first.sample:
        points = qmc.LatinHypercube(D, rng=np.random.default_rng(case.seed)).random(first.sample * D)
        known = np.array([noted(point) for point in points])
        start = points[np.argmin(known)]
        archive = (points[np.isfinite(known)], known[np.isfinite(known)])
    budget = AFTER[-1] * D - len(values)
    sacma.minimize(
        noted,
        start,
        first.share,
        bounds=(0.0, 1.0),
        budget=budget,
        seed=case.seed,
        known=archive,
        max_failures=None,
    )
    lowest = np.minimum.accumulate(np.nan_to_num(values, nan=np.inf))
    return np.array([lowest[min(after * D, len(lowest)) - 1] for after in AFTER])


if __name__ == "__main__":
    main()
