"""Predictive log densities: how well a model foresaw values that were observed later."""

import numpy as np

from sacma.surrogate.base import Posterior
from sacma.types import Array

LEAST_VARIANCE = 1e-12
"""Of standardised values: below, the variance of a prediction is mostly rounding."""


def log_densities(posterior: Posterior, values: Array) -> Array:
    """Return the log density of each of ``values``, shape (n,), by itself, in the units of the posterior's warp.

    For that in the objective's units add ln w′.

    >>> standard_normal = Posterior(mean=np.zeros(1), covariance=np.eye(1), noise=0.0)
    >>> np.round(log_densities(standard_normal, np.array([0.0])), 6).tolist()
    [-0.918939]
    """
    variance = np.maximum(posterior.variance, 0.0) + posterior.noise + LEAST_VARIANCE
    squares = (posterior.standardised(values) - posterior.mean) ** 2 / variance
    return np.asarray(-0.5 * (squares + np.log(2.0 * np.pi * variance)) - np.log(posterior.scale))
