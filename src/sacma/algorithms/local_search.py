"""SciPy's local searches, restarted at a new initial point after each convergence."""

import sys
import warnings
from contextlib import suppress
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.strategy.restarts import InitialRange
from sacma.surrogate.part import Settings
from sacma.surrogate.whitening import Array

_WITHOUT_LIMIT: dict[str, tuple[str, dict[str, Any]]] = {
    "nelder_mead": ("Nelder-Mead", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "powell": ("Powell", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "cobyqa": ("COBYQA", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "cobyla": ("COBYLA", {"maxiter": 2**31 - 1}),
    "lbfgsb": ("L-BFGS-B", {"maxfun": 2**31 - 1, "maxiter": 2**31 - 1}),
    "slsqp": ("SLSQP", {"maxiter": 2**31 - 1}),
}
"""SciPy's names of the methods, and options without limits: only convergence or the end of the trial stops them."""


class LocalSearchSettings(Settings):
    """A local search of SciPy with restarts."""

    method: Annotated[
        Literal["nelder_mead", "powell", "cobyqa", "cobyla", "lbfgsb", "slsqp"],
        Field(description="of scipy.optimize.minimize; gradients, in lbfgsb and slsqp, are differences, all counted"),
    ]
    initial_range: InitialRange = 4.0
    tolerance: Annotated[float, Field(gt=0, le=1, description="tol: where a run has converged, and another begins")] = (
        1e-11
    )
    within_box: Annotated[bool, Field(description="search inside the problem's box only; not with cobyla")] = False

    @model_validator(mode="after")
    def _box_is_kept(self) -> "LocalSearchSettings":
        if self.within_box and self.method == "cobyla":
            raise ValueError("within_box is not possible with method: cobyla, which evaluates points out of bounds")
        return self


class _Diverged(Exception):  # noqa: N818 no error: the next run begins
    """A run has asked for a point that is not finite."""


@algorithm
def local_search(problem: Problem, rng: np.random.Generator, settings: LocalSearchSettings) -> None:  # noqa: ARG001 one protocol
    """A local search of SciPy, with restarts."""
    from scipy import optimize  # noqa: PLC0415 slow to import

    def objective(point: Array) -> float:
        if not np.all(np.isfinite(point)):
            raise _Diverged
        return problem(point)

    method, options = _WITHOUT_LIMIT[settings.method]
    bounds = optimize.Bounds(problem.lower_bounds, problem.upper_bounds) if settings.within_box else None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of lost precision: the next run begins
        while True:
            x0 = problem.initial_point(settings.initial_range)
            with suppress(_Diverged):
                optimize.minimize(objective, x0, method=method, bounds=bounds, tol=settings.tolerance, options=options)
