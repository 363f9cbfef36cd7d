"""Populations with predictions to be judged."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.cma_update import CMAState
from sacma.strategy.errors import JudgedPopulation
from sacma.surrogate.part import Context
from sacma.types import Array


def box(D: int, *, seed: int = 0) -> Context:
    """Return the context of a problem in [-5, 5]^D."""
    return Context(D, (np.full(D, -5.0), np.full(D, 5.0)), np.random.default_rng(seed))


@cache
def cma_state(D: int, population_size: int, seed: int = 0) -> tuple[CMAState, Array]:
    """Return the state of a first generation, and its population."""
    es = CMAES(np.ones(D), population_size, CMAESSampling(), box(D, seed=seed))
    es.ask()
    return es.state(), es.sampled


def judged(values: Sequence[float] | Array, predicted: Sequence[float] | Array) -> JudgedPopulation:
    """Return a population in 3-D with these true values and predictions."""
    state, points = cma_state(3, len(values))
    return JudgedPopulation(points, np.array(values), np.array(predicted), lambda: state)
