"""A Gaussian process with constant mean and isotropic Matérn-5/2 covariance, fitted by maximum likelihood.

Inputs come whitened. Targets are standardised here. The two unknowns that profiling leaves (see
``likelihood``) are searched by L-BFGS-B from the most likely of a few starts: the last model's optimum, the
study's own start and a ladder of length scales. One start alone does not do: where no two points are within a
few ℓ of each other the likelihood is flat, and a search that starts there stays there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from sacma.surrogate.likelihood import LikelihoodPoint, ProfiledLikelihood, matern52
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array


class FitStatus(StrEnum):
    """How a training ended."""

    TRAINED = "trained"
    TOO_FEW_POINTS = "too few points"
    CONSTANT_VALUES = "constant values"
    NO_FACTOR = "no factor"
    CONSTANT_PREDICTION = "constant prediction"


@dataclass(frozen=True)
class Hyperparameters:
    """A start of the maximum-likelihood search: ℓ and the noise ratio η = σ_n²/s_f²."""

    length: float
    ratio: float


@dataclass(frozen=True)
class GaussianProcess:
    """A trained model; see ``fit_gaussian_process``.

    Args:
        inputs: whitened training inputs, shape (n, D).
        center: mean of the training values, subtracted from them.
        scale: sample standard deviation of the training values, divided by.
        optimum: likelihood, hyperparameters and factors at the optimum.
        likelihood_evaluations: what the search took.
    """

    inputs: Array
    center: float
    scale: float
    optimum: LikelihoodPoint
    likelihood_evaluations: int

    @property
    def hyperparameters(self) -> Hyperparameters:
        """The optimum, as a start for the next fit."""
        return Hyperparameters(length=self.optimum.length, ratio=self.optimum.ratio)

    @property
    def log_likelihood(self) -> float:
        """Log marginal likelihood of the standardised training values."""
        return -self.optimum.negative_log

    def predict(self, inputs: Array) -> Array:
        """Return the posterior mean at whitened ``inputs``, shape (n, D), in the objective's units."""
        correlations = matern52(cdist(inputs, self.inputs), self.optimum.length)
        standardised = self.optimum.mean + correlations @ self.optimum.weights
        with np.errstate(over="ignore"):
            return np.asarray(self.center + self.scale * standardised)

    def predict_variance(self, inputs: Array) -> Array:
        """Return the posterior variance of the noise-free function at whitened ``inputs``, shape (n,).

        s_f² (1 − mᵀA⁻¹m) in the objective's units squared, with m the correlations to the training inputs. What is
        too large for a float is given as the largest float.
        """
        correlations = matern52(cdist(inputs, self.inputs), self.optimum.length)
        solved, _ = dtrtrs(self.optimum.factor, correlations.T, lower=1)
        reduction = np.sum(solved**2, axis=0)
        with np.errstate(over="ignore"):
            variance = np.square(self.scale) * (self.optimum.signal * np.clip(1.0 - reduction, 0.0, None))
        return np.asarray(np.nan_to_num(variance))


def fit_gaussian_process(
    training: TrainingSet, *, start: Hyperparameters, warm: Hyperparameters | None = None
) -> GaussianProcess | FitStatus:
    """Fit a Gaussian process to ``training`` by maximum likelihood.

    Args:
        training: whitened inputs and objective values, n ≥ 2.
        start: the study's start of the search.
        warm: the last model's optimum, where there is one.

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
    targets = (scaled - center) / scale

    search = _Search(ProfiledLikelihood(training.inputs, targets))
    starts = [start, *_ladder(training.inputs.shape[1], start)]
    optimum = search.run([warm, *starts] if warm is not None else starts)
    if optimum is None:
        return FitStatus.NO_FACTOR
    return GaussianProcess(
        inputs=training.inputs,
        center=center * largest,
        scale=scale * largest,
        optimum=optimum,
        likelihood_evaluations=search.evaluations,
    )


def _ladder(dimension: int, start: Hyperparameters) -> list[Hyperparameters]:
    """Further starts: lengths around and beyond √D, the typical distance to m in whitened space, and mere noise.

    With little noise at the start, η hardly matters to the likelihood: its slope does not lead to much noise.
    """
    typical = float(np.sqrt(dimension))
    lengths = [Hyperparameters(length=factor * typical, ratio=start.ratio) for factor in (1.0, 5.0, 25.0)]
    return [*lengths, Hyperparameters(length=typical, ratio=1.0)]


class _Search:
    """Maximises the profiled likelihood and remembers the best point that it passed."""

    def __init__(self, likelihood: ProfiledLikelihood) -> None:
        self._likelihood = likelihood
        self._best: LikelihoodPoint | None = None
        self.evaluations = 0

    def run(self, starts: Sequence[Hyperparameters]) -> LikelihoodPoint | None:
        """Search from the most likely of ``starts`` for which A can be factorised."""
        box = np.array(self._likelihood.search_box)
        candidates: list[tuple[float, int, Array]] = []
        for start in starts:
            x = np.clip(np.log([start.length, start.ratio]), box[:, 0], box[:, 1])
            point = self._evaluate(x, gradient=False)
            if point is not None:
                candidates.append((point.negative_log, len(candidates), x))
        for _, _, x in sorted(candidates)[:1]:
            minimize(
                self._value_and_gradient,
                x,
                jac=True,
                method="L-BFGS-B",
                bounds=box,
                options={"ftol": 1e-6, "gtol": 1e-2, "maxiter": 40, "maxfun": 40},
            )
        return self._best

    def _evaluate(self, x: Array, *, gradient: bool) -> LikelihoodPoint | None:
        self.evaluations += 1
        point = self._likelihood(float(x[0]), float(x[1]), gradient=gradient)
        if point is not None and (self._best is None or point.negative_log < self._best.negative_log):
            self._best = point
        return point

    def _value_and_gradient(self, x: Array) -> tuple[float, Array]:
        point = self._evaluate(x, gradient=True)
        if point is None or point.gradient is None:
            return np.finfo(float).max, np.zeros(2)
        return point.negative_log, point.gradient
