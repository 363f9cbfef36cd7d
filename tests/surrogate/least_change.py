"""Interpolation by a quadratic function, written again."""

import numpy as np
from scipy.linalg import null_space

from sacma.types import Array


def least_change(points: Array, values: Array, before: Array) -> tuple[float, Array, Array]:
    """Return c, g and H of the quadratic function through the values whose H is next to a given one.

    By an orthogonal basis of all symmetric matrices, and the least norm of a solution.
    """
    D = points.shape[1]
    basis = []
    for i in range(D):
        for j in range(i, D):
            matrix = np.zeros((D, D))
            matrix[i, j] = matrix[j, i] = 1.0 if i == j else np.sqrt(0.5)
            basis.append(matrix)
    curved = np.array([[0.5 * x @ matrix @ x for matrix in basis] for x in points])
    linear = np.hstack([np.ones((len(points), 1)), points])
    rest = values - np.array([0.5 * x @ before @ x for x in points])
    free = null_space(linear.T)  # combinations of the conditions without c and g
    change = np.linalg.pinv(free.T @ curved, rcond=1e-12) @ (free.T @ rest)
    (c, *g), *_ = np.linalg.lstsq(linear, rest - curved @ change, rcond=None)
    return c, np.array(g), before + np.tensordot(change, np.array(basis), 1)
