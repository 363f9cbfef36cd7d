"""Gradients of fitted models: their own, or by differences."""

from collections.abc import Callable

import numpy as np

from sacma.surrogate.base import Fitted, SmoothFit
from sacma.types import Array

STEP = float(np.finfo(float).eps ** (1 / 3))
"""Of central differences in the whitened space: one-sided ones are mostly rounding near the optimum."""


def slope_of(fitted: Fitted) -> Callable[[Array], tuple[float, Array]]:
    """Return a function of a whitened point, shape (D,), that gives the prediction and its gradient."""
    return fitted.value_and_gradient if isinstance(fitted, SmoothFit) else by_differences(fitted)


def by_differences(fitted: Fitted) -> Callable[[Array], tuple[float, Array]]:
    """Return a function of a point that gives the prediction and its gradient, by central differences."""

    def value_and_gradient(point: Array) -> tuple[float, Array]:
        D = len(point)
        shifts = STEP * np.eye(D)
        values = fitted.predict(np.vstack([point, point + shifts, point - shifts]))
        return float(values[0]), (values[1 : D + 1] - values[D + 1 :]) / (2.0 * STEP)

    return value_and_gradient
