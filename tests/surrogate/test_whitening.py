"""The whitened space."""

import numpy as np
import pytest

from sacma.surrogate.training_set import Whitening
from tests.cells import Cells


def test_distances_are_the_dense_formula() -> None:
    """√((x − m)ᵀ Σ⁻¹ (x − m)) for a root of Σ⁻¹ of any kind."""
    rng = np.random.default_rng(1)
    A = rng.standard_normal((4, 4))
    covariance = A @ A.T + np.eye(4)
    m, X = rng.standard_normal(4), rng.standard_normal((9, 4))
    whitening = Whitening(m, np.linalg.inv(np.linalg.cholesky(covariance)))
    dense = [np.sqrt((x - m) @ np.linalg.solve(covariance, x - m)) for x in X]
    np.testing.assert_allclose(whitening.distances(X), dense, rtol=1e-12)


def test_there_and_back() -> None:
    """The inverse returns the points, and the log stretch is the mean log of the stretches, in any unit to the bit."""
    rng = np.random.default_rng(2)
    whitening = Whitening(rng.standard_normal(4), rng.standard_normal((4, 4)))
    X = rng.standard_normal((9, 4))
    np.testing.assert_allclose(whitening.inverse(whitening(X)), X, rtol=1e-9)
    other, unit = Whitening(np.zeros(4), np.diag([2.0, 8.0, 1.0, 1.0])), 2.0**-37
    stretch = whitening.log_stretch(other)
    assert stretch == pytest.approx(np.log(abs(np.linalg.det(whitening.to_white)) / 16.0) / 4.0, rel=1e-12)
    there, here = (Whitening(each.mean, unit * each.to_white) for each in (other, whitening))
    assert here.log_stretch(there) == stretch


def test_all_points_of_a_cell_are_one() -> None:
    """Those with the same continuous coordinates; others keep their differences."""
    whitening = Whitening(np.array([0.1, 0.2]), np.diag([2.0, 4.0]), Cells(0.5))
    X = np.array([[0.05, 0.3], [0.45, 0.3], [0.55, 0.3], [0.05, 0.4]])
    np.testing.assert_allclose(whitening(X), [[0.3, 0.4], [0.3, 0.4], [1.3, 0.4], [0.3, 0.8]])
    np.testing.assert_allclose(whitening.distances(X)[:2], 0.5)
