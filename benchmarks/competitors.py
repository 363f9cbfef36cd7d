"""Optimizers of other packages as algorithms: for ``sacma run --algorithm-file benchmarks/competitors.py``.

They need ``pip install '.[benchmarks]'``; their configs are in ``benchmarks/configs/``.
"""

import warnings
from typing import Annotated

import numpy as np
from pydantic import Field

import sacma
from sacma.algorithms.base import Problem
from sacma.algorithms.baselines import contained
from sacma.types import Array

HALF_WIDTH = 4.0  # of the cube of initial points, as the study's algorithms have it
MOST = 10**6  # evaluations of a run of Py-BOBYQA, which makes lists of that length: no limit in effect


@sacma.algorithm
def py_bobyqa(
    problem: Problem,
    rng: np.random.Generator,
    radius: Annotated[float, Field(gt=0, le=5, description="first radius: that of sacma, σ₀ of the study")] = 8 / 3,
    tolerance: Annotated[float, Field(gt=0, description="least radius: where a run ends, and another begins")] = 1e-11,
) -> None:
    """Py-BOBYQA with restarts: a trust region with quadratic interpolation."""
    import pybobyqa  # noqa: PLC0415 of the extra sacma[benchmarks]

    with contained(rng), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while True:
            x0 = problem.initial_point(HALF_WIDTH)
            pybobyqa.solve(problem, x0, rhobeg=radius, rhoend=tolerance, maxfun=MOST, do_logging=False)


@sacma.algorithm("turbo")
def trust_region_bayesian(problem: Problem, rng: np.random.Generator) -> None:
    """TuRBO-1 on BoTorch: Bayesian optimization in a trust region."""
    import torch  # noqa: PLC0415 of the extra sacma[benchmarks]
    from real.turbo import turbo  # noqa: PLC0415 it loads PyTorch

    lower, widths = problem.lower_bounds, problem.upper_bounds - problem.lower_bounds

    def on_cube(point: Array) -> float:
        return problem(lower + widths * point)

    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        turbo(on_cube, (problem.initial_point(HALF_WIDTH) - lower) / widths, int(rng.integers(1, 2**31)))
