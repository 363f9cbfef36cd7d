"""CPU milliseconds a true evaluation, by algorithm and dimension.

Whole trials on one function of each of bbob's groups, in one process and on one core; of the study's algorithms, or of
configs that are given, like ``configs/baselines/*.yaml``. ``--published`` prints evaluations to Δf = 1e-7 instead,
beside published ones.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.common import config_paths, markdown, markdown_head, parsed, print_table
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_studies
from sacma.experiment.trial import run_trial
from sacma.store.outcome import Outcome

PARTS = ("objective", "fit", "predict", "strategy", "other")

LEVEL = 1e-7

FUNCTIONS = (1, 2, 6, 8, 10, 11, 12, 13, 14)

# Expected running times to Δf = 1e-7 on these functions, over 15 instances; infinite without a success.
#
# From the pages of N. Hansen, *A global surrogate assisted CMA-ES*, GECCO 2019, at cma-es.github.io/lq-cma, with data
# of COCO's archive: Auger, Brockhoff and Hansen, 2013; Loshchilov, Schoenauer and Sebag, 2012 and 2013; Hansen, 2019.
# Those of rank-lq-CMA-ES are from the tables of github.com/mgharafi/rank-lq-cma-es, whose figures of lq-CMA-ES and
# IPOP-saACM-ES are the same.
PUBLISHED: Mapping[str, Mapping[int, Sequence[float]]] = {
    "lmm-CMA-ES": {
        5: (102, 504, math.inf, 764, 487, 533, 1412, 1280, 674),
        10: (194, 1461, math.inf, 1986, 1517, 1326, 5441, 2491, 1712),
    },
    "IPOP-saACM-ES": {
        5: (221, 501, 2221, 867, 467, 486, 1837, 744, 611),
        10: (397, 1195, 4236, 2497, 1201, 1117, 3581, 2413, 1350),
    },
    "BIPOP-saACM-ES-k": {  # to two digits
        5: (240, 508, 1998, 1013, 484, 485, 1942, 767, 619),
        10: (368, 878, 4740, 1880, 853, 920, 3247, 1322, 1421),
    },
    "lq-CMA-ES": {
        5: (66, 191, 1444, 482, 250, 248, 1636, 1022, 477),
        10: (103, 618, 3534, 2069, 852, 833, 4237, 4092, 1532),
    },
    "SLSQP+lq-CMA-ES": {
        5: (10, 194, 1872, 884, 2509, 3235, 4977, 6707, 2694),
        10: (15, 472, 7687, 1766, 4602, 4868, 9198, 12605, 5988),
    },
    "rank-lq-CMA-ES": {
        5: (185, 419, 1397, 652, 410, 516, 9720, 1275, 456),
        10: (592, 1561, 4015, 2871, 1901, 1352, 13003, 4620, 1785),
    },
}


def main() -> None:
    """Run the sample and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="*", type=Path, default=config_paths(), help="instead of those of the study")
    parser.add_argument("--published", action="store_true", help=f"evaluations to {LEVEL:g} beside published ones")
    protocol = {"suite": "bbob", "functions": "1,8,13,15,21", "dimensions": "2,3,5,10,20", "instances": "1"}
    given = parsed(parser, {"functions": "1,8", "dimensions": "2", "budget": 30}, **protocol, budget=None)
    chosen = {name: getattr(given, name) for name in (*protocol, "budget")}
    cells: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in plan(load_studies(given.configs, chosen)):
        cells.setdefault((spec.name, spec.dimension), []).append(spec)
    if given.published:
        for (name, D), specs in cells.items():
            print_published(name, D, specs)
        return
    for name in dict.fromkeys(name for name, _ in cells):
        run_trial(next(spec for spec in cells[name, min(d for _, d in cells)]))  # imported and compiled from here on
    print(f"CPU ms a true evaluation, functions {given.functions}, instances {given.instances}")
    print_table([{"algorithm": name, "D": D, **cost(specs)} for (name, D), specs in cells.items()])


def cost(specs: Sequence[TrialSpec]) -> dict[str, float]:
    """Run trials and return CPU milliseconds a true evaluation, in all and by part."""
    outcomes = [run_trial(spec).outcome for spec in specs]
    scale = 1e3 / sum(outcome.evaluations for outcome in outcomes)
    of_parts = {part: scale * sum(getattr(outcome.cpu, part) for outcome in outcomes) for part in PARTS}
    return {"total": sum(of_parts.values()), **of_parts}


def print_published(name: str, dimension: int, specs: Sequence[TrialSpec]) -> None:
    """Run the trials of an algorithm, and print their running times in a row each, published ones and the ratio."""
    by_function: dict[int, list[Outcome]] = {}
    for spec in specs:
        by_function.setdefault(spec.function, []).append(run_trial(spec).outcome)
    theirs = dict(zip(FUNCTIONS, PUBLISHED.get(name, {}).get(dimension, ()), strict=False))
    print(markdown_head(f"{name}, {dimension}-D", *(f"f{function}" for function in by_function)))
    rows: dict[str, dict[int, float]] = {"here": {f: running_time(outcomes) for f, outcomes in by_function.items()}}
    rows["published"] = {f: theirs.get(f, math.nan) for f in by_function}
    rows["ratio"] = {f: rows["here"][f] / at if math.isfinite(at) else math.nan for f, at in rows["published"].items()}
    for row, values in rows.items():
        form = ".2f" if row == "ratio" else ".0f"
        print(
            markdown(row, *(f"{value:{form}}" if math.isfinite(value) else "" for value in values.values())), flush=True
        )


def running_time(outcomes: Sequence[Outcome]) -> float:
    """Return the evaluations until Δf = 1e-7, or all, a success."""
    reached = [next((at for at, to in improvements(outcome) if to <= LEVEL), None) for outcome in outcomes]
    spent = [outcome.evaluations if at is None else at for at, outcome in zip(reached, outcomes, strict=True)]
    successes = len(reached) - reached.count(None)
    return sum(spent) / successes if successes else math.inf


def improvements(outcome: Outcome) -> Sequence[tuple[int, float]]:
    """Return the number of the evaluation and Δf of each improvement."""
    return list(zip(outcome.improved_at, outcome.improved_to, strict=True))


if __name__ == "__main__":
    main()
