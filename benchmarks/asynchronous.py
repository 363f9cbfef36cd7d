"""Generations that workers wait for, against evaluations that begin as soon as a worker is free.

First the time of several threads that evaluations take, whose durations are exponentially distributed. Then what that
costs: the accuracy after the same number of evaluations, and after the same time, which is simulated there.
"""

import argparse
import heapq
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cocoex
import numpy as np

import sacma
from benchmarks.report import parsed, print_table, write
from sacma.optimize.call import Call, checked_call, checked_limits
from sacma.optimize.evaluation import Task, evaluate
from sacma.optimize.result import Status
from sacma.optimize.run import Run
from sacma.strategy import surrogate_cmaes

METHODS = "ada-kendall,sacma,dts-cmaes,cmaes"
BEST = 1e-8  # Δf that counts as the optimum
MODES = ("generations", "asynchronous")


def main() -> None:
    """Measure, print the tables and write ``out/asynchronous.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--functions", default="1,8,10,15,21", help="of bbob, instance 1")
    parser.add_argument("--dimension", type=int, default=5)
    parser.add_argument("--population-size", type=int, default=8, help="of all methods")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=100, help="evaluations divided by D")
    parser.add_argument("--pause", type=float, default=0.4, help="mean seconds of an evaluation in threads")
    parser.add_argument("--evaluations", type=int, default=160, help="in threads")
    parser.add_argument("--thread-seeds", type=int, default=3)
    parser.add_argument("--drawn", type=int, default=surrogate_cmaes.MOST_DRAWN, help="samples a further point")
    options = parsed(
        parser, methods="cmaes", functions="1", seeds=1, thread_seeds=1, budget=20, pause=0.001, evaluations=20
    )
    surrogate_cmaes.MOST_DRAWN = options.drawn
    methods = options.methods.split(",")
    busy = [measure_threads(method, options) for method in methods]
    print(f"busy share of {options.workers} threads, %: mean (least) of {options.thread_seeds} seeds")
    print_table(busy)
    progress = [row for method in methods for row in measure_progress(method, options)]
    print("\nmean log10 Δf after evaluations, divided by D")
    print_table([row for row in progress if row["after"] == "evaluations"])
    print("\nmean log10 Δf after simulated time, in mean evaluations of all workers, divided by D")
    print_table([row for row in progress if row["after"] == "time"])
    write("asynchronous", vars(options), busy=busy, progress=progress)


class Paused:
    """Rosenbrock's function, of exponentially distributed duration."""

    def __init__(self, mean: float, seed: int) -> None:
        self._durations = np.random.default_rng(seed).exponential(mean, 100_000).tolist()
        self.busy = 0.0  # seconds

    def __call__(self, x: np.ndarray) -> float:
        """Wait and evaluate."""
        begin = time.perf_counter()
        time.sleep(self._durations.pop())
        value = float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))
        self.busy += time.perf_counter() - begin
        return value


def measure_threads(method: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return a row: share of the threads' time, from the first evaluation's begin to the last one's end."""
    row: dict[str, Any] = {"method": method}
    for mode in MODES:
        shares = []
        for seed in range(1, options.thread_seeds + 1):
            fun = Paused(options.pause, seed)
            arguments: dict[str, Any] = {"budget": options.evaluations, "population_size": options.population_size}
            arguments |= {"seed": seed, "method": method, "asynchronous": mode == "asynchronous"}
            with ThreadPoolExecutor(options.workers) as executor:
                begin = time.perf_counter()
                sacma.minimize(fun, np.zeros(options.dimension), 1.0, workers=executor, **arguments)
                seconds = time.perf_counter() - begin
            shares.append(100.0 * fun.busy / (options.workers * seconds))
        row[mode] = f"{np.mean(shares):.0f} ({np.min(shares):.0f})"
    return row


def measure_progress(method: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield two rows of each mode: after evaluations, and after simulated time."""
    D, marks = options.dimension, [n for n in (10, 20, 30, 50, 70, 100) if n <= options.budget]
    for mode in MODES:
        by_number, by_time, shares = [], [], []
        for function in map(int, options.functions.split(",")):
            for seed in range(1, options.seeds + 1):
                times, best, busy = simulated(method, function, seed, mode, options)
                by_number.append([best[n * D - 1] for n in marks])
                ends = [n * D / options.workers for n in marks]
                by_time.append([best[max(0, np.searchsorted(times, end, side="right") - 1)] for end in ends])
                shares.append(busy)
        for after, rows in (("evaluations", by_number), ("time", by_time)):
            means = dict(zip((f"{n} D" for n in marks), np.mean(rows, axis=0).tolist(), strict=True))
            yield {"method": method, "": mode, "after": after, "busy, %": 100 * np.mean(shares), **means}


def simulated(
    method: str, function: int, seed: int, mode: str, options: argparse.Namespace
) -> tuple[np.ndarray, np.ndarray, float]:
    """Run with workers in simulated time; a mean evaluation takes 1.

    Returns the time of the end of each evaluation, log10 of the best Δf then, and the share of the workers' time.
    """
    D = options.dimension
    suite = cocoex.Suite("bbob", "instances: 1", f"dimensions: {D} function_indices: {function}")
    problem, f_opt = suite[0], float(cocoex.BareProblem("bbob", function, D, 1).best_value())
    run = Run(call_of(method, np.random.default_rng([function, seed]).uniform(-4, 4, D), seed, options))
    durations = np.random.default_rng([function, seed, 1])
    running: list[tuple[float, int, np.ndarray]] = []
    times, best = [], []
    now = busy = 0.0
    tasks: list[Task] = []
    while True:
        while len(running) < options.workers and (task := next_task(run, tasks, mode, idle=not running)) is not None:
            duration = durations.exponential()
            busy += duration
            heapq.heappush(running, (now + duration, *task))
        if not running:
            break
        now, number, point = heapq.heappop(running)
        run.record(number, evaluate(problem, point))
        times.append(now)
        best.append(np.log10(max(run.log.best.value - f_opt, BEST)))
    return np.array(times), np.array(best), busy / (options.workers * now)


def call_of(method: str, x0: Sequence[float] | np.ndarray, seed: int, options: argparse.Namespace) -> Call:
    """Return the call of a simulated run."""
    budget = options.budget * options.dimension
    limits = checked_limits(budget=budget, target=None, time_limit=None, max_failures=None)
    chosen: dict[str, Any] = {"method": method, "population_size": options.population_size}
    return checked_call(x0, 8.0 / 3.0, limits, bounds=None, scale=None, seed=seed, known=None, **chosen)


def next_task(run: Run, tasks: list[Task], mode: str, *, idle: bool) -> Task | None:
    """Return what a free worker gets: in generations nothing until all others are done, and a new one begins."""
    if mode == "asynchronous":
        return run.begin() if run.status == Status.GOING_ON else None
    if not tasks and idle and run.status == Status.GOING_ON:
        tasks.extend(run.tasks())
    return tasks.pop(0) if tasks else None


if __name__ == "__main__":
    main()
