"""Algorithms of other libraries and the baseline of all: pycma's variants, SciPy's local searches, random search.

None of them knows budget or target: the problem ends the trial. What converges begins anew at another initial point.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.strategy.cma_es import (
    ActiveUpdate,
    CMAESSampling,
    PopulationSize,
    StepSize,
    axis_ratio,
    default_population_size,
)
from sacma.strategy.errors import ranks
from sacma.strategy.pycma import contained_options, limited_in_1d, pycma
from sacma.strategy.restarts import Factor, InitialRange, MostRestarts
from sacma.surrogate.part import Settings
from sacma.types import Array

# SciPy's names of the methods, and options without limits: only convergence or the end of the trial stops them.
_WITHOUT_LIMIT: dict[str, tuple[str, dict[str, Any]]] = {
    "nelder_mead": ("Nelder-Mead", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "powell": ("Powell", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "cobyqa": ("COBYQA", {"maxfev": sys.maxsize, "maxiter": sys.maxsize}),
    "cobyla": ("COBYLA", {"maxiter": 2**31 - 1}),
    "lbfgsb": ("L-BFGS-B", {"maxfun": 2**31 - 1, "maxiter": 2**31 - 1}),
    "slsqp": ("SLSQP", {"maxiter": 2**31 - 1}),
}

SLSQP_ITERATIONS = 300  # most iterations of SLSQP before lq-CMA-ES, as published


class RandomSearchSettings(Settings):
    """Settings of random search: none."""

    needs_box: ClassVar[bool] = True  # the problem must have finite bounds


@algorithm
def random_search(problem: Problem, rng: np.random.Generator, settings: RandomSearchSettings) -> None:  # noqa: ARG001 one protocol
    """Points uniform in the problem's box."""
    while True:
        problem(rng.uniform(problem.lower_bounds, problem.upper_bounds))


class RestartSettings(Settings):
    """Common settings of the variants."""

    sigma0: StepSize = 8.0 / 3.0
    initial_range: InitialRange = 4.0
    population_size: PopulationSize = None
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4
    active: ActiveUpdate = False
    within_box: Annotated[
        bool, Field(description="search inside the problem's box only, by pycma's transformation of points")
    ] = False


class LQSettings(RestartSettings):
    """lq-CMA-ES (Hansen, GECCO 2019) with IPOP restarts, as pycma has it."""

    active: ActiveUpdate = True
    inject: Annotated[bool, Field(description="the optimum of the surrogate takes part in the next population")] = True


class BIPOPSettings(RestartSettings):
    """BIPOP-CMA-ES (Hansen, BBOB 2009)."""

    sigma0: StepSize = 2.0
    max_restarts: MostRestarts = 9


@algorithm
def lq_cmaes(problem: Problem, rng: np.random.Generator, settings: LQSettings) -> None:
    """lq-CMA-ES of pycma: linear or quadratic surrogate.

    A linear, diagonal or full quadratic model, fitted to the best of the last points, ranks each population. Its best
    points are evaluated with f, more of them until Kendall's τ between model and f is at least 0.85 (N. Hansen, A
    global surrogate assisted CMA-ES, GECCO 2019).
    """
    run_for_ever(pycma().fmin_lq_surr2, problem, settings, rng, inject=settings.inject, callback=log_of(problem))


def log_of(problem: Problem) -> Callable[[Any], None]:
    """Return a callback of lq-CMA-ES that logs its distribution and the evaluations by its model."""
    left, ranked = problem.evaluations_left, 0  # points, by the model or by f

    def keep(es: Any) -> None:
        nonlocal ranked
        ranked += es.popsize
        by_model = ranked - (left - problem.evaluations_left)
        problem.log(sigma=es.sigma, axis_ratio=axis_ratio(es), model_evaluations=max(0, by_model))

    return keep


@algorithm
def rank_lq_cmaes(problem: Problem, rng: np.random.Generator, settings: LQSettings) -> None:
    """rank-lq-CMA-ES: the surrogate of lq-CMA-ES, fitted to ranks.

    The model sees the ranks of the values that it is fitted to, so a run is the same for f and for any increasing
    function of f, until a stop condition of pycma compares values (Gharafi et al., GECCO 2025).
    """
    run_for_ever(rank_lq, problem, settings, rng, inject=settings.inject, callback=log_of(problem))


@algorithm
def slsqp_lq_cmaes(problem: Problem, rng: np.random.Generator, settings: LQSettings) -> None:
    """SLSQP until it converges, at most 300 iterations, then lq-CMA-ES from other points.

    The portfolio of N. Hansen, A global surrogate assisted CMA-ES, GECCO 2019.
    """
    of_both = settings.model_dump(include={"initial_range", "within_box"})
    search_once(problem, LocalSearchSettings.model_validate({"method": "slsqp", **of_both}), maxiter=SLSQP_ITERATIONS)
    run_for_ever(pycma().fmin_lq_surr2, problem, settings, rng, inject=settings.inject, callback=log_of(problem))


def rank_lq(
    problem: Problem,
    initial_point: Callable[[], Array],
    sigma0: float,
    options: dict[str, Any],
    *,
    restarts: int,
    incpopsize: float,
    inject: bool,
    callback: Callable[[Any], None],
) -> None:
    """Run pycma's lq-CMA-ES with its surrogate on ranks; the arguments are those of its ``fmin_lq_surr2``."""
    cma = pycma()
    for run in range(1 + restarts):
        size = {"popsize": int(options["popsize"] * incpopsize**run + 0.5)}
        es = cma.CMAEvolutionStrategy(initial_point, sigma0, options | size)
        surrogate = cma.fitness_models.SurrogatePopulation(problem)
        surrogate.model.settings.f_transformation = ranks
        while not es.stop():
            population = es.ask()
            es.tell(population, surrogate(population))
            if inject:
                es.inject([surrogate.model.xopt])
            callback(es)


@algorithm
def bipop_cmaes(problem: Problem, rng: np.random.Generator, settings: BIPOPSettings) -> None:
    """BIPOP-CMA-ES of pycma: large and small populations.

    Runs with doubling populations alternate with runs of small populations and step sizes, with equal shares of the
    evaluations (N. Hansen, Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed, GECCO 2009
    workshop). Only the large ones count as restarts.
    """

    def keep(es: Any) -> None:
        problem.log(sigma=es.sigma, axis_ratio=axis_ratio(es))

    run_for_ever(pycma().fmin2, problem, settings, rng, bipop=True, callback=keep)


def run_for_ever(
    function: Callable[..., Any], problem: Problem, settings: RestartSettings, rng: np.random.Generator, **more: Any
) -> None:
    """Run a function of pycma, which restarts by itself, again and again until ``problem`` ends the trial."""
    options = {
        "popsize": settings.population_size or default_population_size(problem.dimension),
        "CMA_active": settings.active,
        **contained_options(rng),
    }
    sigma0 = settings.sigma0
    box = problem.lower_bounds, problem.upper_bounds

    def initial_point() -> Array:
        point = problem.initial_point(settings.initial_range)
        return np.clip(point, *box) if settings.within_box else point

    if settings.within_box:
        options["BoundaryHandler"] = pycma().BoundTransform
        options["bounds"] = [side.tolist() for side in box]
        if problem.dimension == 1:
            sigma0 = limited_in_1d(sigma0, box, options, CMAESSampling.largest_share)
    # pycma uses the global generator for the sizes of small runs, and for a model's optimum where LAPACK fails. Of
    # numeric noise it warns, but has stop conditions for it.
    with contained(rng), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while True:
            function(
                problem,
                initial_point,
                sigma0,
                dict(options),
                restarts=settings.max_restarts,
                incpopsize=settings.population_factor,
                **more,
            )


@contextmanager
def contained(rng: np.random.Generator) -> Iterator[None]:
    """Seed NumPy's global generator from ``rng``, and restore its state afterwards.

    >>> before = np.random.get_state()[1].tolist()
    >>> with contained(np.random.default_rng(1)):
    ...     _ = np.random.uniform()
    >>> np.random.get_state()[1].tolist() == before
    True
    """
    before = np.random.get_state()  # noqa: NPY002 the old interface is what is contained
    np.random.seed(rng.integers(2**32, size=8, dtype=np.uint32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


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
    while True:
        search_once(problem, settings)


def search_once(problem: Problem, settings: LocalSearchSettings, **limits: int) -> None:
    """Run a local search from the next initial point until it converges, or asks for a point that is not finite.

    ``limits`` are options of SciPy.
    """
    from scipy import optimize  # noqa: PLC0415 slow to import

    unit = settings.sigma0 or 1.0
    box = problem.lower_bounds, problem.upper_bounds

    def objective(scaled: Array) -> float:
        point = scaled * unit
        if not np.all(np.isfinite(point)):
            raise _Diverged
        return problem(np.clip(point, *box) if settings.within_box else point)

    method, options = _WITHOUT_LIMIT[settings.method]
    options = {**options, **limits}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of lost precision
        bounds = optimize.Bounds(box[0] / unit, box[1] / unit) if settings.within_box else None
        x0 = problem.initial_point(settings.initial_range) / unit
        if settings.sigma0 is not None and settings.method == "nelder_mead":  # whose first step depends on x0
            options = {**options, "initial_simplex": _simplex(x0, bounds)}
        with suppress(_Diverged):
            optimize.minimize(objective, x0, method=method, bounds=bounds, tol=settings.tolerance, options=options)


def _simplex(x0: Array, bounds: Any) -> Array:
    """Return x₀ and its neighbours at distance 1, shape (D + 1, D); on the other side where a bound is nearer."""
    inward = np.ones(len(x0)) if bounds is None else np.where(x0 + 1.0 > bounds.ub, -1.0, 1.0)
    return np.vstack([x0, x0 + np.diag(inward)])
