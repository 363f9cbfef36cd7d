"""Kullback-Leibler error: the divergence of two updates, one ranked by the model and one by f."""

import math
from typing import Literal

import numpy as np

from sacma.strategy.cma_update import SearchDistribution, cma_update
from sacma.strategy.errors.base import JudgedPopulation, ModelError
from sacma.surrogate.part import Part


class KullbackLeibler(Part):
    """ε = ε_raw / (largest ε_raw so far), ε_raw = D_KL(update ranked by ŷ ‖ update ranked by y)."""

    name: Literal["kullback-leibler"] = "kullback-leibler"

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return RelativeDivergence()


class RelativeDivergence:
    """ε_raw in units of the largest one so far, which is kept over restarts like the smoothed error.

    ``exponent`` is that of σ in the covariance: 2; the published code has 1.
    """

    def __init__(self, exponent: float = 2.0) -> None:
        self._exponent = exponent
        self.largest = 0.0

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε, NaN where the divergence is not finite, and remember the largest divergence."""
        state = population.state()
        by_model = cma_update(state, population.points, population.predicted)
        by_truth = cma_update(state, population.points, population.values)
        divergence = kullback_leibler(by_model, by_truth, self._exponent)
        if not math.isfinite(divergence):
            return math.nan  # and no measure for later ones
        divergence = max(divergence, 0.0)  # rounding
        self.largest = max(self.largest, divergence)
        return divergence / self.largest if self.largest else 0.0


def kullback_leibler(p: SearchDistribution, q: SearchDistribution, exponent: float = 2.0) -> float:
    """D_KL(p ‖ q) of two normal distributions with covariances σ^exponent C.

    ½ (tr(Σ_q⁻¹Σ_p) + ln(|Σ_q|/|Σ_p|) + (m_q − m_p)ᵀ Σ_q⁻¹ (m_q − m_p) − D); a LinAlgError where a covariance is
    not positive definite.
    """
    from scipy.linalg import solve_triangular  # noqa: PLC0415 slow to import

    root_p = p.sigma ** (exponent / 2) * np.linalg.cholesky(p.C)
    root_q = q.sigma ** (exponent / 2) * np.linalg.cholesky(q.C)
    trace = np.sum(solve_triangular(root_q, root_p, lower=True) ** 2)
    shift = np.sum(solve_triangular(root_q, q.mean - p.mean, lower=True) ** 2)
    log_ratio = 2.0 * (np.sum(np.log(np.diag(root_q))) - np.sum(np.log(np.diag(root_p))))
    return float(0.5 * (trace + log_ratio + shift - len(p.mean)))
