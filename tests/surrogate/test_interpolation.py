"""Interpolation by quadratic functions, against least squares on their coefficients."""

import numpy as np
import pytest

from sacma.surrogate.quadratic import Interpolation
from tests.surrogate.least_change import least_change


@pytest.mark.parametrize(("D", "n"), [(1, 3), (2, 4), (2, 5), (3, 7), (5, 11), (4, 15)])
def test_the_function_with_the_least_second_derivatives(D: int, n: int) -> None:
    """Through all values; with as many points as coefficients the only one."""
    rng = np.random.default_rng(n)
    points, values = rng.standard_normal((n, D)), rng.standard_normal(n)
    q = Interpolation.of(points).through(values, np.zeros((D, D)))
    np.testing.assert_allclose([q(s) for s in points], values, rtol=1e-6, atol=1e-7)
    c, g, H = least_change(points, values, np.zeros((D, D)))
    for s in rng.standard_normal((20, D)):
        assert q(s) == pytest.approx(c + g @ s + 0.5 * s @ H @ s, rel=1e-5, abs=1e-6)


def test_the_change_of_the_second_derivatives_is_least() -> None:
    """With a Hessian of before: a quadratic function that has it is found from 2D + 1 of its values."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((4, 4))
    H, g = A + A.T, rng.standard_normal(4)
    points = rng.standard_normal((9, 4))
    values = 2.0 + points @ g + 0.5 * np.einsum("ij,jk,ik->i", points, H, points)
    q = Interpolation.of(points).through(values, H)
    np.testing.assert_allclose(q.hessian, H, atol=1e-8)
    np.testing.assert_allclose(q.gradient, g, atol=1e-8)
    assert q.constant == pytest.approx(2.0)


def test_lagrange_functions() -> None:
    """1 at one point and 0 at the others; their values at a step give that of any interpolation."""
    rng = np.random.default_rng(4)
    points, values, step = rng.standard_normal((7, 3)), rng.standard_normal(7), rng.standard_normal(3)
    interpolation = Interpolation.of(points)
    for k in range(7):
        np.testing.assert_allclose([interpolation.lagrange(k)(s) for s in points], np.eye(7)[k], atol=1e-8)
    weights = interpolation.weights(step)
    np.testing.assert_allclose(weights, [interpolation.lagrange(k)(step) for k in range(7)], atol=1e-8)
    assert weights @ values == pytest.approx(interpolation.through(values, np.zeros((3, 3)))(step))


def test_points_that_determine_no_function() -> None:
    """Twice the same, or all in a line: the values are met as far as they can be."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [3.0, 0.0]])
    q = Interpolation.of(points).through(np.array([0.0, 1.0, 4.0, 9.0, 9.0]), np.zeros((2, 2)))
    assert np.all(np.isfinite(q.hessian))
    assert q(np.array([3.0, 0.0])) == pytest.approx(9.0, abs=0.5)
