"""Batches: ``ask(q)``, evaluated and told together, beside one point at a time and batches of others.

Of pycma they are populations; TuRBO and Optuna's GP sampler need ``pip install '.[benchmarks]'``.

Mean log10 of the best Δf after 25, 50 and 100 evaluations a dimension, over functions of bbob and seeds.
"""

import argparse
import warnings
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import cma
import cocoex
import numpy as np

import sacma
from benchmarks.report import parsed, print_table, write
from sacma.strategy import surrogate_cmaes
from sacma.types import Array

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
    parser.add_argument("--drawn", type=int, default=surrogate_cmaes.MOST_DRAWN, help="samples a further point of ours")
    options = parsed(parser, dimensions="2", functions="1", batches="4", seeds=1, budget=25)
    surrogate_cmaes.MOST_DRAWN = options.drawn
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


def batches(method: str, q: int, problem: Any, *, x0: Array, seed: int, budget: int) -> Iterator[list[float]]:
    """Yield the values of each batch, of a method that begins at x₀."""
    runs = {"pycma": of_pycma, "turbo": of_turbo, "optuna-gp": of_optuna}
    asked = runs[method](q, x0, seed) if method in runs else of_sacma(method, q, x0, seed, budget)
    points, done = next(asked, None), 0
    while points is not None and done < budget:
        values = [float(problem(x)) for x in points]
        yield values
        done += len(values)
        try:
            points = asked.send(values)
        except StopIteration:
            return


Asked = Generator[Sequence[Array], list[float], None]  # yields points, and takes their values


def of_sacma(method: str, q: int, x0: Array, seed: int, budget: int) -> Asked:
    """Ask and tell one of sacma's methods."""
    optimizer = sacma.Optimizer(x0, 8 / 3, budget=budget, seed=seed, method=method)
    while not optimizer.stop():
        X = optimizer.ask(q)
        optimizer.tell(X, (yield X))


def of_pycma(q: int, x0: Array, seed: int) -> Asked:
    """Ask and tell pycma, whose populations are the batches."""
    es = cma.CMAEvolutionStrategy(x0, 8 / 3, {"seed": seed, "verbose": -9, **({"popsize": q} if q > 1 else {})})
    while not es.stop():
        X = es.ask()
        es.tell(X, (yield X))


def of_turbo(q: int, x0: Array, seed: int) -> Asked:
    """Ask and tell TuRBO-1 on the cube of all optima, [-5, 5]^D."""
    from benchmarks.real.turbo import batches as of_region  # noqa: PLC0415 it loads PyTorch, of the extra sacma[benchmarks]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = of_region((x0 + 5.0) / 10.0, seed, q)
        points = next(asked)
        while True:
            points = asked.send(np.array((yield list(10.0 * points - 5.0))))


def of_optuna(q: int, x0: Array, seed: int) -> Asked:
    """Ask and tell the GP sampler of Optuna, which sees the pending trials."""
    import optuna  # noqa: PLC0415 it loads PyTorch

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = {f"x{i}": optuna.distributions.FloatDistribution(-5.0, 5.0) for i in range(len(x0))}
    study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=seed, deterministic_objective=True))
    study.enqueue_trial(dict(zip(space, x0.tolist(), strict=True)))
    while True:
        trials = [study.ask(space) for _ in range(q)]
        values = yield [np.array([trial.params[name] for name in space]) for trial in trials]
        for trial, value in zip(trials, values, strict=True):
            study.tell(trial, value)


if __name__ == "__main__":
    main()
