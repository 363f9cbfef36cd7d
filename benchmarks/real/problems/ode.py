"""Solutions of ordinary differential equations for the fits."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy.integrate import ODEintWarning, odeint

from ..problem import Array

Rates = Callable[[Array, float], list[float]]


def solution(rates: Rates, initial: list[float], times: Array) -> Array:
    """Return the states at times, shape (times, states), by LSODA; an ArithmeticError where it gives up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ODEintWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # overflow on the way to giving up
        states, notes = odeint(rates, initial, times, rtol=1e-8, atol=1e-10, mxstep=2000, full_output=True)
    if notes["message"] != "Integration successful.":
        raise ArithmeticError("no solution")
    return np.asarray(states, dtype=float)
