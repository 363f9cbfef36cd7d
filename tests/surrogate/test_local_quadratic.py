"""Local quadratic regression, against weighted least squares written out point by point."""

import numpy as np
import pytest

from sacma.surrogate.local_quadratic import LocalQuadratic, fit_local_quadratic, neighbours, quadratic_terms
from sacma.surrogate.model import FitStatus
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

RNG = np.random.default_rng(3)


def fitted(inputs: Array, values: Array) -> LocalQuadratic:
    model = fit_local_quadratic(TrainingSet(inputs, values))
    assert isinstance(model, LocalQuadratic)
    return model


def brute_force(query: Array, inputs: Array, values: Array) -> tuple[Array, float]:
    """Return the coefficients of the values in the estimate, shape (n,), and the mean square of residuals."""
    D = len(query)
    nearest = sorted(range(len(inputs)), key=lambda i: float(np.linalg.norm(inputs[i] - query)))
    nearest = nearest[: D * (D + 3) + 2]
    reach = np.linalg.norm(inputs[nearest[-1]] - query)
    rows, weights = [], []
    for i in nearest:
        x = inputs[i] - query
        rows.append([1.0, *x, *(x[a] * x[b] for a in range(D) for b in range(a, D))])
        weights.append((1.0 - (np.linalg.norm(x) / reach) ** 2) ** 2)
    Z, W, y = np.array(rows), np.diag(weights), values[nearest]
    normal = np.linalg.inv(Z.T @ W @ Z) @ Z.T @ W
    share = len(y) / (len(y) - Z.shape[1])
    square = float((y - Z @ (normal @ y)) @ W @ (y - Z @ (normal @ y)) / np.sum(weights) * share)
    coefficients = np.zeros(len(inputs))
    coefficients[nearest] = normal[0]
    return coefficients, square


@pytest.mark.parametrize("D", [1, 2, 4])
def test_estimates_and_their_covariance(D: int) -> None:
    """Both are those of weighted least squares, in the objective's units."""
    inputs, queries = RNG.normal(size=(300, D)), RNG.normal(size=(40, D))
    values = 1e3 + np.sum(np.sin(inputs) + inputs**2, axis=1)
    model = fitted(inputs, values)
    expected = [brute_force(query, inputs, values) for query in queries]
    weights = np.array([coefficients for coefficients, _ in expected])
    np.testing.assert_allclose(model.predict(queries), weights @ values, rtol=1e-9)
    posterior = model.posterior(queries)
    np.testing.assert_allclose(posterior.mean * posterior.scale + posterior.center, weights @ values, rtol=1e-9)
    deviations = np.sqrt([square for _, square in expected])
    covariance = (weights @ weights.T) * np.outer(deviations, deviations)
    np.testing.assert_allclose(posterior.covariance * posterior.scale**2, covariance, rtol=1e-6, atol=1e-12)
    assert posterior.noise * posterior.scale**2 == pytest.approx(np.mean(deviations**2))
    alone = model.posterior(queries, joint=False)
    np.testing.assert_allclose(alone.variance, posterior.variance, rtol=1e-12)


def test_a_quadratic_function_is_exact_from_as_many_points_as_it_has_coefficients() -> None:
    """And two more; one fewer is no model. Predictions are the same in any company."""
    D = 5
    H = RNG.normal(size=(D, D))
    inputs, queries = RNG.normal(size=(neighbours(D) // 2 + 2, D)), 3.0 * RNG.normal(size=(7, D))

    def f(x: Array) -> Array:
        return np.asarray(np.einsum("ij,jk,ik->i", x, H, x) + x @ H[0] - 4.0)

    model = fitted(inputs, f(inputs))
    np.testing.assert_allclose(model.predict(queries), f(queries), rtol=1e-6)
    alone = np.concatenate([model.predict(query[None]) for query in queries])
    np.testing.assert_array_equal(alone, model.predict(queries))
    for fewer in (1, 5, len(inputs) - 1):
        assert fit_local_quadratic(TrainingSet(inputs[:-fewer], f(inputs[:-fewer]))) is FitStatus.TOO_FEW_POINTS
    assert quadratic_terms(np.array([[2.0], [3.0]])).T.tolist() == [[4.0, 6.0, 9.0, 2.0, 3.0, 1.0]]


@pytest.mark.parametrize("values", [np.full(30, 3.0), np.array([*[3.0] * 29, np.inf])])
def test_values_without_a_scale_are_not_trained_on(values: Array) -> None:
    """Constant values, or ones that differ by more than a float holds, give no model."""
    assert fit_local_quadratic(TrainingSet(RNG.normal(size=(30, 2)), values)) is FitStatus.CONSTANT_VALUES


@pytest.mark.parametrize("factors", [(1.0, 0.0), (0.0, 0.0), (1.0, 1e-9)])
def test_degenerate_points(factors: tuple[float, float]) -> None:
    """Points on a line, all the same, or nearly on a line: predictions are finite and within the values."""
    inputs = RNG.normal(size=(40, 2)) * factors
    values = np.abs(inputs[:, 0]) + RNG.uniform(0.0, 1e-3, 40)
    model = fitted(inputs, values)
    predicted = model.predict(inputs[:5])
    assert np.all(np.isfinite(predicted))
    assert np.all(np.abs(predicted - values[:5]) <= np.ptp(values))
    assert np.isfinite(model.posterior(inputs[:5]).covariance).all()


def test_beside_a_line_of_points_values_are_averaged() -> None:
    """A constant is there no other function than the distance from the line: weights are those of the regression."""
    inputs, queries = RNG.normal(size=(30, 2)) * [1.0, 0.0], np.array([[0.3, 1.0], [-0.5, -2.0]])
    values = 5.0 + RNG.normal(size=30)
    model = fitted(inputs, values)
    distances = np.linalg.norm(queries[:, None] - inputs, axis=2)
    reach = np.sort(distances, axis=1)[:, [neighbours(2) - 1]]
    weights = np.where(distances < reach, 1.0 - (distances / reach) ** 2, 0.0) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict(queries), weights @ values)
    for query, shares in zip(queries, weights, strict=True):
        posterior = model.posterior(query[None])
        assert posterior.variance[0] == pytest.approx(posterior.noise * np.sum(shares**2))
        assert posterior.noise > 0.0
