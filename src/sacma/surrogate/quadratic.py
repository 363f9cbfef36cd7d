"""Quadratic functions: their minimum within a ball and a box, and interpolation by them.

M. J. D. Powell, *Least Frobenius norm updating of quadratic models that satisfy interpolation conditions*, Mathematical
Programming 100, 2004; and *The NEWUOA software for unconstrained optimization without derivatives*, 2006.
"""

import math
from dataclasses import dataclass

import numpy as np

from sacma.types import Array

HALVINGS = 60  # of the interval of the multiplier: to the accuracy of floating-point numbers
LARGE = 1e100  # a coefficient, from which on a quadratic function is divided by it: the minimum stays where it is


@dataclass(frozen=True)
class Quadratic:
    """q(s) = c + gᵀs + ½ sᵀHs."""

    constant: float  # c
    gradient: Array  # g, shape (D,)
    hessian: Array  # H, shape (D, D)

    def __call__(self, step: Array) -> float:
        """Return q at ``step``, shape (D,)."""
        return float(self.constant + self.gradient @ step + 0.5 * step @ self.hessian @ step)

    def __neg__(self) -> "Quadratic":
        """Return −q."""
        return Quadratic(-self.constant, -self.gradient, -self.hessian)


def minimum(quadratic: Quadratic, radius: float, lower: Array, upper: Array) -> Array:
    """Return a step s, shape (D,), with |s| ≤ radius and lower ≤ s ≤ upper at which q is low.

    Without the bounds, which hold 0, it is the minimum. Where the minimum breaks bounds, the coordinate that is
    farthest beyond is fixed at its bound, and the others are solved for again.
    """
    g, H = quadratic.gradient, quadratic.hessian
    s, free = np.zeros(len(g)), np.ones(len(g), dtype=bool)
    while free.any():
        fixed = ~free
        left = radius**2 - float(s[fixed] @ s[fixed])
        if left <= 0.0:
            break
        slope = g[free] + H[np.ix_(free, fixed)] @ s[fixed]
        found = minimum_in_ball(slope, H[np.ix_(free, free)], math.sqrt(left))
        beyond = np.maximum(lower[free] - found, found - upper[free])
        worst = int(np.argmax(beyond))
        if beyond[worst] <= 0.0:
            s[free] = found
            break
        place = np.flatnonzero(free)[worst]
        s[place] = np.clip(found[worst], lower[place], upper[place])
        free[place] = False
    length = float(np.linalg.norm(s))
    return np.clip(s * (radius / length) if length > radius else s, lower, upper)


def minimum_in_ball(gradient: Array, hessian: Array, radius: float) -> Array:
    """Return the s with |s| ≤ radius, shape (D,), that minimises gᵀs + ½ sᵀHs.

    s = −(H + μI)⁻¹g with the least μ ≥ 0 for which H + μI has no negative eigenvalue and |s| ≤ radius (Moré and
    Sorensen, *Computing a trust region step*, 1983); where that s is shorter and H has a negative eigenvalue, its
    eigenvector leads on to the boundary.
    """
    largest = max(float(np.abs(gradient).max()), float(np.abs(hessian).max()))
    if largest > LARGE:  # whose squares are too large for a float
        gradient, hessian = gradient / largest, hessian / largest
    w, V = np.linalg.eigh(hessian)
    a = V.T @ gradient
    tiny = 1e-12 * max(1.0, float(np.abs(w).max()))
    if w[0] > tiny:
        s = -V @ (a / w)
        if np.linalg.norm(s) <= radius:
            return np.asarray(s)
    low = max(0.0, -float(w[0])) + tiny
    if np.linalg.norm(a / (w + low)) < radius:
        return _led_on(-V @ (a / (w + low)), V[:, 0], radius)
    high = low + float(np.linalg.norm(a)) / radius
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        if np.linalg.norm(a / (w + middle)) > radius:
            low = middle
        else:
            high = middle
    return np.asarray(-V @ (a / (w + high)))


def _led_on(start: Array, direction: Array, radius: float) -> Array:
    """Return the point on the boundary from ``start`` in a direction of length 1."""
    along = float(start @ direction)
    return start + (math.sqrt(max(along**2 + radius**2 - float(start @ start), 0.0)) - along) * direction


@dataclass(frozen=True)
class Interpolation:
    """Quadratic functions of s = (x − centre)/unit by their values at n points, fewer than they have coefficients.

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
