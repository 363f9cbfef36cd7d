"""Populations with predictions to be judged."""

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.cma_update import CMAState
from sacma.strategy.errors import JudgedPopulation
from sacma.surrogate.model import Posterior
from sacma.surrogate.part import Context
from sacma.types import Array, Indices


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


class Foreseen:
    """A population whose models predict what a test says, and that remembers what f evaluates."""

    dimension, known, begun, standing, best_value = 2, 99, False, (0.0, 0.0), 0.0

    def __init__(self, true: Array, *predictions: Array) -> None:
        self._true, self._predictions = true, [*predictions]
        self.values, self.size, self.parents = np.full(len(true), np.nan), len(true), len(true) // 2
        self.batches: list[list[int]] = []
        self.noted: list[float] = []

    @property
    def unevaluated(self) -> Indices:
        """The points without a value."""
        return np.flatnonzero(np.isnan(self.values))

    def train(self) -> Array | None:
        """Return the next model, if there is one."""
        return self._predictions.pop(0) if self._predictions else None

    def predict(self, model: Array, indices: Indices) -> Array:
        """Return what it says."""
        return model[indices]

    def posterior(self, model: Array, *, joint: bool) -> Posterior:
        """Return the same, each as sure as another."""
        assert not joint
        return Posterior(model, np.ones(len(model)), 0.0)

    def evaluate(self, indices: Indices) -> Iterator[None]:
        """Take the true values."""
        self.batches.append(indices.tolist())
        self.values[indices] = self._true[indices]
        yield

    def note(self, **details: float) -> None:
        """Remember the smoothed error."""
        self.noted.append(details["smoothed_error"])
