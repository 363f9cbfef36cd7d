"""A population during one generation: its true values, trainings and predictions."""

import math
import sys
from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from sacma.strategy.cma_es import CMAES
from sacma.strategy.errors import JudgedPopulation
from sacma.strategy.generation import Observer
from sacma.strategy.training import TrainedModel, Trainer
from sacma.surrogate.archive import Archive, Standing, finite_rows
from sacma.surrogate.model import Posterior
from sacma.surrogate.part import indices_of
from sacma.types import Array, Indices

SAME = 1e-6  # distance, in standard deviations, of points that are equal but for rounding
Requests = Generator[Sequence[Array], Array, None]  # asks for points by yielding them and receives their values of f
Outcomes = Generator[Sequence[Array], Array, Array]  # returns values or points, too


class Sample(NamedTuple):
    """A point for f."""

    seen: Array  # as f is to see it, shape (D,)
    learned: Array  # as the archive keeps it, shape (D,)


# Distance from m, in longest steps, at which a point of an earlier population can still be one of the open one.
FARTHEST = 2.0


def longest_step(dimension: int) -> float:
    """Return √D + 2D/(D + 2), in standard deviations: CMA-ES shortens longer steps to points that it did not sample.

    Hansen, *Injecting External Solutions Into CMA-ES*, 2011, which pycma follows.
    """
    return math.sqrt(dimension) + 2.0 * dimension / (dimension + 2.0)


def read_only(array: Array) -> Array:
    """Return a view of ``array`` that nobody can write to: parts of users are given the strategy's own arrays."""
    view = array.view()
    view.flags.writeable = False
    return view


class Population:
    """The points that one generation samples; ``trainer`` is None without a surrogate."""

    def __init__(self, run: CMAES, archive: Archive, trainer: Trainer | None, observer: Observer) -> None:
        self._run = run
        self._archive = archive
        self._trainer = trainer
        self._observer = observer
        self._asked: Indices = np.empty(0, dtype=np.intp)
        self.sampled_with = {"sigma": run.sigma, "axis_ratio": run.axis_ratio}
        self.begun = False  # True once a point of it has been evaluated
        self.model: TrainedModel | None = None
        self.values: Array = np.full(run.population_size, np.nan)  # y, NaN where f has not evaluated a point yet

    @property
    def size(self) -> int:
        """λ."""
        return len(self.values)

    @property
    def parents(self) -> int:
        """μ = ⌊λ/2⌋."""
        return self.size // 2

    @property
    def unevaluated(self) -> Indices:
        """Indices of the points that f has not evaluated, ascending."""
        return np.isnan(self.values).nonzero()[0]

    @property
    def dimension(self) -> int:
        """D."""
        return int(self._archive.points.shape[1])

    @property
    def known(self) -> int:
        """Number of points in the archive 𝒜."""
        return len(self._archive)

    @property
    def best_value(self) -> float:
        """The lowest true value in the archive 𝒜."""
        return self._archive.best_value

    @property
    def standing(self) -> Standing:
        """The standing of the best point in the archive 𝒜."""
        return self._archive.standing

    def recall(self, points: Array) -> None:
        """Take the values of known points, shape (n, D), that the population contains: they need no evaluation."""
        if not len(points):
            return
        whitening = self._run.whitening()
        apart = whitening(self._run.learned)[:, None] - whitening(points)
        for i, k in np.argwhere(np.linalg.norm(apart, axis=2) <= SAME):
            self.values[i] = self._archive.value_at(points[k])

    def evaluate(self, indices: Indices) -> Requests:
        """Evaluate the points at ``indices`` with f, and archive them (Algorithm 1, steps 3 and 4)."""
        self._asked = indices_of(self, indices, self.size)
        if not len(self._asked):  # its points all have values, of proposals: nothing is asked for
            self._observer.truth()
            return
        self._observer.spent("strategy_seconds")
        self.take((yield [self._run.proposed[i] for i in self._asked]))

    @property
    def asked(self) -> Array:
        """The points that were asked for, as the archive keeps them, shape (n, D)."""
        return self._run.learned[self._asked]

    def replace(self, place: int, seen: Array, learned: Array) -> None:
        """Put an evaluated point, as f saw it and as the archive keeps it, in the place of one that was asked for."""
        self._run.replace(int(self._asked[place]), seen, learned)

    def take(self, outcomes: Array) -> None:
        """Archive the outcomes of the first of the points that were asked for, shape (n,) or (n, 1 + m).

        A value that is not finite becomes one just above all known values: not equal to the worst of them, which may be
        the only finite value of this population.
        """
        self._observer.truth()
        self.begun |= len(outcomes) > 0
        told, finite = self._asked[: len(outcomes)], finite_rows(outcomes)
        self._archive.add(self._run.learned[told[finite]], outcomes[finite])
        y = self._archive.values_of(outcomes)
        if not finite.all():
            self._archive.add_failed(self._run.learned[told[~finite]])
            worst = np.max(self._archive.values) if len(self._archive) else 0.0
            with np.errstate(over="ignore"):
                y = np.where(finite, y, min(np.nextafter(worst, np.inf), sys.float_info.max))
        self.values[told] = y

    def train(self) -> TrainedModel | None:
        """Train a model on the archive (Algorithm 1, steps 5 and 6)."""
        assert self._trainer is not None  # noqa: S101 the settings have a model where the control uses one
        self._observer.spent("strategy_seconds")
        training = self._trainer.train(self._archive, self._run)
        self._observer.spent("fit_seconds")
        self._observer.training(training.details())
        self.model = training.model
        return training.model

    def predict(self, model: TrainedModel, indices: Indices | None = None) -> Array:
        """Return the predictions ŷ of the population, or of its points at ``indices``."""
        self._observer.spent("strategy_seconds")
        predicted = model(self._run.sampled if indices is None else self._run.sampled[indices])
        self._observer.spent("predict_seconds")
        return predicted

    def choose(self, model: TrainedModel, multiple: int) -> Array:
        """Let ``multiple`` λ samples have the μ best and the λ − μ worst by the model as the population.

        Return its predictions.
        """
        self._observer.spent("strategy_seconds")
        draws = [np.array(self._run.sampled), *(self._run.sample() for _ in range(multiple - 1))]
        predicted, samples = np.concatenate([model(draw) for draw in draws]), np.concatenate(draws)
        order = np.argsort(predicted, kind="stable")
        chosen = np.append(order[: self.parents], order[self.parents - self.size :])
        self._run.put(samples[chosen])
        self._observer.spent("predict_seconds")
        return predicted[chosen]

    def posterior(self, model: TrainedModel, *, joint: bool) -> Posterior:
        """Return the posterior of the population."""
        self._observer.spent("strategy_seconds")
        posterior = model.posterior(self._run.sampled, joint=joint)
        self._observer.spent("predict_seconds")
        return posterior

    def judged(self, model: TrainedModel) -> JudgedPopulation:
        """Return the true values beside the predictions of an earlier ``model`` at the archived points."""
        self._observer.spent("strategy_seconds")
        predicted = model(self._run.learned)
        self._observer.spent("predict_seconds")
        return JudgedPopulation(read_only(self._run.sampled), read_only(self.values), predicted, self._run.state)

    def note(self, **details: float) -> None:
        """Note columns of the trace, model_generations, error and smoothed_error; raise TypeError for another name."""
        self._observer.note(**details)
