"""What all Gaussian processes have in common: densities, against SciPy and by integration, and gradients."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.model import Posterior, unit_of
from sacma.surrogate.processes import QuadraticProcess, WarpedProcess, fit_quadratic_process, fit_warped_process
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array
from tests.surrogate.differences import by_differences

START = Hyperparameters(0.5, 2.5e-5)
KINDS: Mapping[type, Callable[[TrainingSet], Any]] = {
    GaussianProcess: lambda training: fit_gaussian_process(training, start=START),
    WarpedProcess: lambda training: fit_warped_process(training, start=START),
    QuadraticProcess: lambda training: fit_quadratic_process(training, start=START),
}


def growing(X: Array) -> Array:
    return np.asarray(np.exp(np.sum(X**2, axis=1)) + np.sin(5 * X[:, 0]))


def test_it_is_a_normal_density_in_the_units_of_the_values() -> None:
    """Of each value by itself, whatever the covariances."""
    posterior = Posterior(np.array([0.5, -1.0]), np.array([[2.0, 1.9], [1.9, 3.0]]), 0.25, center=10.0, scale=4.0)
    values = np.array([9.0, 17.0])
    expected = norm.logpdf(values, 10.0 + 4.0 * posterior.mean, 4.0 * np.sqrt([2.25, 3.25]))
    np.testing.assert_allclose(posterior.log_densities(values), expected, rtol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_it_integrates_to_one(kind: type) -> None:
    """Over all values at a point, below and above the best known one, for each kind of model."""
    X = np.random.default_rng(5).uniform(-1.5, 1.5, (30, 2))
    model: Any = KINDS[kind](TrainingSet(X, growing(X)))
    assert type(model).__name__ == kind.__name__
    for at in (np.array([[0.1, -0.2]]), np.array([[1.4, 1.3]])):
        center = float(model.predict(at)[0])

        def density(value: float, at: Array = at) -> float:
            values = np.array([value])
            return float(np.exp(model.log_densities(at, values)[0])) / unit_of(values)

        spread = 1.0 / density(center)
        edges = [center + spread * reach for reach in (-20.0, -3.0, -1.0, 0.0, 1.0, 3.0, 10.0, 100.0, 2000.0)]
        mass = sum(quad(density, a, b, limit=500)[0] for a, b in pairwise(edges))
        assert mass == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_predictions(kind: type) -> None:
    """By central differences, between the training points and at one of them."""
    X = np.random.default_rng(5).uniform(-1.5, 1.5, (30, 2))
    model: Any = KINDS[kind](TrainingSet(X, growing(X)))
    for point in (np.array([0.1, -0.2]), np.array([1.9, -1.7]), X[3]):
        value, gradient = model.value_and_gradient(point)
        assert value == pytest.approx(model.predict(point[None])[0], rel=1e-10)
        _, expected = by_differences(model, point)
        np.testing.assert_allclose(gradient, expected, rtol=2e-4, atol=1e-4 * np.abs(expected).max())
