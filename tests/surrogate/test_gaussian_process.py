"""The Gaussian process against scikit-learn's, and what it survives."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from sacma.surrogate import gaussian_process
from sacma.surrogate.gaussian_process import (
    LOG_NOISE,
    LOG_SIGNAL,
    STARTS,
    GaussianProcess,
    Hyperparameters,
    Search,
    SearchedFrom,
    fit_gaussian_process,
    limits,
)
from sacma.surrogate.likelihood import maximise
from sacma.surrogate.model import FitStatus
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

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
    kernel = ConstantKernel(model.signal) * Matern(model.hyperparameters.length, nu=2.5)
    noise = model.hyperparameters.ratio * model.signal
    twin = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None)
    return twin.fit(training.inputs, standardised(training) - model.mean)


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
    expected = center + scale * (mean + model.mean)
    np.testing.assert_allclose(model.predict(Z), expected, rtol=1e-6, atol=1e-6 * scale)
    variance = model.posterior(Z, joint=False).variance
    np.testing.assert_allclose(variance, deviation**2, rtol=1e-6, atol=1e-6 * model.signal)


@pytest.mark.parametrize("f", [rosenbrock, rippled])
@pytest.mark.parametrize("D", [2, 5])
def test_likelihood_is_no_worse_than_scikit_learn_finds(D: int, f: object) -> None:
    """With the same bounds and a search of its own from ten starts, scikit-learn is at most 0.1 better."""
    training = data(D, 15 * D, f)
    model = fitted(training)
    low, high = np.exp(2 * np.array(LOG_SIGNAL)), np.exp(2 * np.array(LOG_NOISE))
    kernel = ConstantKernel(4.0, (low[0], 1e8)) * Matern(0.5, (np.exp(-2), 1e6), nu=2.5)
    kernel += WhiteKernel(1e-4, (high[0], high[1]))
    theirs = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=10, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it ends at its bounds
        theirs.fit(training.inputs, standardised(training) - model.mean)
    assert model.log_likelihood >= theirs.log_marginal_likelihood_value_ - 0.1


def test_constant_values_are_not_trained() -> None:
    """Constant y, zero y and y that differ by rounding only make no model."""
    X = np.random.default_rng(0).standard_normal((12, 2))
    hostile: list[Array] = [np.zeros(12), np.full(12, 7.0), 1.0 + 1e-16 * np.arange(12.0)]
    for values in hostile:
        assert fit_gaussian_process(TrainingSet(X, values), start=START) is FitStatus.CONSTANT_VALUES


def test_warm_start_ends_where_the_cold_one_does() -> None:
    """From the optimum of a similar set, the search finds as good an optimum with fewer evaluations."""
    first, second = data(5, 75, seed=1), data(5, 75, seed=2)
    cold = fitted(second)
    warm = fit_gaussian_process(second, start=START, warm=fitted(first).hyperparameters)
    assert isinstance(warm, GaussianProcess)
    assert warm.log_likelihood >= cold.log_likelihood - 0.1
    assert warm.costs["likelihood_evaluations"] < cold.costs["likelihood_evaluations"]  # type: ignore[operator]


def test_bounds_are_those_of_the_experiments() -> None:
    """β within two ranges of the median; σ_n² and s_f², ln ℓ, and ln η from 10⁻¹⁸ to the largest noise ratio."""
    expected = [-6.0, 10.0, 1e-12, 100.0, np.exp(-4.0), np.exp(50.0), -2.0, 25.0, np.log(1e-18), np.log(100.0) + 4.0]
    for targets in ([0.0, 1.0, 3.0, 4.0], [0.0, 2.0, 4.0]):
        np.testing.assert_allclose(limits(np.array(targets)), expected)
    np.testing.assert_allclose(limits(np.array([4.0, 1.0, 0.0]), mean_around_minimum=True)[:2], [-8.0, 8.0])


@pytest.mark.parametrize("n", [12, 40])
def test_a_model_explains_something_if_it_is_likelier_than_noise(n: int) -> None:
    """By one, in the logarithm; noise is a normal distribution with the variance of the targets."""
    search = Search.of(data(2, n))
    assert isinstance(search, Search)
    targets = standardised(data(2, n))
    noise = float(np.sum(norm.logpdf(targets, 0.0, np.std(targets))))
    for gain, explains in ((0.999, False), (1.001, True)):
        search.log_likelihood = noise + gain
        assert search.explains is explains


def test_a_search_returns_its_gain() -> None:
    """In log likelihood, over the best of its starts."""
    training, starts = data(3, 40), [START, Hyperparameters(2.0, 1e-4)]
    search = Search.of(training)
    assert isinstance(search, Search)
    gain = search.run(SearchedFrom.START, starts)
    alone = []
    for start in starts:
        here = Search.of(training)
        assert isinstance(here, Search)
        assert here.run(SearchedFrom.START, [start], 0) == 0.0
        assert here.evaluations == 1
        alone.append(here.log_likelihood)
    assert gain == pytest.approx(search.log_likelihood - max(alone))
    assert gain > 1.0


@pytest.mark.parametrize("D", [2, 6])
def test_several_starts_have_lengths_in_units_of_distances(D: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study's own, and six whose ℓ grow with √D; three searches begin from them, with a careful end."""
    given: list[tuple[Array, int, int, bool]] = []

    def watched(*arguments: Any) -> object:
        given.append(arguments[5:])
        return maximise(*arguments)

    monkeypatch.setattr(gaussian_process, "maximise", watched)
    fitted(data(D, 10 * D))
    ((starts, searches, most, careful),) = given
    np.testing.assert_allclose(starts[0], [np.log(0.5), np.log(2.5e-5)])
    np.testing.assert_allclose(starts[1:], [(length + 0.5 * np.log(D), ratio) for length, ratio in STARTS])
    assert (searches, most, careful) == (3, 40, True)


@pytest.mark.parametrize(("n", "halved"), [(199, False), (200, True)])
def test_from_two_hundred_points_on_searches_see_half_of_them(n: int, *, halved: bool) -> None:
    """Every other one, as their cost shows; the end is still an optimum on all."""
    model = fitted(data(14, n))
    assert (model.costs["half_evaluations"] != 0) is halved
    assert (model.costs["likelihood_evaluations"] < 40) is halved  # type: ignore[operator]
    assert model.log_likelihood > -0.5 * n * (np.log(2 * np.pi * (n - 1) / n) + 1) + 50  # that of noise


def test_values_one_rounding_apart_keep_their_differences() -> None:
    """On an offset of 1e9 values that differ in their last bits are the same data as their exact differences."""
    X = np.random.default_rng(3).standard_normal((30, 2))
    steps = np.round(np.sum(X**2, axis=1) * 100)
    near, exact = fitted(TrainingSet(X, 1e9 + steps * 2.0**-23)), fitted(TrainingSet(X, steps))
    assert near.log_likelihood == pytest.approx(exact.log_likelihood, abs=1e-9)
    np.testing.assert_allclose((near.predict(X) - 1e9) * 2.0**23, exact.predict(X), atol=1.0)


def test_a_prediction_beyond_the_floats_is_infinite() -> None:
    """And no warning: who asks sees that it is not finite."""
    model = replace(fitted(data(2, 20)), scale=1.7e308)
    predicted = model.predict(model.inputs)
    assert np.any(np.isinf(predicted))
    assert not np.any(np.isnan(predicted))
