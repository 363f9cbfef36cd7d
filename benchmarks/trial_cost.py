"""CPU milliseconds a true evaluation, for each algorithm of the study and each dimension, beside their floor.

Run by ``make bench``; with configs as arguments, like ``configs/baselines/*.yaml``, of those instead. Whole trials of
the study's protocol on one function of each of bbob's groups, in one process and on one core; options change it. The
floor is what nothing built on pycma and LAPACK can avoid: for each generation one bare ``ask`` and ``tell`` of pycma,
and for each evaluation of the likelihood one bare ``dpotrf``, timed in the same run. Algorithms that keep no trace of
their generations have none.
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import cma
import numpy as np
from scipy.linalg.lapack import dpotrf
from threadpoolctl import threadpool_limits

from benchmarks.report import config_paths, parsed, print_table, write
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_studies
from sacma.experiment.trial import run_trial
from sacma.store.record import TrialRecord
from sacma.strategy.cma_es import contained_options

PARTS = ("objective", "fit", "predict", "strategy", "other")


def main() -> None:
    """Run the sample, print the table and write it to ``out/trial_cost.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="*", type=Path, default=config_paths(), help="instead of those of the study")
    parser.add_argument("--suite", default="bbob")
    parser.add_argument("--functions", default="1,8,13,15,21")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    given = vars(parsed(parser, functions="1,8", dimensions="2", budget=30))
    protocol = {name: value for name, value in given.items() if value is not None and name != "tiny"}
    configs = protocol.pop("configs")
    cells: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in plan(load_studies(configs, protocol)):
        cells.setdefault((spec.name, spec.dimension), []).append(spec)

    for name in dict.fromkeys(name for name, _ in cells):
        run_trial(next(spec for spec in cells[name, min(d for _, d in cells)]))  # imported and compiled from here on
    rows = []
    for (name, dimension), specs in cells.items():
        rows.append({"algorithm": name, "D": dimension, **cost(specs)})
        print(f"{name} {dimension}-D", flush=True)
    print(f"\nCPU ms a true evaluation, functions {protocol['functions']}, instances {protocol['instances']}")
    print_table(rows)
    write("trial_cost", protocol, milliseconds=rows)


def cost(specs: Sequence[TrialSpec]) -> dict[str, float]:
    """Run the trials and return the CPU milliseconds a true evaluation: total, parts, floor and their ratio."""
    evaluations, factorisations, populations = 0, Counter[int](), Counter[int]()
    seconds = dict.fromkeys(PARTS, 0.0)
    for spec in specs:
        record = run_trial(spec)
        evaluations += record.outcome.evaluations
        factorisations += factorised(record)
        populations.update(map(int, record.trace["population_size"]))
        for part in PARTS:
            seconds[part] += getattr(record.outcome.cpu, part)
    lapack = sum(count * dpotrf_seconds(n) for n, count in factorisations.items())
    pycma = sum(count * pycma_seconds(specs[0].dimension, size) for size, count in populations.items())
    scale = 1e3 / evaluations
    total, floor = scale * sum(seconds.values()), scale * (pycma + lapack)
    return {
        "total": total,
        **{part: scale * seconds[part] for part in PARTS},
        "pycma": scale * pycma,
        "dpotrf": scale * lapack,
        "floor": floor,
        "ratio": total / floor if floor else math.nan,
    }


def factorised(record: TrialRecord) -> Counter[int]:
    """Return how many matrices of which size the trainings of a trial have factorised."""
    trace = record.trace
    sizes = Counter[int]()
    columns = (trace["training_set_size"], trace["likelihood_evaluations"], trace["half_evaluations"])
    for n, whole, half in zip(*columns, strict=True):
        sizes[int(n)] += int(whole)
        sizes[(int(n) + 1) // 2] += int(half)
    return sizes


@cache
def pycma_seconds(dimension: int, population_size: int) -> float:
    """Return the mean CPU seconds of pycma's ``ask`` and ``tell`` of a generation that is ranked at random."""
    rng = np.random.default_rng(0)
    options = {"popsize": population_size, "CMA_active": False, **contained_options(rng)}
    strategy = cma.CMAEvolutionStrategy(np.zeros(dimension), 1.0, options)
    samples = []
    with threadpool_limits(limits=1):
        for _ in range(301):
            values = rng.standard_normal(population_size).tolist()
            start = time.process_time()
            strategy.tell(strategy.ask(), values)
            samples.append(time.process_time() - start)
    return float(np.mean(samples))  # the decomposition of C is not due in each generation


def dpotrf_seconds(n: int) -> float:
    """Return the median CPU seconds of factorising an n × n matrix, n rounded up to a multiple of ten."""
    rounded = max(10, -(-n // 10) * 10)
    return rounded_dpotrf_seconds(rounded) * (n / rounded) ** 3 if n else 0.0


@cache
def rounded_dpotrf_seconds(n: int) -> float:
    """Return the median CPU seconds of factorising an n × n matrix."""
    X = np.random.default_rng(0).standard_normal((n, 5))
    A = np.asfortranarray(np.exp(-0.5 * np.sum((X[:, None] - X) ** 2, axis=2)) + 1e-3 * np.eye(n))
    samples = []
    with threadpool_limits(limits=1):
        for _ in range(31):
            copies = [A.copy(order="F") for _ in range(max(1, 600 // n))]
            start = time.process_time()
            for copy in copies:
                dpotrf(copy, lower=1, clean=0, overwrite_a=1)
            samples.append((time.process_time() - start) / len(copies))
    return float(np.median(samples))


if __name__ == "__main__":
    main()
