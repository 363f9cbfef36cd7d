"""The Gaussian process with a quadratic trend against scikit-learn's, and what it is for."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Exponentiation, Matern

from sacma.surrogate.gaussian_process import Hyperparameters
from sacma.surrogate.model import FitStatus
from sacma.surrogate.processes import FIRST_LEVELS, WEIGHTS, QuadraticProcess, fit_quadratic_process
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

START = Hyperparameters(0.5, 2.5e-5)


def fitted(X: Array, y: Array) -> QuadraticProcess:
    model = fit_quadratic_process(TrainingSet(X, y), start=START)
    assert isinstance(model, QuadraticProcess)
    return model


def bent(X: Array) -> Array:
    """A quadratic function, with ripples."""
    scales = np.geomspace(1.0, 30.0, X.shape[1])
    return np.asarray(np.sum(scales * (X - 0.3) ** 2, axis=1) + X[:, 0] * X[:, 1] + 0.5 * np.sin(4.0 * X[:, 0]))


@pytest.mark.parametrize("D", [2, 5])
def test_it_is_scikit_learns_with_the_same_kernel(D: int) -> None:
    """Likelihood, predictions and joint posterior; (1 + zᵀz′/q)²/4 is its DotProduct, squared."""
    rng = np.random.default_rng(D)
    X, Z = rng.standard_normal((20 * D, D)), 2.0 * rng.standard_normal((7, D))
    model = fitted(X, bent(X))
    p, q = model.process, model.norm
    assert q == pytest.approx(np.mean(np.sum(X**2, axis=1)))
    trend = ConstantKernel(model.weight / (4.0 * q**2)) * Exponentiation(DotProduct(np.sqrt(q)), 2)
    kernel = ConstantKernel(p.signal) * Matern(p.hyperparameters.length, nu=2.5) + ConstantKernel(p.signal) * trend
    other = GaussianProcessRegressor(kernel, alpha=p.signal * p.hyperparameters.ratio, optimizer=None)
    other.fit(X, (bent(X) - p.center) / p.scale - p.mean)
    assert p.log_likelihood == pytest.approx(other.log_marginal_likelihood_value_, abs=1e-6)
    mean, covariance = other.predict(Z, return_cov=True)
    posterior = model.posterior(Z)
    np.testing.assert_allclose(posterior.mean, mean + p.mean, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(posterior.covariance, covariance, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.posterior(Z, joint=False).covariance, posterior.variance, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.predict(Z), p.center + p.scale * (mean + p.mean), rtol=1e-7)


def test_weights_are_powers_of_three() -> None:
    """Around 1; without an earlier model the search tries about 0.01, 1 and 100."""
    np.testing.assert_allclose(np.log(WEIGHTS) / np.log(3.0), np.arange(-12, 13), atol=1e-12)
    np.testing.assert_allclose(np.log10([WEIGHTS[level] for level in FIRST_LEVELS]), [-2, 0, 2], atol=0.1)


def test_a_quadratic_function_is_known_far_away() -> None:
    """From as many points as it has coefficients, and a few more; a stationary process returns to its mean."""
    rng, D = np.random.default_rng(1), 4
    root = rng.standard_normal((D, D))
    X, far = rng.standard_normal((25, D)), 8.0 * rng.standard_normal((10, D))

    def f(points: Array) -> Array:
        return np.asarray(3.0 + points @ np.arange(D) + np.sum((points @ root) ** 2, axis=1))

    np.testing.assert_allclose(fitted(X, f(X)).predict(far), f(far), rtol=1e-2)


def test_reasons_for_having_none() -> None:
    """Constant values, and inputs that are all m."""
    X = np.random.default_rng(0).standard_normal((10, 2))
    for inputs, values in ((X, np.full(10, 3.0)), (np.zeros((10, 2)), np.arange(10.0))):
        found = fit_quadratic_process(TrainingSet(inputs, values), start=START)
        assert found is FitStatus.CONSTANT_VALUES
