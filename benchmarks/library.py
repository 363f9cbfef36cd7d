"""Cost of the library beside the harness, and gain of parallel evaluation. Run by ``make bench``.

Library and harness run the same trials, point for point: the harness gets the initial points and random numbers of
the library, and both use their whole budget. Each pair is timed in one process, taking turns; of several turns the
least counts.
"""

import argparse
import gc
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, count
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import cocoex
import numpy as np
from threadpoolctl import ThreadpoolController

import sacma
from benchmarks.report import config_paths, parsed, print_table, write
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_studies
from sacma.experiment.problem import BudgetedProblem
from sacma.optimize.box import ScaledBox

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Measure, print the tables and write ``out/library.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1,8,13,15,21")
    parser.add_argument("--dimensions", default="2,5,10")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument("--pause", type=float, default=0.2, help="seconds of an evaluation in the parallel runs")
    options = vars(parsed(parser, functions="1", dimensions="2", repeats=1, budget=30, pause=0.001))
    repeats, pause = options.pop("repeats"), options.pop("pause")
    del options["tiny"]
    rows = measure_cost(options, repeats)
    print("CPU ms a true evaluation, the same trials")
    print_table(rows)
    parallel = measure_parallel(pause)
    print(f"\nWall-clock seconds of 40 evaluations of {pause} s in 5-D, λ = 8: five generations")
    print_table(parallel)
    write("library", {**options, "repeats": repeats}, cost=rows, parallel=parallel)


def measure_cost(protocol: dict[str, Any], repeats: int) -> list[dict[str, Any]]:
    """Return a row for each algorithm and dimension."""
    cells: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in plan(load_studies(config_paths(), protocol)):
        cells.setdefault((spec.name, spec.dimension), []).append(replace(spec, target=-np.inf))
    rows = []
    for (name, dimension), specs in cells.items():
        harness = library = 0.0
        evaluations = 0
        for spec in specs:
            turns = [(in_harness(spec), in_library(spec)) for _ in range(repeats + 1)][1:]  # the first one compiles
            if len({(n, best) for turn in turns for _, n, best in turn}) != 1:
                raise RuntimeError(f"library and harness did not run the same trial: {spec}")
            harness += min(turn[0][0] for turn in turns)
            library += min(turn[1][0] for turn in turns)
            evaluations += turns[0][0][1]
        rows.append(
            {
                "algorithm": name,
                "D": dimension,
                "harness": 1e3 * harness / evaluations,
                "library": 1e3 * library / evaluations,
                "library over harness, %": 100 * (library / harness - 1),
                "bound, %": 10,
            }
        )
        print(f"{name} {dimension}-D", flush=True)
    return rows


Timed = tuple[float, int, float]
"""CPU seconds, evaluations, and the best value."""


def in_library(spec: TrialSpec) -> Timed:
    """Run the trial by ``sacma.minimize``."""
    suite, x0, settings = trial(spec)
    gc.collect()  # of the other's run
    begin = time.process_time()
    result = sacma.minimize(
        suite[0],
        x0,
        settings.sampling.sigma0,
        method=settings,
        budget=spec.budget,
        seed=spec.seed,
        max_failures=None,
    )
    return time.process_time() - begin, result.nfev, result.fun


class LibraryStart(BudgetedProblem):
    """The harness's problem with the initial points of the library."""

    starts: Iterator[np.ndarray]

    def initial_point(self, half_width: float) -> np.ndarray:  # noqa: ARG002 one protocol
        """Return the next of them."""
        return next(self.starts)


def in_harness(spec: TrialSpec) -> Timed:
    """Run the trial as the harness does, but for initial points and random numbers, which are the library's."""
    suite, x0, settings = trial(spec)
    starts, samples = (np.random.default_rng(s) for s in np.random.SeedSequence(spec.seed).spawn(2))
    open_ = np.full(spec.dimension, np.inf)
    box = ScaledBox(-open_, open_, np.ones(spec.dimension))
    budgeted = LibraryStart(spec, suite[0], f_opt=0.0)
    budgeted.starts = chain([x0], (box.another_start(x0, settings.sampling.sigma0, starts) for _ in count()))
    pools = ThreadpoolController()
    gc.collect()  # idem
    begin = time.process_time()
    with pools.limit(limits=1):
        surrogate_cmaes(budgeted, samples, settings)
    seconds = time.process_time() - begin
    return seconds, budgeted.evaluations, budgeted.best_delta_f


def trial(spec: TrialSpec) -> tuple[cocoex.Suite, np.ndarray, Any]:
    """Return a suite of one problem, initial point and settings of a trial."""
    where = f"dimensions: {spec.dimension} function_indices: {spec.function}"
    suite = cocoex.Suite(spec.suite, f"instances: {spec.instance}", where)
    x0 = np.random.default_rng([spec.seed, *spec.place]).uniform(-4, 4, spec.dimension)
    settings = next(s.settings for s in load_studies(config_paths()) if s.name == spec.name)
    return suite, x0, settings


def paused(pause: float, x: np.ndarray) -> float:
    """Wait, and evaluate the sphere."""
    time.sleep(pause)
    return float(np.sum((x - 0.5) ** 2))


def measure_parallel(pause: float) -> list[dict[str, Any]]:
    """Return a row for each way of evaluating: seconds, and how many times as fast as one after the other."""
    ways: dict[str, Callable[[], Executor | int | None]] = {
        "one after the other": lambda: None,
        "2 threads": lambda: ThreadPoolExecutor(2),
        "2 processes": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
        "workers=2 (joblib)": lambda: 2,
    }
    rows: list[dict[str, Any]] = []
    results = []
    for way, make in ways.items():
        workers = make()
        arguments: dict[str, Any] = {"seed": 1, "workers": workers, "asynchronous": False, "method": "ada-kendall"}
        sacma.minimize(partial(paused, pause), [0.0] * 5, 1.0, budget=2, **arguments)  # workers start once
        begin = time.perf_counter()
        results.append(sacma.minimize(partial(paused, pause), [0.0] * 5, 1.0, budget=40, **arguments))
        seconds = time.perf_counter() - begin
        alone = rows[0]["seconds"] if rows else seconds
        same = results[0].history.points.tobytes() == results[-1].history.points.tobytes()
        same &= results[0].history.values.tobytes() == results[-1].history.values.tobytes()
        rows.append({"way": way, "seconds": seconds, "times as fast": alone / seconds, "bound": 1.8, "same bits": same})
        if isinstance(workers, Executor):
            workers.shutdown()
    return rows


if __name__ == "__main__":
    main()
