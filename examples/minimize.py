"""Minimise an expensive function within bounds, and print the result."""

import numpy as np

import sacma


def expensive(x: np.ndarray) -> float:
    """Rosenbrock's function stands in for a simulation of minutes."""
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


result = sacma.minimize(
    expensive,
    x0=[-1.0, 0.0, 1.0, 0.5],  # a first guess
    sigma0=1.0,  # about a third of the range where the optimum is expected
    bounds=(-3, 3),  # of all coordinates; or a pair each
    budget=1000,  # evaluations at most; the default, 250 a dimension
    target=1e-6,  # stop at this value
    seed=1,  # gives the same run again
)
print(result.message)
print(
    "found", result.fun, "at", result.x, "with", result.nfev, "evaluations and", result.model_generations, "of a model"
)
