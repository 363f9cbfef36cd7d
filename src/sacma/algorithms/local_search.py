"""Local searches of SciPy: each run begins at a new initial point when the last has converged."""

import sys
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from scipy import optimize

from sacma.algorithms.base import Problem
from sacma.algorithms.settings import LocalSearchSettings
from sacma.surrogate.whitening import Array

_WITHOUT_LIMIT: dict[str, tuple[str, dict[str, Any]]] = {
    "nelder_mead": ("Nelder-Mead", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "powell": ("Powell", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "cobyqa": ("COBYQA", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "lbfgsb": ("L-BFGS-B", {"maxfun": 2**31 - 1, "maxiter": 2**31 - 1}),
}
"""SciPy's name of each method, and options by which only convergence or the end of the trial stops it."""


class _Diverged(Exception):  # noqa: N818 no error: the next run begins
    """A run asks for a point that is not finite."""


def minimize(problem: Problem, settings: LocalSearchSettings, _: np.random.Generator) -> None:
    """Run the local search from one initial point after the other until ``problem`` ends the trial."""

    def objective(point: Array) -> float:
        if not np.all(np.isfinite(point)):
            raise _Diverged
        return problem(point)

    method, options = _WITHOUT_LIMIT[settings.method]
    bounds = optimize.Bounds(problem.lower_bounds, problem.upper_bounds) if settings.within_box else None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of precision that was lost: the next run begins
        while True:
            x0 = problem.initial_point(settings.initial_range)
            with suppress(_Diverged):
                optimize.minimize(objective, x0, method=method, bounds=bounds, tol=settings.tolerance, options=options)
