"""The Gaussian process against scikit-learn's, and what it survives."""

import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from sacma.surrogate.gaussian_process import (
    FitStatus,
    GaussianProcess,
    Hyperparameters,
    fit_gaussian_process,
)
from sacma.surrogate.likelihood import BOUNDS, JITTERS, HyperparameterBounds, ProfiledLikelihood
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array

START = Hyperparameters(length=0.5, ratio=2.5e-5)


def rosenbrock(X: Array) -> Array:
    return np.asarray(np.sum(100 * (X[:, 1:] - X[:, :-1] ** 2) ** 2 + (1 - X[:, :-1]) ** 2, axis=1))


def rippled(X: Array) -> Array:
    return np.asarray(np.sum(X**2 + 3 * np.cos(4 * X), axis=1))


def data(D: int, n: int, f: object = rosenbrock, seed: int = 0) -> TrainingSet:
    X = np.random.default_rng(seed).standard_normal((n, D))
    assert callable(f)
    return TrainingSet(X, f(X))


def standardised(training: TrainingSet) -> Array:
    return np.asarray((training.values - training.values.mean()) / training.values.std(ddof=1))


def fitted(training: TrainingSet) -> GaussianProcess:
    model = fit_gaussian_process(training, start=START)
    assert isinstance(model, GaussianProcess)
    return model


def sklearn_twin(training: TrainingSet, model: GaussianProcess) -> GaussianProcessRegressor:
    """scikit-learn's process with the same, fixed hyperparameters, on standardised values less β."""
    o = model.optimum
    kernel = ConstantKernel(o.signal) * Matern(o.length, nu=2.5)
    twin = GaussianProcessRegressor(kernel, alpha=o.ratio * o.signal, optimizer=None)
    return twin.fit(training.inputs, standardised(training) - o.mean)


@pytest.mark.parametrize("f", [rosenbrock, rippled])
@pytest.mark.parametrize(("D", "n"), [(2, 6), (2, 30), (5, 75), (10, 150)])
def test_posterior_and_likelihood_are_those_of_scikit_learn(D: int, n: int, f: object) -> None:
    """Log marginal likelihood, posterior mean and variance agree to 1e-6 at our optimum."""
    training = data(D, n, f)
    model = fitted(training)
    twin = sklearn_twin(training, model)
    assert model.log_likelihood == pytest.approx(twin.log_marginal_likelihood_value_, rel=1e-6, abs=1e-6)

    Z = np.random.default_rng(9).standard_normal((40, D))
    mean, deviation = twin.predict(Z, return_std=True)
    scale, center = training.values.std(ddof=1), training.values.mean()
    expected = center + scale * (mean + model.optimum.mean)
    np.testing.assert_allclose(model.predict(Z), expected, rtol=1e-6, atol=1e-6 * scale)
    variance = model.predict_variance(Z) / scale**2
    np.testing.assert_allclose(variance, deviation**2, rtol=1e-6, atol=1e-6 * model.optimum.signal)


@pytest.mark.parametrize("f", [rosenbrock, rippled])
@pytest.mark.parametrize("D", [2, 5])
def test_likelihood_is_no_worse_than_scikit_learn_finds(D: int, f: object) -> None:
    """With the same bounds and a search of its own from ten starts, scikit-learn is at most 0.1 better."""
    training = data(D, 15 * D, f)
    model = fitted(training)
    low, high = np.exp(2 * np.array(BOUNDS.log_signal)), np.exp(2 * np.array(BOUNDS.log_noise))
    kernel = ConstantKernel(4.0, (low[0], 1e8)) * Matern(0.5, (np.exp(-2), 1e6), nu=2.5)
    kernel += WhiteKernel(1e-4, (high[0], high[1]))
    theirs = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=10, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it ends at its bounds
        theirs.fit(training.inputs, standardised(training) - model.optimum.mean)
    assert model.log_likelihood >= theirs.log_marginal_likelihood_value_ - 0.1


@pytest.mark.parametrize(("log_length", "log_ratio"), [(1.0, -8.0), (2.0, -3.0), (0.0, -14.0), (-1.0, 2.0), (1.5, 8.0)])
def test_gradient_is_that_of_the_function(log_length: float, log_ratio: float) -> None:
    """Analytic slopes agree with central differences, also where a bound holds s_f."""
    training = data(3, 40, rippled)
    likelihood = ProfiledLikelihood(training.inputs, standardised(training))

    def value(a: float, b: float) -> float:
        point = likelihood(a, b, gradient=False)
        assert point is not None
        return point.negative_log

    h = 1e-5
    numeric = [
        (value(log_length + h, log_ratio) - value(log_length - h, log_ratio)) / (2 * h),
        (value(log_length, log_ratio + h) - value(log_length, log_ratio - h)) / (2 * h),
    ]
    point = likelihood(log_length, log_ratio, gradient=True)
    assert point is not None
    assert point.gradient is not None
    np.testing.assert_allclose(point.gradient, numeric, rtol=1e-4, atol=1e-4)


def test_profiled_mean_and_signal_are_optimal() -> None:
    """No other β and s_f² within their bounds has a higher likelihood, by the dense formula."""
    training = data(2, 20, rippled)
    y = standardised(training)
    point = ProfiledLikelihood(training.inputs, y)(0.3, -5.0, gradient=False)
    assert point is not None
    A = point.factor @ point.factor.T

    def dense(mean: float, signal: float) -> float:
        K = signal * A
        residual = y - mean
        return float(
            0.5 * residual @ np.linalg.solve(K, residual)
            + 0.5 * np.linalg.slogdet(K)[1]
            + 0.5 * len(y) * np.log(2 * np.pi)
        )

    assert point.negative_log == pytest.approx(dense(point.mean, point.signal), rel=1e-10)
    for mean in point.mean + np.array([-0.1, 0.1]):
        assert dense(mean, point.signal) > point.negative_log
    for signal in point.signal * np.array([0.9, 1.1]):
        assert dense(point.mean, signal) > point.negative_log


def test_bounds_hold_and_are_met() -> None:
    """β stays within two ranges of the median, s_f² and σ_n² within their own bounds, at their edges where pressed."""
    bounds = HyperparameterBounds(log_signal=(-0.1, 0.1), log_noise=(np.log(1e-3), np.log(0.5)), mean_ranges=0.001)
    training = data(2, 30, rippled)
    y = standardised(training)
    likelihood = ProfiledLikelihood(training.inputs, y, bounds)
    slack = 0.001 * np.ptp(y)
    edges = set()
    for log_length in (-2.0, 0.0, 2.0, 6.0):
        for log_ratio in (-12.0, -5.0, -1.0):
            point = likelihood(log_length, log_ratio, gradient=False)
            assert point is not None
            assert abs(point.mean - np.median(y)) <= slack * (1 + 1e-12)
            assert np.exp(-0.2) * (1 - 1e-12) <= point.signal <= np.exp(0.2) * (1 + 1e-12)
            edges |= {np.isclose(abs(point.mean - np.median(y)), slack), np.isclose(np.log(point.signal), 0.2)}
    assert edges == {True, False}


def test_jitter_saves_a_singular_matrix() -> None:
    """Ten copies of each of three points with hardly any noise: A is singular but for a jitter, which is counted."""
    X = np.repeat(np.random.default_rng(0).standard_normal((3, 2)), 10, axis=0)
    y = np.random.default_rng(1).standard_normal(30)
    point = ProfiledLikelihood(X, y)(1.0, -39.0, gradient=True)
    assert point is not None
    assert point.jitters >= 1
    assert point.ratio >= JITTERS[1]


def test_interpolates_a_smooth_function() -> None:
    """On a noise-free smooth function, predictions rank unseen points almost as the function does."""
    model = fitted(data(5, 75, lambda X: np.sum(X**2, axis=1)))
    unseen = data(5, 200, lambda X: np.sum(X**2, axis=1), seed=7)
    assert np.corrcoef(model.predict(unseen.inputs), unseen.values)[0, 1] > 0.999


def test_constant_values_are_not_trained() -> None:
    """Constant y, zero y and y that differ by rounding only make no model."""
    X = np.random.default_rng(0).standard_normal((12, 2))
    hostile: list[Array] = [np.zeros(12), np.full(12, 7.0), 1.0 + 1e-16 * np.arange(12.0)]
    for values in hostile:
        assert fit_gaussian_process(TrainingSet(X, values), start=START) is FitStatus.CONSTANT_VALUES


def adversarial(rng: np.random.Generator) -> TrainingSet:
    """A training set such as an optimizer may leave behind."""
    D = int(rng.integers(1, 9))
    n = int(rng.integers(max(2, 3 * D), 6 * D + 2))
    X = rng.standard_normal((n, D)) * 10.0 ** rng.uniform(-3, 3)
    match rng.integers(6):
        case 0:  # near-duplicates
            X[1::2] = X[: 2 * (n // 2) : 2] + 10.0 ** rng.uniform(-14, -6) * rng.standard_normal((n // 2, D))
        case 1:  # collinear
            X = rng.standard_normal((n, 1)) * rng.standard_normal(D)
        case 2:  # badly scaled
            X = X * 10.0 ** rng.uniform(-7, 7, D)
    y = np.asarray(np.sum(X**2, axis=1), dtype=float)
    match rng.integers(6):
        case 0:  # twenty decades
            y = 10.0 ** rng.uniform(-10, 10, n) * rng.choice([-1, 1], n)
        case 1:  # one outlier
            y = y.copy()
            y[0] = 10.0 ** rng.uniform(10, 300)
        case 2:  # pure noise on a large offset
            y = 1e9 + rng.standard_normal(n) * 1e-6
    return TrainingSet(X, y)


def test_survives_adversarial_sets() -> None:
    """No exception, and no NaN or inf in a prediction, on 500 hostile training sets; most are trained."""
    rng = np.random.default_rng(20170922)
    trained = 0
    for _ in range(500):
        training = adversarial(rng)
        model = fit_gaussian_process(training, start=START)
        if isinstance(model, GaussianProcess):
            trained += 1
            inside = training.inputs[0] + 1e-3 * rng.standard_normal((5, training.inputs.shape[1]))
            assert np.all(np.isfinite(model.predict(np.vstack([training.inputs, inside]))))
            assert np.all(model.predict_variance(inside) >= 0.0)
            assert np.isfinite(model.log_likelihood)
    assert trained > 400


def test_warm_start_ends_where_the_cold_one_does() -> None:
    """From the optimum of a similar set, the search finds as good an optimum with fewer evaluations."""
    first, second = data(5, 75, seed=1), data(5, 75, seed=2)
    cold = fitted(second)
    warm = fit_gaussian_process(second, start=START, warm=fitted(first).hyperparameters)
    assert isinstance(warm, GaussianProcess)
    assert warm.log_likelihood >= cold.log_likelihood - 0.1
    assert warm.likelihood_evaluations < cold.likelihood_evaluations


def test_a_useless_warm_start_does_no_harm() -> None:
    """A warm start at the edge of the box, where the likelihood is flat, does not hold the search."""
    training = data(5, 75)
    cold = fitted(training)
    warm = fit_gaussian_process(training, start=START, warm=Hyperparameters(length=1e-9, ratio=1e9))
    assert isinstance(warm, GaussianProcess)
    assert warm.log_likelihood >= cold.log_likelihood - 0.1
