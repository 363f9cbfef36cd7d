"""Interpolation by quadratic functions, through fewer points than such a function has coefficients.

M. J. D. Powell, *Least Frobenius norm updating of quadratic models that satisfy interpolation conditions*, Mathematical
Programming 100, 2004; and *The NEWUOA software for unconstrained optimization without derivatives*, 2006.
"""

from dataclasses import dataclass

import numpy as np

from sacma.surrogate.quadratic import Quadratic
from sacma.types import Array


@dataclass(frozen=True)
class Interpolation:
    """Quadratic functions of s = (x − centre)/unit by their values at n points.

    Of all functions through the values, each is the one whose second derivatives are least, in the Frobenius norm.
    """

    steps: Array  # s of the points, shape (n, D), n from D + 2 to (D + 1)(D + 2)/2
    inverse: Array  # of the matrix of the conditions of first order, shape (n + D + 1, n + D + 1)

    @classmethod
    def of(cls, steps: Array) -> "Interpolation":
        """Return the interpolation through points, shape (n, D)."""
        n, D = steps.shape
        matrix = np.zeros((n + D + 1, n + D + 1))
        matrix[:n, :n] = 0.5 * (steps @ steps.T) ** 2
        matrix[:n, n] = matrix[n, :n] = 1.0
        matrix[:n, n + 1 :] = steps
        matrix[n + 1 :, :n] = steps.T
        try:
            return cls(steps, np.linalg.inv(matrix))
        except np.linalg.LinAlgError:  # points in a plane, or twice the same
            return cls(steps, np.linalg.pinv(matrix))

    def through(self, values: Array, hessian: Array) -> Quadratic:
        """Return the function through ``values``, shape (n,), whose H changes a given one, shape (D, D), least."""
        D = self.steps.shape[1]
        curved = 0.5 * np.einsum("ij,jk,ik->i", self.steps, hessian, self.steps)
        found = self._from(self.inverse @ np.append(values - curved, np.zeros(D + 1)))
        return Quadratic(found.constant, found.gradient, found.hessian + hessian)

    def lagrange(self, number: int) -> Quadratic:
        """Return the function that is 1 at a point and 0 at all others."""
        return self._from(self.inverse[:, number])

    def weights(self, step: Array) -> Array:
        """Return the values of the Lagrange functions of all points at ``step``, shape (n,)."""
        conditions = np.concatenate([0.5 * (self.steps @ step) ** 2, [1.0], step])
        return np.asarray((self.inverse @ conditions)[: len(self.steps)])

    def _from(self, solution: Array) -> Quadratic:
        n = len(self.steps)
        hessian = (self.steps.T * solution[:n]) @ self.steps
        return Quadratic(float(solution[n]), solution[n + 1 :], hessian)
