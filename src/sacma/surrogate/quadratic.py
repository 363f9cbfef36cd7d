"""Quadratic functions, and their minimum within a ball and a box."""

import math
from dataclasses import dataclass

import numpy as np

from sacma.types import Array

HALVINGS = 60
"""Of the interval of the multiplier: to the accuracy of floating-point numbers."""

LARGE = 1e100
"""A coefficient, from which on a quadratic function is divided by it: the minimum stays where it is."""


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
