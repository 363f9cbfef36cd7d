"""The marginal likelihood of the Gaussian process, profiled down to two unknowns.

| symbol | here           | meaning                                                                     |
| ------ | -------------- | --------------------------------------------------------------------------- |
| y      | ``targets``    | standardised objective values, shape (n,)                                   |
| r      | ``distances``  | Euclidean distances of the whitened inputs, shape (n, n)                    |
| ℓ      | ``length``     | length scale                                                                |
| s_f²   | ``signal``     | signal variance                                                             |
| σ_n²   |                | noise variance                                                              |
| η      | ``ratio``      | noise ratio σ_n²/s_f²                                                       |
| β      | ``mean``       | constant mean                                                               |
| M      |                | Matérn-5/2 correlations, (1 + s + s²/3) exp(−s) with s = √5 r/ℓ             |
| A      |                | M + ηI = LLᵀ, so that the covariance of y is s_f² A                         |

The negative log likelihood is

    n/2 ln 2π + n/2 ln s_f² + ½ ln |A| + q/(2 s_f²),   q = (y − β)ᵀ A⁻¹ (y − β).

Given (ℓ, η) it is quadratic in β and convex in ln s_f², so that both minimisers have closed forms, and their
bounds are met exactly by clipping:

    β = 1ᵀA⁻¹y / 1ᵀA⁻¹1   (generalised least squares),      s_f² = q/n.

What remains is a function of (ln ℓ, ln η). At clipped or free optima of β and s_f² its gradient is the partial
gradient (envelope theorem), but where the bound on σ_n² = η s_f² holds s_f², which then moves with η.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.spatial.distance import pdist, squareform

from sacma.surrogate.whitening import Array

SQRT5 = float(np.sqrt(5.0))


@dataclass(frozen=True)
class HyperparameterBounds:
    """Bounds of the maximum-likelihood search, from the study's experiments.

    Args:
        log_length: of ln ℓ.
        log_signal: of ln s_f (the standard deviation).
        log_noise: of ln σ_n (the standard deviation).
        mean_ranges: β stays within this many ranges of the standardised targets around their median.
    """

    log_length: tuple[float, float] = (-2.0, 25.0)
    log_signal: tuple[float, float] = (-2.0, 25.0)
    log_noise: tuple[float, float] = (float(np.log(1e-6)), float(np.log(10.0)))
    mean_ranges: float = 2.0


BOUNDS = HyperparameterBounds()

SMALLEST_RATIO = 1e-14
"""Smallest η tried. Below, A is not positive definite in double precision for any but the smallest n."""

JITTERS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7)
"""What is added to the diagonal of A, in turn, until its Cholesky factorisation succeeds."""


def matern52(distances: Array, length: float) -> Array:
    """Return the Matérn-5/2 correlations (1 + s + s²/3) exp(−s), s = √5 r/ℓ, of ``distances`` r."""
    s = distances * (SQRT5 / length)
    return np.asarray((1.0 + s * (1.0 + s / 3.0)) * np.exp(-s))


@dataclass(frozen=True)
class LikelihoodPoint:
    """The profiled likelihood at one (ℓ, η), with all that a prediction from there needs.

    Args:
        negative_log: negative log marginal likelihood.
        length: ℓ.
        ratio: η, jitter included.
        mean: β.
        signal: s_f².
        factor: L, lower triangle, shape (n, n), Fortran order.
        weights: α = A⁻¹(y − β), shape (n,).
        jitters: how many jitters were tried in vain.
        gradient: by (ln ℓ, ln η), where it was asked for.
    """

    negative_log: float
    length: float
    ratio: float
    mean: float
    signal: float
    factor: Array
    weights: Array
    jitters: int
    gradient: Array | None


class ProfiledLikelihood:
    """The negative log marginal likelihood as a function of (ln ℓ, ln η).

    Args:
        inputs: whitened training inputs, shape (n, D).
        targets: standardised y, shape (n,).
        bounds: of the hyperparameters.
    """

    def __init__(self, inputs: Array, targets: Array, bounds: HyperparameterBounds = BOUNDS) -> None:
        self.targets = targets
        self.bounds = bounds
        self._distances = np.asfortranarray(squareform(pdist(inputs)))
        self._size = len(targets)
        self._right_sides = np.asfortranarray(np.column_stack([np.ones(self._size), targets]))
        slack = bounds.mean_ranges * float(np.ptp(targets))
        median = float(np.median(targets))
        self._mean_bounds = (median - slack, median + slack)
        self._signal_bounds = tuple(np.exp(2.0 * np.array(bounds.log_signal)))
        self._noise_bounds = tuple(np.exp(2.0 * np.array(bounds.log_noise)))

    @property
    def search_box(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Bounds of ln ℓ and of ln η that the bounds of ℓ, s_f and σ_n amount to."""
        smallest = max(SMALLEST_RATIO, self._noise_bounds[0] / self._signal_bounds[1])
        largest = self._noise_bounds[1] / self._signal_bounds[0]
        return self.bounds.log_length, (float(np.log(smallest)), float(np.log(largest)))

    def __call__(self, log_length: float, log_ratio: float, *, gradient: bool) -> LikelihoodPoint | None:
        """Evaluate the likelihood at (ln ℓ, ln η).

        Args:
            log_length: ln ℓ.
            log_ratio: ln η.
            gradient: whether the gradient is wanted: it triples the cost.

        Returns:
            The likelihood there, or None where A has no Cholesky factor with any jitter.
        """
        n = self._size
        length = float(np.exp(log_length))
        s = self._distances * (SQRT5 / length)
        decay = np.exp(-s)
        correlations = (1.0 + s * (1.0 + s / 3.0)) * decay
        wanted_ratio = float(np.exp(log_ratio))
        for tried, jitter in enumerate(JITTERS):  # noqa: B007 the count is used below
            ratio = wanted_ratio + jitter
            A = correlations.copy(order="F")
            A.flat[:: n + 1] += ratio
            factor, info = dpotrf(A, lower=1, clean=1, overwrite_a=1)
            if info == 0:
                break
        else:
            return None

        solved, _ = dpotrs(factor, self._right_sides, lower=1)
        ones_solved, targets_solved = solved[:, 0], solved[:, 1]
        mean = float(np.clip(targets_solved.sum() / ones_solved.sum(), *self._mean_bounds))
        weights = targets_solved - mean * ones_solved
        q = max(float(weights @ (self.targets - mean)), np.finfo(float).tiny)
        signal, moves_with_ratio = self._signal(q, ratio)
        negative_log = 0.5 * n * np.log(2.0 * np.pi * signal) + np.log(factor.diagonal()).sum() + 0.5 * q / signal
        if not np.isfinite(negative_log):
            return None

        slope = None
        if gradient:
            inverse, _ = dpotri(factor, lower=1)  # lower triangle of A⁻¹; zeros above
            by_log_length = s * s * (1.0 + s) * decay / 3.0  # dM/d ln ℓ, zero on the diagonal
            slope = np.empty(2)
            slope[0] = np.vdot(inverse, by_log_length) - 0.5 * (weights @ (by_log_length @ weights)) / signal
            slope[1] = 0.5 * wanted_ratio * (np.trace(inverse) - weights @ weights / signal)
            if moves_with_ratio:  # s_f² = const/η: d ln s_f²/d ln η = −1
                slope[1] -= 0.5 * (n - q / signal) * wanted_ratio / ratio
        return LikelihoodPoint(
            negative_log=float(negative_log),
            length=length,
            ratio=ratio,
            mean=mean,
            signal=signal,
            factor=factor,
            weights=weights,
            jitters=tried,
            gradient=slope,
        )

    def _signal(self, q: float, ratio: float) -> tuple[float, bool]:
        """Return the best admissible s_f², and whether it is held by a bound on σ_n² = η s_f²."""
        free = q / self._size
        lowest, highest = self._noise_bounds[0] / ratio, self._noise_bounds[1] / ratio
        held_by_noise = np.clip(free, lowest, highest)
        clipped = np.clip(held_by_noise, *self._signal_bounds)
        return float(clipped), bool(held_by_noise != free and clipped == held_by_noise)
