"""Competitors on an objective of the unit cube, until its budget is used up.

All get the same box. Those that take an initial point get that of the seed, and those that take an initial step size
get a sixth of the box's widths, as ``sacma.minimize`` has it. Local searches that end begin again at random points.
Everything else is as the libraries have it.
"""

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import cma
import numpy as np
from scipy.optimize import minimize

import sacma

from .budgeted import BudgetedObjective, BudgetUsedError
from .problem import Array

SIGMA = 1 / 6
Run = Callable[[BudgetedObjective, Array, int], None]


@dataclass(frozen=True)
class Optimizer:
    """Competitor."""

    run: Run  # with the initial point, shape (D,), and a seed
    packages: tuple[str, ...]  # distributions that it needs; the first is the one that it is of
    most: float = np.inf  # evaluations a dimension that it can pay for

    def missing(self) -> list[str]:
        """Return the packages that are not installed."""
        return [name for name in self.packages if _version(name) is None]

    def package(self) -> str:
        """Return name and version of its package."""
        return f"{self.packages[0]} {_version(self.packages[0])}"


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def run(optimizer: Optimizer, objective: BudgetedObjective, start: Array, seed: int) -> None:
    """Run an optimizer until the budget is used up, or it ends; all global generators are seeded before."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 of libraries that know no other
    with warnings.catch_warnings(), suppress(BudgetUsedError):
        warnings.simplefilter("ignore")
        optimizer.run(objective, start, seed)


def _starts(start: Array, seed: int) -> Iterator[Array]:
    """Yield the initial point, and then random points of the cube."""
    yield start
    rng = np.random.default_rng([seed, 1])
    while True:
        yield rng.random(len(start))


def _sacma(method: str, objective: BudgetedObjective, start: Array, seed: int) -> None:
    cube = [(0.0, 1.0)] * len(start)
    sacma.minimize(objective, start, bounds=cube, method=method, budget=objective.budget, seed=seed, max_failures=None)


def _pycma(
    function: Callable[..., Any], objective: BudgetedObjective, start: Array, seed: int, **settings: Any
) -> None:
    options = {"bounds": [0, 1], "verbose": -9, "verb_log": 0}
    for n, point in enumerate(_starts(start, seed)):
        function(objective, point, SIGMA, {**options, "seed": 1 + seed + 1000 * n}, **settings, restarts=4)


def _cobyqa(objective: BudgetedObjective, start: Array, seed: int) -> None:
    options = {"initial_tr_radius": SIGMA, "maxfev": 10**6, "maxiter": 10**6}
    for point in _starts(start, seed):
        minimize(objective.finite, point, method="COBYQA", bounds=[(0, 1)] * len(start), options=options)


def _py_bobyqa(objective: BudgetedObjective, start: Array, seed: int) -> None:
    import pybobyqa

    cube = (np.zeros_like(start), np.ones_like(start))
    for point in _starts(start, seed):
        pybobyqa.solve(objective.finite, point, bounds=cube, rhobeg=SIGMA, maxfun=10**6, do_logging=False)


def _optuna(sampler: Callable[[Array, int], Any], objective: BudgetedObjective, start: Array, seed: int) -> None:
    import optuna

    def of_trial(trial: optuna.Trial) -> float:
        return objective(np.array([trial.suggest_float(f"x{i}", 0, 1) for i in range(len(start))]))

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler(start, seed))
    study.enqueue_trial(_named(start))
    study.optimize(of_trial, n_trials=objective.budget)


def _named(point: Array) -> dict[str, float]:
    return {f"x{i}": float(value) for i, value in enumerate(point)}


def _tpe(_start: Array, seed: int) -> Any:
    from optuna.samplers import TPESampler

    return TPESampler(seed=seed)


def _cmaes(start: Array, seed: int) -> Any:
    from optuna.samplers import CmaEsSampler

    return CmaEsSampler(x0=_named(start), sigma0=SIGMA, seed=seed, warn_independent_sampling=False)


def _gaussian_process(_start: Array, seed: int) -> Any:
    from optuna.samplers import GPSampler

    return GPSampler(seed=seed, deterministic_objective=True)


def _nevergrad(objective: BudgetedObjective, start: Array, seed: int) -> None:
    import nevergrad
    from nevergrad.optimization import metamodel

    # nevergrad 1.0.12 makes a float of an array of one number, which NumPy 2.4 refuses.
    metamodel.float = lambda value: np.asarray(value, dtype=float).item()
    space = nevergrad.p.Array(init=start).set_bounds(0, 1)
    space.random_state.seed(seed)
    optimizer = nevergrad.optimizers.registry["NGOpt"](space, budget=objective.budget)
    for _ in range(objective.budget):
        asked = optimizer.ask()
        optimizer.tell(asked, objective.finite(asked.value))


def _turbo(objective: BudgetedObjective, start: Array, seed: int) -> None:
    from .turbo import turbo

    turbo(objective.finite, start, seed)


def _random(objective: BudgetedObjective, start: Array, seed: int) -> None:
    for point in _starts(start, seed):
        objective(point)


SACMA = ("sacma", "ada-kendall", "dts-cmaes", "dts-cmaes-active", "lq-cma-es", "cmaes")

OPTIMIZERS: dict[str, Optimizer] = {
    **{name: Optimizer(partial(_sacma, name), ("sacma",)) for name in SACMA},
    "pycma fmin2": Optimizer(partial(_pycma, cma.fmin2), ("cma",)),
    "pycma BIPOP": Optimizer(partial(_pycma, cma.fmin2, bipop=True), ("cma",)),
    "pycma fmin_lq_surr2": Optimizer(partial(_pycma, cma.fmin_lq_surr2), ("cma",)),
    "SciPy COBYQA": Optimizer(_cobyqa, ("scipy",)),
    "Py-BOBYQA": Optimizer(_py_bobyqa, ("Py-BOBYQA",)),
    "Optuna TPE": Optimizer(partial(_optuna, _tpe), ("optuna",)),
    "Optuna CMA-ES": Optimizer(partial(_optuna, _cmaes), ("optuna", "cmaes")),
    "Optuna GP": Optimizer(partial(_optuna, _gaussian_process), ("optuna", "torch"), most=20),
    "Nevergrad NGOpt": Optimizer(_nevergrad, ("nevergrad",)),
    "TuRBO": Optimizer(_turbo, ("botorch", "torch"), most=20),
    "random search": Optimizer(_random, ("numpy",)),
}
