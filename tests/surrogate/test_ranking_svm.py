"""The ranking support vector machine: its dual, against SciPy; its order, which is all that it sees of values."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import kendalltau, spearmanr

from sacma.surrogate.dual import ascend
from sacma.surrogate.model import FitStatus
from sacma.surrogate.ranking_svm import Ranked, RankingParameters, RankingSVM, fit_ranking_svm
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

USUAL = RankingParameters(size=1000, log_cost=6.0, power=3.0, width=1.0)
RNG = np.random.default_rng(8)
INPUTS, NEW = RNG.normal(size=(60, 3)), RNG.normal(size=(40, 3))


def f(x: Array) -> Array:
    return np.asarray(np.sum(x**2 * [1.0, 4.0, 9.0], axis=-1))


def machine(values: Array, theta: RankingParameters = USUAL) -> RankingSVM:
    trained = fit_ranking_svm(TrainingSet(INPUTS, values, np.arange(len(values))), theta)
    assert isinstance(trained, RankingSVM)
    return trained


@pytest.mark.parametrize(("log_cost", "power"), [(0.0, 1.0), (-0.5, 3.0), (1.0, 0.0)])
def test_the_dual_is_solved(log_cost: float, power: float) -> None:
    """In many sweeps the objective is that of SciPy's search within bounds, and multipliers keep these."""
    points = RNG.normal(size=(13, 2))
    kernel = np.exp(-np.sum((points[:, None] - points) ** 2, axis=2))
    costs = RankingParameters(13, log_cost, power, 1.0).costs(12)
    np.testing.assert_allclose(costs, [10**log_cost * (12 - i) ** power for i in range(1, 13)])
    differences = np.eye(13)[:-1] - np.eye(13)[1:]
    Q = differences @ kernel @ differences.T

    def negative_dual(alpha: Array) -> tuple[float, Array]:
        return float(0.5 * alpha @ Q @ alpha - alpha.sum()), Q @ alpha - 1.0

    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    found = minimize(
        negative_dual, np.zeros(12), jac=True, bounds=[(0.0, c) for c in costs], method="L-BFGS-B", options=options
    )
    alpha = ascend(kernel, costs, 20_000)
    assert np.all((alpha >= 0.0) & (alpha <= costs))
    assert negative_dual(alpha)[0] == pytest.approx(found.fun, rel=1e-6)
    assert negative_dual(alpha)[0] <= found.fun + 1e-6 * abs(found.fun)


def test_points_in_the_same_place_have_no_multiplier() -> None:
    """Their constraint cannot be kept, whatever it costs; the others are as without it."""
    points = np.array([0.0, 0.5, 0.5, 2.0])
    kernel = np.exp(-((points[:, None] - points) ** 2))
    alpha = ascend(kernel, np.full(3, 1e3))
    assert alpha[1] == 0.0
    np.testing.assert_allclose(alpha[[0, 2]], ascend(kernel[np.ix_([0, 1, 3], [0, 1, 3])], np.full(2, 1e3)))


# Scores/10⁶ of the last points below, by the code of the authors of s*ACM-ES: its ascent begins at random.
PUBLISHED = [-29.17, -75.94, 55.92, -2.57, -11.13, -50.27, -99.52, -145.01, -1.92, -27.01, -72.56, -122.82, -158.94]


def test_scores_are_those_of_the_published_code() -> None:
    """After as many sweeps of the ascent, all of which do not solve the dual yet."""
    i = np.arange(249.0).reshape(83, 3)
    points = np.round(3.0 * np.sin(1.7 * i + 0.3 * i % 5.0), 2)
    values = np.sum(100.0 * (points[:, 1:] - points[:, :-1] ** 2) ** 2 + (1.0 - points[:, :-1]) ** 2, axis=1)
    trained = fit_ranking_svm(TrainingSet(points[:70], values[:70], np.arange(70)), USUAL)
    assert isinstance(trained, RankingSVM)
    np.testing.assert_allclose(trained.scores(points[70:]) / 1e6, PUBLISHED, atol=0.05 * np.ptp(PUBLISHED))


@pytest.mark.parametrize("width", [0.5, 1.0, 2.0])
def test_scores_are_those_of_the_multipliers(width: float) -> None:
    """The sum of α_i (K(x, x_i) − K(x, x_{i+1})), with a kernel as wide as points are apart on average."""
    trained = machine(f(INPUTS), replace(USUAL, width=width))
    order = np.argsort(f(INPUTS))
    apart = [np.linalg.norm(a - b) for i, a in enumerate(INPUTS) for b in INPUTS[:i]]
    kernel = np.exp(-np.sum((NEW[:, None] - INPUTS[order]) ** 2, axis=2) / (2.0 * (width * np.mean(apart)) ** 2))
    alpha = np.cumsum(trained.weights)[:-1]
    assert np.all(alpha >= -1e-6 * alpha.max())
    expected = np.sum(alpha * (kernel[:, :-1] - kernel[:, 1:]), axis=1)
    np.testing.assert_allclose(-trained.scores(NEW), expected, rtol=1e-6, atol=1e-6 * np.ptp(expected))


def test_it_orders_new_points() -> None:
    """As f does, nearly; predictions have the order of scores, and lie among the training values."""
    trained = machine(f(INPUTS))
    predicted = trained.predict(NEW)
    assert kendalltau(predicted, f(NEW)).statistic > 0.8
    assert spearmanr(predicted, trained.scores(NEW)).statistic == pytest.approx(1.0)
    known = trained.predict(INPUTS)
    np.testing.assert_allclose(np.sort(known), np.sort(f(INPUTS)))


def test_predictions_go_on_beyond_the_training_values() -> None:
    """With the mean slope of values by scores; between two of them, in proportion to the scores."""
    trained = replace(machine(f(INPUTS)), weights=np.random.default_rng(1).permutation(machine(f(INPUTS)).weights))
    known, scores = np.sort(trained.scores(INPUTS)), trained.scores(NEW)
    values, predicted = np.sort(f(INPUTS)), trained.predict(NEW)
    slope = np.ptp(values) / np.ptp(known)
    kinds = set()
    for score, found in zip(scores, predicted, strict=True):
        place = int(np.sum(known < score))
        kinds.add("below" if not place else "above" if place == 60 else "between")
        if not place:
            expected = values[0] - slope * (known[0] - score)
        elif place == 60:
            expected = values[-1] + slope * (score - known[-1])
        else:
            share = (score - known[place - 1]) / (known[place] - known[place - 1])
            expected = values[place - 1] + share * (values[place] - values[place - 1])
        assert found == pytest.approx(expected)
    assert len(kinds) > 1


@pytest.mark.parametrize("change", [np.exp, np.cbrt, lambda y: 1e6 * y - 3.0])
def test_increasing_functions_of_values_change_no_order(change: np.ufunc) -> None:
    """Scores are the same to the bit, and predictions are ranked among known values as before."""
    plain, other = machine(f(INPUTS)), machine(np.asarray(change(f(INPUTS))))
    np.testing.assert_array_equal(plain.scores(NEW), other.scores(NEW))
    first, second = (np.append(trained.predict(NEW), trained.values).argsort() for trained in (plain, other))
    np.testing.assert_array_equal(first, second)


def test_the_newest_points_are_used() -> None:
    """So many as the hyperparameters say; the same machine as of these alone."""
    few = RankingParameters(size=25.7, log_cost=2.0, power=1.0, width=0.7)
    values = f(INPUTS)
    alone = Ranked(TrainingSet(INPUTS[-25:], values[-25:])).machine(few)
    np.testing.assert_allclose(machine(values, few).predict(NEW), alone.predict(NEW), rtol=1e-9)
    assert len(alone.values) == 25


def test_the_variance_grows_away_from_the_points() -> None:
    """0 at a training point, nearly 1 far from all, and no covariance: criteria of points can use it."""
    points = np.vstack([INPUTS[:1], np.full((1, 3), 50.0)])
    posterior = machine(f(INPUTS)).posterior(points)
    np.testing.assert_allclose(posterior.covariance, [[0.0, 0.0], [0.0, 1.0]], atol=1e-12)
    values = posterior.mean * posterior.scale + posterior.center
    np.testing.assert_allclose(values, machine(f(INPUTS)).predict(points))


def test_points_without_an_order_are_not_trained_on() -> None:
    """Constant or infinite values, or a single point, give no machine; that of points in one place says nothing."""
    for values in (np.full(60, 2.0), np.array([*np.zeros(59), np.inf])):
        assert fit_ranking_svm(TrainingSet(INPUTS, values), USUAL) is FitStatus.CONSTANT_VALUES
    assert fit_ranking_svm(TrainingSet(INPUTS[:1], np.zeros(1)), USUAL) is FitStatus.TOO_FEW_POINTS
    same = fit_ranking_svm(TrainingSet(np.ones((5, 3)), np.arange(5.0)), USUAL)
    assert isinstance(same, RankingSVM)
    assert np.ptp(same.predict(NEW)) == 0.0
