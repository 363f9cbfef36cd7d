"""Variants of CMA-ES that pycma runs with restarts: lq-CMA-ES and BIPOP-CMA-ES.

Neither knows budget or target: the problem ends the trial. After the last restart they start over with the first
population size.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sacma.algorithms.base import Problem
from sacma.algorithms.decorator import algorithm
from sacma.strategy.cma_es import ActiveUpdate, CMAESSampling, PopulationSize, StepSize, default_population_size
from sacma.strategy.pycma import contained_options, limited_in_1d, pycma
from sacma.strategy.restarts import Factor, InitialRange, MostRestarts
from sacma.surrogate.part import Settings
from sacma.types import Array


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
    run_for_ever(pycma().fmin_lq_surr2, problem, settings, rng, inject=settings.inject)


@algorithm
def bipop_cmaes(problem: Problem, rng: np.random.Generator, settings: BIPOPSettings) -> None:
    """BIPOP-CMA-ES of pycma: large and small populations.

    Runs with doubling populations alternate with runs of small populations and step sizes, with equal shares of the
    evaluations (N. Hansen, Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed, GECCO 2009
    workshop). Only the large ones count as restarts.
    """
    run_for_ever(pycma().fmin2, problem, settings, rng, bipop=True)


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
