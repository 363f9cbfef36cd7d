"""A Gaussian process with constant mean and isotropic Matérn-5/2 covariance, fitted by maximum likelihood.

Inputs come whitened. Targets are standardised here. The two unknowns that profiling leaves (see ``likelihood``) are
searched from the last model's optimum, where there is one and it still explains anything. Otherwise from several
starts: the study's own and a grid. The likelihood has many local maxima, and where no two points are within a
few ℓ of each other it is flat: one start alone gets stuck there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.spatial.distance import cdist

from sacma.surrogate.compiled import DPOTRF
from sacma.surrogate.likelihood import limits, maximise, posterior_mean
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array

GRID_LENGTHS = (1.0, 3.3, 11.0, 37.0)
"""ℓ of the grid of starts in units of √D, the typical distance to m in whitened space."""

GRID_RATIOS = (0.14, 3e-4, 1.5e-8, 2.5e-13)
"""η of the grid of starts: from much noise to hardly any."""

SEARCHES = 2
"""How many searches begin at the grid."""

COARSE = 50
"""Beyond twice as many points, the searches from the grid see about so many of them, and the best is refined on all."""

MOST_EVALUATIONS = 40
"""How many evaluations of the likelihood a search may take; it ends by itself after about ten."""

EXPLAINS = 1.0
"""A warm start must end this much above the log likelihood of mere noise; if not, the search begins at the grid."""


class FitStatus(StrEnum):
    """How a training ended."""

    TRAINED = "trained"
    TOO_FEW_POINTS = "too few points"
    CONSTANT_VALUES = "constant values"
    NO_FACTOR = "no factor"
    CONSTANT_PREDICTION = "constant prediction"


class SearchedFrom(StrEnum):
    """Where the search of the likelihood began."""

    WARM = "warm"
    START = "start"
    GRID = "grid"


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
    """A trained model; see ``fit_gaussian_process``.

    Args:
        inputs: whitened training inputs, shape (n, D).
        center: mean of the training values, subtracted from them.
        scale: sample standard deviation of the training values, divided by.
        hyperparameters: ℓ and η.
        mean: β of the standardised values.
        signal: s_f² of the standardised values.
        factor: L of A = M + ηI, lower triangle, shape (n, n); above it is something else.
        weights: α = A⁻¹(y − β), shape (n,).
        log_likelihood: log marginal likelihood of the standardised values.
        likelihood_evaluations: what the search took.
        coarse_evaluations: what it took on a part of the points.
        jitters: how often η of the starts had to be raised.
        searched_from: where the search began that found the optimum.
    """

    inputs: Array
    center: float
    scale: float
    hyperparameters: Hyperparameters
    mean: float
    signal: float
    factor: Array
    weights: Array
    log_likelihood: float
    likelihood_evaluations: int
    coarse_evaluations: int
    jitters: int
    searched_from: SearchedFrom

    def predict(self, inputs: Array) -> Array:
        """Return the posterior mean at whitened ``inputs``, shape (n, D), in the objective's units."""
        points = np.ascontiguousarray(inputs)
        standardised = posterior_mean(points, self.inputs, self.hyperparameters.length, self.mean, self.weights)
        return np.asarray(self.center + self.scale * standardised)

    def predict_variance(self, inputs: Array) -> Array:
        """Return the posterior variance of the noise-free function at whitened ``inputs``, shape (n,).

        s_f² (1 − mᵀA⁻¹m) in the objective's units squared, with m the correlations to the training inputs. What is
        too large for a float is given as the largest float.
        """
        s = cdist(inputs, self.inputs) * (np.sqrt(5.0) / self.hyperparameters.length)
        correlations = (1.0 + s * (1.0 + s / 3.0)) * np.exp(-s)
        solved, _ = dtrtrs(self.factor, correlations.T, lower=1)
        reduction = np.sum(solved**2, axis=0)
        with np.errstate(over="ignore"):
            variance = np.square(self.scale) * (self.signal * np.clip(1.0 - reduction, 0.0, None))
        return np.asarray(np.nan_to_num(variance))


def fit_gaussian_process(
    training: TrainingSet,
    *,
    start: Hyperparameters,
    warm: Hyperparameters | None = None,
    grid: bool = True,
    second_search_below: float = 0.0,
) -> GaussianProcess | FitStatus:
    """Fit a Gaussian process to ``training`` by maximum likelihood.

    Args:
        training: whitened inputs and objective values, n ≥ 2.
        start: the study's start of the search.
        warm: the last model's optimum, where there is one: searched from alone, unless it ends hardly above the
            likelihood of mere noise.
        grid: whether a search that is not warm begins at a grid of starts too, or at ``start`` alone.
        second_search_below: with ``start`` alone, the grid is searched as well where the log likelihood has
            grown by less than this.

    Returns:
        The model, or why there is none.
    """
    # Scaled first: the squares of values beyond 1e154 would overflow in the standard deviation.
    largest = float(np.max(np.abs(training.values)))
    if not np.isfinite(largest) or largest == 0.0:
        return FitStatus.CONSTANT_VALUES
    scaled = training.values / largest
    center, scale = float(np.mean(scaled)), float(np.std(scaled, ddof=1))
    if scale <= 4.0 * np.finfo(float).eps * float(np.max(np.abs(scaled))):
        return FitStatus.CONSTANT_VALUES
    search = _Search(np.ascontiguousarray(training.inputs), (scaled - center) / scale)
    if warm is not None:
        search.run(SearchedFrom.WARM, _logarithms([warm]))
    if not search.explains:
        if not grid:
            growth = search.run(SearchedFrom.START, _logarithms([start]))
        if grid or growth < second_search_below:
            search.run_from_grid(_starts(start, training.inputs.shape[1]))
    return search.model(center * largest, scale * largest)


def _logarithms(starts: Sequence[Hyperparameters]) -> Array:
    """Return (ln ℓ, ln η) of each start, shape (s, 2)."""
    return np.log([[start.length, start.ratio] for start in starts])


@lru_cache(maxsize=64)
def _starts(start: Hyperparameters, dimension: int) -> Array:
    """Return (ln ℓ, ln η) of the study's start and of the grid."""
    root = float(np.sqrt(dimension))
    grid = [Hyperparameters(factor * root, ratio) for factor in GRID_LENGTHS for ratio in GRID_RATIOS]
    return _logarithms([start, *grid])


class _Search:
    """Searches the likelihood of one training set, once or more often, and remembers the best."""

    def __init__(self, inputs: Array, targets: Array) -> None:
        self._inputs = inputs
        self._targets = targets
        self._limits = limits(targets)
        self._evaluations = 0
        self._coarse_evaluations = 0
        self._jitters = 0
        self._log_likelihood = -np.inf
        self._best: tuple[SearchedFrom, Hyperparameters, float, float, Array, Array] | None = None

    @property
    def explains(self) -> bool:
        """Whether the best is clearly above the likelihood of mere noise, y_i ~ N(0, s²)."""
        n = len(self._targets)
        noise = -0.5 * n * (math.log(2.0 * math.pi * (n - 1) / n) + 1.0)
        return bool(self._log_likelihood > noise + EXPLAINS)

    def run_from_grid(self, starts: Array) -> None:
        """Search from ``starts``: the grid on every k-th point only, where there are many, then on all points."""
        stride = max(1, len(self._targets) // COARSE)
        if stride == 1:
            self.run(SearchedFrom.GRID, starts, searches=SEARCHES)
            return
        inputs, targets = self._inputs[::stride].copy(), self._targets[::stride].copy()
        path, ends, *_ = maximise(DPOTRF, inputs, targets, self._limits, starts, SEARCHES, MOST_EVALUATIONS)
        self._coarse_evaluations += len(path)
        self.run(SearchedFrom.GRID, path[ends, :2] if len(ends) else starts)

    def run(self, origin: SearchedFrom, starts: Array, searches: int = 1) -> float:
        """Search from ``starts``; return by how much the log likelihood has grown over the best of them."""
        path, _, best, jitters, mean, signal, factor, weights = maximise(
            DPOTRF, self._inputs, self._targets, self._limits, starts, searches, MOST_EVALUATIONS
        )
        self._evaluations += len(path)
        self._jitters += jitters
        log_length, log_ratio, negative_log = path[best].tolist()
        if -negative_log > self._log_likelihood:
            self._log_likelihood = -negative_log
            n = len(self._targets)
            optimum = Hyperparameters(math.exp(log_length), math.exp(log_ratio))
            self._best = origin, optimum, mean, signal, factor[:n, :n].T, weights
        lowest = float(np.min(path[: len(starts), 2]))
        return lowest - negative_log if math.isfinite(lowest) else 0.0

    def model(self, center: float, scale: float) -> GaussianProcess | FitStatus:
        """Return the model at the best point that was found."""
        if self._best is None:
            return FitStatus.NO_FACTOR
        origin, optimum, mean, signal, factor, weights = self._best
        return GaussianProcess(
            inputs=self._inputs,
            center=center,
            scale=scale,
            hyperparameters=optimum,
            mean=mean,
            signal=signal,
            factor=factor,
            weights=weights,
            log_likelihood=self._log_likelihood,
            likelihood_evaluations=self._evaluations,
            coarse_evaluations=self._coarse_evaluations,
            jitters=self._jitters,
            searched_from=origin,
        )
