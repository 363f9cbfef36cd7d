"""Minima of quadratic functions in a ball and a box, against SciPy and against samples."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from sacma.surrogate.quadratic import Quadratic, minimum, minimum_in_ball
from sacma.types import Array

KINDS = ("convex", "indefinite", "linear", "singular")


def drawn(kind: str, D: int, rng: np.random.Generator) -> Quadratic:
    A = rng.standard_normal((D, D))
    hessian = {"convex": A @ A.T, "indefinite": A + A.T, "linear": 0.0 * A, "singular": np.outer(A[0], A[0])}[kind]
    return Quadratic(0.7, rng.standard_normal(D), hessian)


def in_ball(s: Array, radius: float) -> Array:
    return s * min(1.0, radius / max(float(np.linalg.norm(s)), 1e-300))


def test_values() -> None:
    """C + gᵀs + ½ sᵀHs, and its negative."""
    q = Quadratic(1.0, np.array([2.0, 0.0]), np.array([[2.0, 1.0], [1.0, 4.0]]))
    assert q(np.array([1.0, 2.0])) == 1.0 + 2.0 + 0.5 * (2.0 + 4.0 + 16.0)
    assert (-q)(np.array([1.0, 2.0])) == -q(np.array([1.0, 2.0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("D", [1, 2, 7])
def test_in_a_ball(kind: str, D: int) -> None:
    """As low as the best of many searches of SciPy, and in the ball."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q, radius = drawn(kind, D, rng), float(rng.choice([0.1, 1.0, 10.0]))
        s = minimum_in_ball(q.gradient, q.hessian, radius)
        assert np.linalg.norm(s) <= radius * (1 + 1e-9)
        starts = rng.standard_normal((4, D)) * radius
        best = min(q(in_ball(minimize(lambda s: q(in_ball(s, radius)), x).x, radius)) for x in starts)  # noqa: B023 used at once
        assert q(s) <= best + 1e-6 * (1 + abs(best))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e99, 1e200, 1e300])
def test_the_minimum_does_not_depend_on_the_unit_of_values(kind: str, scale: float) -> None:
    """Coefficients may be as large as floats are."""
    q = drawn(kind, 4, np.random.default_rng(3))
    for radius in (0.1, 10.0):
        expected = minimum_in_ball(q.gradient, q.hessian, radius)
        found = minimum_in_ball(scale * q.gradient, scale * q.hessian, radius)
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * radius)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("D", [2, 5])
def test_coordinates_are_fixed_one_by_one(kind: str, D: int) -> None:
    """The one farthest beyond its bound, there; the others are solved for in what is left of the ball."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        q, lower, upper = drawn(kind, D, rng), -rng.uniform(0, 0.6, D), rng.uniform(0, 0.6, D)
        s, free = np.zeros(D), list(range(D))
        while free and (left := 1.0 - float(s @ s)) > 0.0:
            slope = (q.gradient + q.hessian @ s)[free]
            found = minimum_in_ball(slope, q.hessian[np.ix_(free, free)], math.sqrt(left))
            beyond = [max(lower[i] - x, x - upper[i]) for i, x in zip(free, found, strict=True)]
            if max(beyond) <= 0.0:
                s[free] = found
                break
            place = free.pop(int(np.argmax(beyond)))
            s[place] = lower[place] if found[int(np.argmax(beyond))] < lower[place] else upper[place]
        if np.linalg.norm(s) > 1.0:
            s /= np.linalg.norm(s)
        np.testing.assert_allclose(minimum(q, 1.0, lower, upper), s, atol=1e-9)


def test_the_hard_case() -> None:
    """The slope has no part along the direction of negative curvature: the step goes there all the same."""
    q = Quadratic(0.0, np.array([0.0, 1.0]), np.diag([-1.0, 2.0]))
    s = minimum_in_ball(q.gradient, q.hessian, 2.0)
    assert np.linalg.norm(s) == pytest.approx(2.0)
    assert s[1] == pytest.approx(-1.0 / 3.0, rel=1e-6)  # (2 + μ) s₂ = −1 with μ = 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("D", [1, 3, 8])
def test_in_a_ball_and_a_box(kind: str, D: int) -> None:
    """Within both, and where q is convex nearly as low as SciPy's bounded search; never above its value at 0."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        q = drawn(kind, D, rng)
        lower, upper = -rng.uniform(0, 0.5, D), rng.uniform(0, 0.5, D)
        s = minimum(q, 1.0, lower, upper)
        assert np.all(lower <= s)
        assert np.all(s <= upper)
        assert np.linalg.norm(s) <= 1 + 1e-9
        assert q(s) <= q(np.zeros(D)) + 1e-9
        if kind == "convex" and np.linalg.norm(np.maximum(-lower, upper)) < 1:
            best = minimize(q, np.zeros(D), bounds=list(zip(lower, upper, strict=True))).fun
            assert q(s) - best <= 0.2 * (q(np.zeros(D)) - best) + 1e-9
