"""The dual of a ranking support vector machine with a constraint for each two neighbours, and its compiled solution."""

import numpy as np

from sacma.surrogate.compiled import compiled
from sacma.types import Array

# Of the ascent over all multipliers, and their share of C_i before it.
#
# Far from the solution yet, these multipliers rank new points at least as well as it does, and better than those that
# an ascent from 0 reaches in as many sweeps.
SWEEPS, FIRST = 1000, 0.975


@compiled
def ascend(kernel: Array, costs: Array, sweeps: int = SWEEPS) -> Array:
    """Return α, shape (n − 1,), that maximises Σ α_i − ½ Σ α_i α_j Q_ij within 0 ≤ α_i ≤ C_i.

    Q_ij = K(x_i − x_{i+1}, x_j − x_{j+1}), by the kernel's linearity, in single precision: with many points a sweep
    takes as long as reading Q. One coordinate after the other moves to its optimum, until they hardly move or for so
    many sweeps.
    """
    m = len(costs)
    Q = np.empty((m, m), np.float32)
    for i in range(m):
        for j in range(m):
            Q[i, j] = kernel[i, j] - kernel[i, j + 1] - kernel[i + 1, j] + kernel[i + 1, j + 1]
    alpha = np.where(np.diag(Q) > 0.0, FIRST * costs, 0.0)  # 0: of points in the same place
    slope = np.array([1.0 - (row * alpha).sum() for row in Q])
    for _ in range(sweeps):
        moved = False
        for i in range(m):
            if Q[i, i] <= 0.0:
                continue
            step = min(max(alpha[i] + slope[i] / Q[i, i], 0.0), costs[i]) - alpha[i]
            if abs(step) > 1e-12 * (1.0 + alpha[i]):
                moved = True
                alpha[i] += step
                for j in range(m):
                    slope[j] -= step * Q[i, j]
        if not moved:
            break
    return alpha
