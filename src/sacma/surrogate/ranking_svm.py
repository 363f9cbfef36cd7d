"""The ranking support vector machine: a function that orders points as their values do, whatever the values are.

Joachims, *Optimizing search engines using clickthrough data*, KDD 2002; Loshchilov, Schoenauer and Sebag,
*Comparison-Based Optimizers Need Comparison-Based Surrogates*, PPSN 2010. Each two neighbours in the ranking make a
constraint, and the cost of breaking it falls from the best to the worst.

| symbol    | here        | meaning                                                            |
| --------- | ----------- | ------------------------------------------------------------------ |
| n         | ``size``    | training points, the newest ones, ranked x_1, …, x_n, best first   |
| α         | ``alpha``   | multipliers of the n − 1 constraints, 0 ≤ α_i ≤ C_i                |
| C_i       | ``costs``   | 10^c_base (n − 1 − i)^c_pow                                        |
| c_σ       | ``width``   | width of the Gaussian kernel in mean distances of training points  |
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sacma.surrogate.model import FitStatus, Posterior
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array


@dataclass(frozen=True)
class RankingParameters:
    """Hyperparameters of one machine."""

    size: float  # n, rounded down
    log_cost: float  # c_base
    power: float  # c_pow
    width: float  # c_σ

    def costs(self, number: int) -> Array:
        """Return C_i of so many constraints, shape (n − 1,)."""
        return np.asarray(10.0**self.log_cost * np.arange(number - 1, -1, -1.0) ** self.power)


def usual_size(dimension: int) -> int:
    """Return the usual n: 40 + ⌊4 D^1.7⌋.

    >>> [usual_size(D) for D in (2, 5, 10, 20)]
    [52, 101, 240, 691]
    """
    return 40 + math.floor(4.0 * math.pow(dimension, 1.7))


class Ranked:
    """Training points in the order of their values, with their distances, for machines of the newest of them."""

    def __init__(self, training: TrainingSet) -> None:
        order = np.argsort(training.values, kind="stable")
        self.inputs = training.inputs[order]
        self.values = training.values[order]
        self._age = len(order) - 1 - order  # 0: the newest
        norms = (self.inputs**2).sum(axis=1)
        self._squares = np.maximum(norms[:, None] + norms - 2.0 * (self.inputs @ self.inputs.T), 0.0)

    def machine(self, theta: RankingParameters) -> "RankingSVM":
        """Return the machine of the newest points."""
        from sacma.surrogate.dual import ascend  # noqa: PLC0415 loads Numba

        newest = np.flatnonzero(self._age < int(theta.size))
        squares = self._squares[np.ix_(newest, newest)]
        n = len(newest)
        twice = 2.0 * (theta.width * float(np.sqrt(squares).sum()) / (n * (n - 1))) ** 2 or 1.0  # all are the same
        alpha = ascend(np.exp(np.divide(squares, -twice, out=squares), out=squares), theta.costs(n - 1))
        weights = np.append(alpha, 0.0) - np.append(0.0, alpha)
        return RankingSVM(self.inputs[newest], self.values[newest], weights, twice)


@dataclass(frozen=True)
class RankingSVM:
    """A trained machine.

    Its predictions are values: the score of a point among those of the training points, as a value among theirs. So an
    increasing function of f changes no ranking of predictions and known values together.
    """

    inputs: Array  # whitened, shape (n, D), best first
    values: Array  # ascending, shape (n,)
    weights: Array  # of the kernel at each of them, shape (n,)
    twice: float  # 2 (c_σ mean distance)²

    def kernel(self, inputs: Array) -> Array:
        """Return the kernel between ``inputs``, shape (m, D), and the training points, shape (m, n)."""
        from scipy.spatial.distance import cdist  # noqa: PLC0415 loads scipy.spatial

        return np.asarray(np.exp(-cdist(inputs, self.inputs, "sqeuclidean") / self.twice))

    def scores(self, inputs: Array) -> Array:
        """Return numbers that rank ``inputs``, shape (m, D), the lowest first."""
        return -self.kernel(inputs) @ self.weights

    @cached_property
    def _known(self) -> Array:
        """Scores of the training points, ascending, shape (n,)."""
        return np.sort(self.scores(self.inputs))

    def predict(self, inputs: Array) -> Array:
        """Return predicted values at whitened ``inputs``, shape (m, D)."""
        known, scores = self._known, self.scores(inputs)
        reach = known[-1] - known[0]
        if not reach > 0.0:
            return np.full(len(inputs), self.values[0])
        with np.errstate(over="ignore"):
            slope = (self.values[-1] - self.values[0]) / reach
            beyond = np.minimum(scores - known[0], 0.0) + np.maximum(scores - known[-1], 0.0)
            return np.asarray(np.interp(scores, known, self.values) + slope * beyond)

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the predictions, with the variance 1 − K² of the nearest training point and no covariance."""
        variance = 1.0 - self.kernel(inputs).max(axis=1) ** 2
        center, scale = float(self.values[0]), float(np.ptp(self.values))
        mean = (self.predict(inputs) - center) / scale
        return Posterior(mean, np.diag(variance) if joint else variance, 0.0, center, scale)

    def search(self) -> Mapping[str, int | str]:
        """Return no cost."""
        return {}


def fit_ranking_svm(training: TrainingSet, theta: RankingParameters) -> RankingSVM | FitStatus:
    """Train a machine on the newest points, or return the reason for having none."""
    if len(training) < 2:  # noqa: PLR2004 for a constraint
        return FitStatus.TOO_FEW_POINTS
    with np.errstate(over="ignore"):
        if not 0.0 < np.ptp(training.values) < np.inf:
            return FitStatus.CONSTANT_VALUES
    return Ranked(training).machine(theta)
