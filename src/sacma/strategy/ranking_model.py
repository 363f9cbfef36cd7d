"""The ranking support vector machine as a model whose hyperparameters a CMA-ES of their own adapts (s*ACM-ES).

Loshchilov, Schoenauer and Sebag, *Self-Adaptive Surrogate-Assisted Covariance Matrix Adaptation Evolution Strategy*,
GECCO 2012.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.errors import kendall_tau
from sacma.surrogate.model import FitStatus, Model
from sacma.surrogate.part import Context, Part
from sacma.surrogate.ranking_svm import Ranked, RankingParameters, RankingSVM, fit_ranking_svm, usual_size
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array, Indices

CANDIDATES = 20  # hyperparameters in a population
INNER = 0.2, 0.8  # between which the first mean is drawn, in a unit cube
STEP = 0.6  # σ₀ there
FEWEST = 4  # new values by which they are judged
CONVERGED = frozenset({"tolx", "conditioncov", "variance"})  # stop conditions after which the search begins anew
WRONG = 1.0  # error of machines that cannot be trained; those of others are at most 1


class RankingSVMModel(Part):
    """Ranking support vector machine: it sees the order of values alone."""

    name: Literal["ranking-svm"] = "ranking-svm"
    adaptive: Annotated[bool, Field(description="hyperparameters follow the errors of their machines")] = True

    def build(self, context: Context) -> Model:
        """Return the model of one strategy."""
        return RankingModel(self, context)

    def prepare(self) -> None:
        """Compile the code, or load it."""
        inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        fit_ranking_svm(TrainingSet(inputs, np.array([0.0, 1.0, 2.0])), usual(2))


def usual(dimension: int) -> RankingParameters:
    """Return the usual hyperparameters."""
    return RankingParameters(size=usual_size(dimension), log_cost=6.0, power=3.0, width=1.0)


class RankingModel:
    """Trains machines of the points since the last restart; see ``Model``."""

    def __init__(self, settings: RankingSVMModel, context: Context) -> None:
        self._context = context
        self._theta = usual(context.dimension)
        self._adapts = settings.adaptive
        self._search: CMAES | None = None  # of hyperparameters
        self._first = 0  # position in the archive of the first point of this run
        self._seen = 0  # position after the newest point of the last training set
        self._earlier: tuple[TrainingSet, Whitening] | None = None  # on which candidates are trained

    def fit(self, training: TrainingSet, whitening: Whitening) -> RankingSVM | FitStatus:
        """Adapt the hyperparameters by the values that are new, then train a machine."""
        training = part_of(training, np.flatnonzero(training.indices >= self._first))
        if self._adapts:
            self._adapt(training, whitening)
        self._seen = max(self._seen, int(training.indices.max(initial=-1)) + 1)
        return fit_ranking_svm(training, self._theta)

    def _adapt(self, training: TrainingSet, whitening: Whitening) -> None:
        """Let one population of hyperparameters be judged by new values, of which their machines know nothing."""
        new = np.arange(len(training))
        if self._earlier is not None:
            known = self._earlier[0].indices.max(initial=-1)
            new = np.flatnonzero(training.indices > known)
            if len(new) < FEWEST:
                return
            points = self._earlier[1](whitening.inverse(training.inputs[new]))
            self._theta = self._next(self._earlier[0], TrainingSet(points, training.values[new]))
        if len(new) >= FEWEST:
            self._earlier = training, whitening

    def _next(self, training: TrainingSet, judging: TrainingSet) -> RankingParameters:
        """Return the hyperparameters at the mean of their distribution, the usual ones where that is out of range."""
        low, high = limits(self._context.dimension)
        if self._search is None:
            cube = Context(len(low), (np.zeros(len(low)), np.ones(len(low))), self._context.rng)
            settings = CMAESSampling(sigma0=STEP, population_size=CANDIDATES, active=True)
            self._search = CMAES(cube.rng.uniform(*INNER, len(low)), CANDIDATES, settings, cube)
        ranked = Ranked(training)
        errors = []
        for candidate in self._search.ask():
            theta = RankingParameters(*(low + candidate * (high - low)).tolist())
            outside = float(np.sum(np.maximum(0.0, np.abs(candidate - 0.5) - 0.5)))
            missing = max(0.0, theta.size - len(training)) / high[0]
            if outside or missing:
                errors.append(WRONG + outside + missing)
                continue
            predicted = ranked.machine(theta).scores(judging.inputs)
            errors.append(0.5 * (1.0 - kendall_tau(judging.values, predicted)))
        self._search.tell(np.array(errors))
        mean = self._search.mean
        if CONVERGED & set(self._search.stop()):
            self._search = None
        inside = bool(np.all((mean >= 0.0) & (mean <= 1.0)))
        return RankingParameters(*(low + mean * (high - low)).tolist()) if inside else usual(self._context.dimension)

    def keep(self, fitted: object, whitening: Whitening) -> None:
        """Remember nothing: machines that are rejected have been judged, too."""

    def forget(self) -> None:
        """Begin a run with the usual hyperparameters, and learn from its points alone."""
        self._first, self._earlier, self._search = self._seen, None, None
        self._theta = usual(self._context.dimension)


def limits(dimension: int) -> tuple[Array, Array]:
    """Return the least and the largest hyperparameters, shape (4,)."""
    return np.array([4.0 * dimension, 0.0, 0.0, 0.5]), np.array([2.0 * usual_size(dimension), 10.0, 6.0, 2.0])


def part_of(training: TrainingSet, indices: Indices) -> TrainingSet:
    """Return some points of a training set."""
    return TrainingSet(training.inputs[indices], training.values[indices], training.indices[indices])
