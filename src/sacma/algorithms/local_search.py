"""SciPy's local searches, restarted at a new initial point after each convergence."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.strategy.restarts import InitialRange
from sacma.surrogate.part import Settings
from sacma.types import Array

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
    sigma0: Annotated[
        float | None,
        Field(
            gt=0,
            le=1e10,
            description="first step in each coordinate, and unit of the tolerance and of differences; null: SciPy's",
        ),
    ] = None
    within_box: Annotated[
        bool, Field(description="search inside the problem's box only; cobyla's points beyond are moved onto it")
    ] = False


class _Diverged(Exception):  # noqa: N818 no error: the next run begins
    """A run has asked for a point that is not finite."""


@algorithm
def local_search(problem: Problem, rng: np.random.Generator, settings: LocalSearchSettings) -> None:  # noqa: ARG001 one protocol
    """A local search of SciPy, with restarts."""
    from scipy import optimize  # noqa: PLC0415 slow to import

    unit = settings.sigma0 or 1.0
    box = problem.lower_bounds, problem.upper_bounds

    def objective(scaled: Array) -> float:
        point = scaled * unit
        if not np.all(np.isfinite(point)):
            raise _Diverged
        with _others_may_begin(settings.method):
            return problem(np.clip(point, *box) if settings.within_box else point)

    method, options = _WITHOUT_LIMIT[settings.method]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of lost precision: the next run begins
        bounds = optimize.Bounds(box[0] / unit, box[1] / unit) if settings.within_box else None
        while True:
            x0 = problem.initial_point(settings.initial_range) / unit
            if settings.sigma0 is not None and settings.method == "nelder_mead":  # whose first step depends on x0
                options = {**options, "initial_simplex": _simplex(x0, bounds)}
            with suppress(_Diverged):
                optimize.minimize(objective, x0, method=method, bounds=bounds, tol=settings.tolerance, options=options)


@contextmanager
def _others_may_begin(method: str) -> Iterator[None]:
    """Let go of the lock that SciPy holds during the whole of a search with COBYQA, as long as f is evaluated.

    COBYQA has no state that searches share. With the lock, those that wait for values of f would wait for each other.
    """
    lock = getattr(sys.modules.get("scipy.optimize._cobyqa_py"), "COBYQA_LOCK", None) if method == "cobyqa" else None
    if lock is None:
        yield
        return
    lock.release()
    try:
        yield
    finally:
        lock.acquire()


def _simplex(x0: Array, bounds: Any) -> Array:
    """Return x₀ and its neighbours at distance 1, shape (D + 1, D); on the other side where a bound is nearer."""
    inward = np.ones(len(x0)) if bounds is None else np.where(x0 + 1.0 > bounds.ub, -1.0, 1.0)
    return np.vstack([x0, x0 + np.diag(inward)])
