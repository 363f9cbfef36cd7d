"""A Gaussian process with constant mean and isotropic covariance, fitted by maximum likelihood.

Inputs come whitened; targets are standardised here. The search for the two unknowns that profiling leaves (see
``likelihood``) begins at the last model's optimum, if there is one that still explains anything, and else at several
starts. The likelihood has many local maxima, and it is flat where no two points are within a few ℓ of each other:
the study's own start alone gets stuck there.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

import numpy as np
from scipy.linalg.lapack import dtrtrs

from sacma.surrogate.compiled import DPOTRF, compiled
from sacma.surrogate.likelihood import correlations, maximise, posterior_mean, posterior_mean_and_gradient
from sacma.surrogate.model import FitStatus, Posterior, unit_of
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

# Starts of the search besides the study's own: ln(ℓ/√D), as √D is the typical distance to m, and ln η.
STARTS = ((0.1, -24.0), (0.4, -1.0), (1.2, -4.0), (2.0, -8.0), (2.8, -13.0), (4.0, -22.0))

# Number of searches from these starts. A search gets from much noise to little more easily than back.
SEARCHES = 3

HALVED = 200  # number of points from which on these searches use every other point, and only the best uses all
MOST_EVALUATIONS = 40  # most evaluations of the likelihood in a search, which usually ends after about ten
SMALLEST_RATIO = 1e-18  # smallest η tried: below, A is positive definite in double precision for the smallest n only
EXPLAINS = 1.0  # least gain of a warm start over the log likelihood of mere noise; below, several starts follow


# Bounds of the search, from the study's experiments.
LOG_LENGTH = (-2.0, 25.0)  # of ln ℓ
LOG_SIGNAL = (-2.0, 25.0)  # of ln s_f (the standard deviation)
LOG_NOISE = (math.log(1e-6), math.log(10.0))  # of ln σ_n (the standard deviation)
MEAN_RANGES = 2.0  # β stays within this many ranges of the standardised targets around their median
NO_TREND = np.empty((0, 0))  # stands for the covariance of a trend where there is none


class SearchedFrom(StrEnum):
    """Start of a likelihood search."""

    WARM = "warm"
    START = "start"
    SEVERAL = "several starts"


@dataclass(frozen=True)
class Hyperparameters:
    """A start of the maximum-likelihood search: ℓ and the noise ratio η = σ_n²/s_f²."""

    length: float
    ratio: float

    def stretched(self, log_factor: float) -> "Hyperparameters":
        """Return the same in a space in which all lengths are exp(``log_factor``) times as long."""
        return Hyperparameters(self.length * float(np.exp(log_factor)), self.ratio)


@dataclass(frozen=True)
class GaussianProcess:
    """A trained model; see ``fit_gaussian_process``."""

    inputs: Array  # whitened training inputs, shape (n, D)
    center: float  # mean of the training values, subtracted from them
    scale: float  # sample standard deviation of the training values, divided by
    hyperparameters: Hyperparameters  # ℓ and η
    mean: float  # β of the standardised values
    signal: float  # s_f² of the standardised values
    factor: Array  # L of A = M + ηI, lower triangle, shape (n, n); the upper triangle has no meaning
    weights: Array  # α = A⁻¹(y − β), shape (n,)
    log_likelihood: float  # log marginal likelihood of the standardised values
    costs: Mapping[str, int | str]  # of the search for hyperparameters, by column of the trace

    def again(self, training: TrainingSet) -> "GaussianProcess | FitStatus":
        """Return a process of other points by a search from here; see ``Refitted``."""
        return fit_gaussian_process(training, start=self.hyperparameters, warm=self.hyperparameters)

    def predict(self, inputs: Array) -> Array:
        """Return the posterior mean at whitened ``inputs``, shape (n, D), in the objective's units.

        Infinite where it is too large for a float.
        """
        with np.errstate(over="ignore"):
            return np.asarray(self.center + self.scale * self._standardised(np.ascontiguousarray(inputs)))

    def _standardised(self, inputs: Array) -> Array:
        return posterior_mean(inputs, self.inputs, self.hyperparameters.length, self.mean, self.weights)

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the log density of each of ``values`` at whitened ``inputs``; see ``ScoredFit``."""
        return self.posterior(inputs, joint=False).log_densities(values, unit_of(values))

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the prediction at a whitened ``point`` and its gradient; see ``SmoothFit``."""
        value, gradient = posterior_mean_and_gradient(
            point, self.inputs, self.hyperparameters.length, self.mean, self.weights
        )
        return self.center + self.scale * value, self.scale * gradient

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of the search for hyperparameters, by column of the trace."""
        return self.costs

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior at whitened ``inputs``, shape (n, D), of standardised values."""
        points = np.ascontiguousarray(inputs)
        length = self.hyperparameters.length
        solved, _ = dtrtrs(self.factor, correlations(points, self.inputs, length).T, lower=1)
        if joint:
            remaining = correlations(points, points, length) - solved.T @ solved
        else:
            remaining = 1.0 - (solved**2).sum(axis=0)
        return Posterior(
            mean=np.asarray(self._standardised(points)),
            covariance=self.signal * remaining,
            noise=self.signal * self.hyperparameters.ratio,
            center=self.center,
            scale=self.scale,
        )


def fit_gaussian_process(
    training: TrainingSet,
    *,
    start: Hyperparameters,
    warm: Hyperparameters | None = None,
    warm_evaluations: int = MOST_EVALUATIONS,
) -> GaussianProcess | FitStatus:
    """Fit a Gaussian process to n ≥ 2 points by maximum likelihood, or return the reason for having none.

    The search begins at ``warm``, the last model's optimum, if there is one, with at most ``warm_evaluations``. Without
    it, or where it ends hardly above the likelihood of mere noise, ``start``, the study's own, and ``STARTS`` follow.
    """
    search = Search.of(training)
    if isinstance(search, FitStatus):
        return search
    if warm is not None:
        search.run(SearchedFrom.WARM, [warm], warm_evaluations)
    if not search.explains:
        search.run_from_several(start)
    return search.model()


def _logarithms(starts: Sequence[Hyperparameters]) -> Array:
    """Return (ln ℓ, ln η) of each start, shape (s, 2)."""
    return np.log([[start.length, start.ratio] for start in starts])


@lru_cache(maxsize=64)
def _several_starts(start: Hyperparameters, dimension: int) -> Array:
    """Return (ln ℓ, ln η) of the study's start and of ``STARTS``."""
    log_root = 0.5 * math.log(dimension)
    return np.vstack([_logarithms([start]), np.array(STARTS) + np.array([log_root, 0.0])])


class Search:
    """Searches the likelihood of one training set, once or more often, and keeps the best point.

    ``inputs`` are whitened, shape (n, D); ``standardised`` are values, their center and their scale; ``trend`` is the
    covariance of a trend in units of s_f², shape (n, n), if there is one.
    """

    def __init__(
        self,
        inputs: Array,
        standardised: tuple[Array, float, float],
        trend: Array = NO_TREND,
        *,
        mean_around_minimum: bool = False,
    ) -> None:
        self._inputs = inputs
        self._targets, self._center, self._scale = standardised
        self._trend = trend
        self._limits = limits(self._targets, mean_around_minimum=mean_around_minimum)
        self.evaluations = 0  # of the likelihood of all points
        self._half_evaluations = 0
        self._jitters = 0
        self.log_likelihood = -np.inf  # the largest found so far
        self._best: tuple[SearchedFrom, Hyperparameters, float, float, Array, Array] | None = None

    @classmethod
    def of(cls, training: TrainingSet, *, mean_around_minimum: bool = False) -> "Search | FitStatus":
        """Standardise a training set and return its search, or the reason for having none."""
        standardised = standardise(training.values)
        if standardised[2] == 0.0:
            return FitStatus.CONSTANT_VALUES
        inputs = np.ascontiguousarray(training.inputs)
        return cls(inputs, standardised, mean_around_minimum=mean_around_minimum)

    @property
    def explains(self) -> bool:
        """True if the best is clearly above the likelihood of mere noise, y_i ~ N(0, s²)."""
        n = len(self._targets)
        noise = -0.5 * n * (math.log(2.0 * math.pi * (n - 1) / n) + 1.0)
        return bool(self.log_likelihood > noise + EXPLAINS)

    def run_from_several(self, start: Hyperparameters) -> None:
        """Search from ``start`` and ``STARTS``: on half the points where there are many, and then on all of them."""
        starts = _several_starts(start, self._inputs.shape[1])
        if len(self._targets) < HALVED:
            self._run(SearchedFrom.SEVERAL, starts, searches=SEARCHES)
            return
        inputs, targets = self._inputs[::2].copy(), self._targets[::2].copy()
        trend = self._trend[::2, ::2].copy()
        path, ends, *_ = maximise(
            DPOTRF, inputs, trend, targets, self._limits, starts, SEARCHES, MOST_EVALUATIONS, False
        )
        self._half_evaluations += len(path)
        self._run(SearchedFrom.SEVERAL, path[ends, :2] if len(ends) else starts)

    def run(self, origin: SearchedFrom, starts: Sequence[Hyperparameters], most: int = MOST_EVALUATIONS) -> float:
        """Search from the best of ``starts`` with at most so many evaluations; return the gain in log likelihood."""
        return self._run(origin, _logarithms(starts), most=most)

    def _run(self, origin: SearchedFrom, starts: Array, searches: int = 1, most: int = MOST_EVALUATIONS) -> float:
        path, _, best, jitters, mean, signal, factor, weights = maximise(
            DPOTRF,
            self._inputs,
            self._trend,
            self._targets,
            self._limits,
            starts,
            searches,
            most,
            searches > 1,  # a careful end where all points have been seen from the start
        )
        self.evaluations += len(path)
        self._jitters += jitters
        log_length, log_ratio, negative_log = path[best].tolist()
        if -negative_log > self.log_likelihood:
            self.log_likelihood = -negative_log
            n = len(self._targets)
            optimum = Hyperparameters(math.exp(log_length), math.exp(log_ratio))
            self._best = origin, optimum, mean, signal, factor[:n, :n].T, weights
        lowest = float(path[: len(starts), 2].min())
        return lowest - negative_log if math.isfinite(lowest) else 0.0

    def model(self) -> GaussianProcess | FitStatus:
        """Return the model at the best point."""
        if self._best is None:
            return FitStatus.NO_FACTOR
        origin, optimum, mean, signal, factor, weights = self._best
        return GaussianProcess(
            inputs=self._inputs,
            center=self._center,
            scale=self._scale,
            hyperparameters=optimum,
            mean=mean,
            signal=signal,
            factor=factor,
            weights=weights,
            log_likelihood=self.log_likelihood,
            costs={
                "likelihood_evaluations": self.evaluations,
                "half_evaluations": self._half_evaluations,
                "jitters": self._jitters,
                "searched_from": origin,
            },
        )


@compiled
def standardise(values: Array) -> tuple[Array, float, float]:
    """Return (values − center)/scale with their mean and sample standard deviation, and these two.

    The least value is subtracted first, which leaves the exact differences of values that hardly differ. The scale
    is 0 if values differ by rounding only, or by more than a float can hold.
    """
    n = len(values)
    least, largest = values.min(), values.max()
    reach = largest - least
    if not (math.isfinite(reach) and reach > 8.0 * np.finfo(np.float64).eps * max(abs(least), abs(largest))):
        return np.zeros(n), least, 0.0
    targets = (values - least) / reach  # in [0, 1]: their squares neither overflow nor vanish
    mean = 0.0
    for i in range(n):
        mean += targets[i] / n
    variance = 0.0
    for i in range(n):
        variance += (targets[i] - mean) ** 2 / (n - 1)
    deviation = math.sqrt(variance)
    for i in range(n):
        targets[i] = (targets[i] - mean) / deviation
    return targets, least + mean * reach, deviation * reach


def limits(targets: Array, *, mean_around_minimum: bool = False) -> Array:
    """Return the bounds of β, σ_n², s_f², ln ℓ and ln η, each lower and upper, shape (10,).

    β is near the median of the targets, or, as in the published code, near their minimum.
    """
    result = _hyperparameter_limits().copy()
    result[:2] = _mean_limits(targets, MEAN_RANGES, mean_around_minimum)
    return result


@compiled
def _mean_limits(targets: Array, ranges: float, around_minimum: bool) -> tuple[float, float]:
    ordered = np.sort(targets)
    slack = ranges * (ordered[-1] - ordered[0])
    middle = 0.5 * (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2])
    if around_minimum:
        middle = ordered[0]
    return middle - slack, middle + slack


@cache
def _hyperparameter_limits() -> Array:
    noise, signal = np.exp(2.0 * np.array(LOG_NOISE)), np.exp(2.0 * np.array(LOG_SIGNAL))
    ratio = SMALLEST_RATIO, noise[1] / signal[0]
    return np.array([-np.inf, np.inf, *noise, *signal, *LOG_LENGTH, *np.log(ratio)])
