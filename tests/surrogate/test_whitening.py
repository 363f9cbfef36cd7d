"""The whitened space."""

import numpy as np

from sacma.surrogate.whitening import Whitening


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
    """The inverse returns the points, and the log scale is the mean log of the stretches."""
    rng = np.random.default_rng(2)
    whitening = Whitening(rng.standard_normal(4), rng.standard_normal((4, 4)))
    X = rng.standard_normal((9, 4))
    np.testing.assert_allclose(whitening.inverse(whitening(X)), X, rtol=1e-9)
    assert Whitening(np.zeros(2), np.diag([2.0, 8.0])).log_scale == np.log(4.0)
