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
from functools import lru_cache

import numpy as np
from scipy.linalg.lapack import dtrtrs

from sacma.surrogate.base import FitStatus, Posterior
from sacma.surrogate.compiled import DPOTRF
from sacma.surrogate.covariances import USUAL, likelihood_of
from sacma.surrogate.density import log_densities
from sacma.surrogate.likelihood import BOUNDS, NO_TREND, HyperparameterBounds, limits, standardise
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

STARTS = ((0.1, -24.0), (0.4, -1.0), (1.2, -4.0), (2.0, -8.0), (2.8, -13.0), (4.0, -22.0))
"""Starts of the search besides the study's own: ln(ℓ/√D), as √D is the typical distance to m, and ln η."""

SEARCHES = 3
"""Number of searches from these starts. A search gets from much noise to little more easily than back."""

HALVED = 200  # number of points from which on these searches use every other point, and only the best uses all
MOST_EVALUATIONS = 40  # most evaluations of the likelihood in a search, which usually ends after about ten
EXPLAINS = 1.0  # least gain of a warm start over the log likelihood of mere noise; below, several starts follow


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

    covariance: str  # name of the covariance function
    inputs: Array  # whitened training inputs, shape (n, D)
    center: float  # mean of the training values, subtracted from them
    scale: float  # sample standard deviation of the training values, divided by
    hyperparameters: Hyperparameters  # ℓ and η
    mean: float  # β of the standardised values
    signal: float  # s_f² of the standardised values
    factor: Array  # L of A = M + ηI, lower triangle, shape (n, n); the upper triangle has no meaning
    weights: Array  # α = A⁻¹(y − β), shape (n,)
    log_likelihood: float  # log marginal likelihood of the standardised values
    likelihood_evaluations: int  # of the search
    half_evaluations: int  # of the search, on half the points
    jitters: int  # increases of η of the starts
    searched_from: SearchedFrom  # start of the search that found the optimum

    def predict(self, inputs: Array) -> Array:
        """Return the posterior mean at whitened ``inputs``, shape (n, D), in the objective's units.

        Infinite where it is too large for a float.
        """
        points = np.ascontiguousarray(inputs)
        standardised = likelihood_of(self.covariance).posterior_mean(
            points, self.inputs, self.hyperparameters.length, self.mean, self.weights
        )
        with np.errstate(over="ignore"):
            return np.asarray(self.center + self.scale * standardised)

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the log density of each of ``values`` at whitened ``inputs``; see ``ScoredFit``."""
        return log_densities(self.posterior(inputs, joint=False), values)

    def value_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Return the prediction at a whitened ``point`` and its gradient; see ``SmoothFit``."""
        value, gradient = likelihood_of(self.covariance).posterior_mean_and_gradient(
            point, self.inputs, self.hyperparameters.length, self.mean, self.weights
        )
        return self.center + self.scale * value, self.scale * gradient

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of the search for hyperparameters, by column of the trace."""
        return {
            "likelihood_evaluations": self.likelihood_evaluations,
            "half_evaluations": self.half_evaluations,
            "jitters": self.jitters,
            "searched_from": self.searched_from,
        }

    def predict_variance(self, inputs: Array) -> Array:
        """Return the posterior variance of the noise-free function at whitened ``inputs``, shape (n,).

        s_f² (1 − mᵀA⁻¹m) in the objective's units squared, with m the correlations to the training inputs; the
        largest float where it is too large for a float.
        """
        m = likelihood_of(self.covariance).correlations(
            np.ascontiguousarray(inputs), self.inputs, self.hyperparameters.length
        )
        solved, _ = dtrtrs(self.factor, m.T, lower=1)
        reduction = (solved**2).sum(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            variance = np.square(self.scale) * (self.signal * np.clip(1.0 - reduction, 0.0, None))
        return np.asarray(np.nan_to_num(variance))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the posterior at whitened ``inputs``, shape (n, D), of standardised values."""
        points = np.ascontiguousarray(inputs)
        length, compiled = self.hyperparameters.length, likelihood_of(self.covariance)
        solved, _ = dtrtrs(self.factor, compiled.correlations(points, self.inputs, length).T, lower=1)
        if joint:
            remaining = compiled.correlations(points, points, length) - solved.T @ solved
        else:
            remaining = 1.0 - (solved**2).sum(axis=0)
        return Posterior(
            mean=np.asarray(compiled.posterior_mean(points, self.inputs, length, self.mean, self.weights)),
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
    covariance: str = USUAL,
    warm_evaluations: int = MOST_EVALUATIONS,
) -> GaussianProcess | FitStatus:
    """Fit a Gaussian process to n ≥ 2 points by maximum likelihood, or return the reason for having none.

    The search begins at ``warm``, the last model's optimum, if there is one, with at most ``warm_evaluations``. Without
    it, or where it ends hardly above the likelihood of mere noise, ``start``, the study's own, and ``STARTS`` follow.
    """
    search = Search.of(training, covariance)
    if isinstance(search, FitStatus):
        return search
    if warm is not None:
        search.run(SearchedFrom.WARM, [warm], warm_evaluations)
    if not search.explains:
        search.run_from_several(start)
    return search.model()


def load_compiled_code(covariance: str = USUAL) -> None:
    """Fit and use a small model: compiles the code, or loads it, before any trial is timed."""
    inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    training = TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0]))
    process = fit_gaussian_process(training, start=Hyperparameters(length=0.5, ratio=1e-2), covariance=covariance)
    if isinstance(process, GaussianProcess):
        process.predict(inputs)
        process.predict_variance(inputs)
        process.value_and_gradient(inputs[0])


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
        covariance: str,
        bounds: HyperparameterBounds,
        trend: Array = NO_TREND,
    ) -> None:
        self._inputs = inputs
        self._targets, self._center, self._scale = standardised
        self._covariance = covariance
        self._trend = trend
        self._likelihood = likelihood_of(covariance, trend=True) if trend.size else likelihood_of(covariance)
        self._limits = limits(self._targets, bounds)
        self._evaluations = 0
        self._half_evaluations = 0
        self._jitters = 0
        self._log_likelihood = -np.inf
        self._best: tuple[SearchedFrom, Hyperparameters, float, float, Array, Array] | None = None

    @classmethod
    def of(
        cls, training: TrainingSet, covariance: str = USUAL, bounds: HyperparameterBounds = BOUNDS
    ) -> "Search | FitStatus":
        """Standardise a training set and return its search, or the reason for having none."""
        standardised = standardise(training.values)
        if standardised[2] == 0.0:
            return FitStatus.CONSTANT_VALUES
        return cls(np.ascontiguousarray(training.inputs), standardised, covariance, bounds)

    @property
    def log_likelihood(self) -> float:
        """The largest found so far; minus infinity before."""
        return self._log_likelihood

    @property
    def evaluations(self) -> int:
        """Number of evaluations of the likelihood so far, of all points."""
        return self._evaluations

    @property
    def explains(self) -> bool:
        """True if the best is clearly above the likelihood of mere noise, y_i ~ N(0, s²)."""
        n = len(self._targets)
        noise = -0.5 * n * (math.log(2.0 * math.pi * (n - 1) / n) + 1.0)
        return bool(self._log_likelihood > noise + EXPLAINS)

    def run_from_several(self, start: Hyperparameters) -> None:
        """Search from ``start`` and ``STARTS``: on half the points where there are many, and then on all of them."""
        starts = _several_starts(start, self._inputs.shape[1])
        if len(self._targets) < HALVED:
            self._run(SearchedFrom.SEVERAL, starts, searches=SEARCHES)
            return
        inputs, targets = self._inputs[::2].copy(), self._targets[::2].copy()
        trend = self._trend[::2, ::2].copy()
        path, ends, *_ = self._likelihood.maximise(
            DPOTRF, inputs, trend, targets, self._limits, starts, SEARCHES, MOST_EVALUATIONS, False
        )
        self._half_evaluations += len(path)
        self._run(SearchedFrom.SEVERAL, path[ends, :2] if len(ends) else starts)

    def run(self, origin: SearchedFrom, starts: Sequence[Hyperparameters], most: int = MOST_EVALUATIONS) -> float:
        """Search from the best of ``starts`` with at most so many evaluations; return the gain in log likelihood."""
        return self._run(origin, _logarithms(starts), most=most)

    def _run(self, origin: SearchedFrom, starts: Array, searches: int = 1, most: int = MOST_EVALUATIONS) -> float:
        path, _, best, jitters, mean, signal, factor, weights = self._likelihood.maximise(
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
        self._evaluations += len(path)
        self._jitters += jitters
        log_length, log_ratio, negative_log = path[best].tolist()
        if -negative_log > self._log_likelihood:
            self._log_likelihood = -negative_log
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
            covariance=self._covariance,
            inputs=self._inputs,
            center=self._center,
            scale=self._scale,
            hyperparameters=optimum,
            mean=mean,
            signal=signal,
            factor=factor,
            weights=weights,
            log_likelihood=self._log_likelihood,
            likelihood_evaluations=self._evaluations,
            half_evaluations=self._half_evaluations,
            jitters=self._jitters,
            searched_from=origin,
        )
