"""Models of f and of constraints as one of their merit."""

from typing import Any

import numpy as np
import pytest

from sacma.strategy.lagrangian import Lagrangian
from sacma.surrogate.combined import CombinedFit, CombinedModel, ConstantFit
from sacma.surrogate.model import slope_of
from sacma.surrogate.models import Competition, GaussianProcessModel, WarpedProcessModel
from sacma.surrogate.part import Context
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array
from tests.surrogate.differences import by_differences

RNG = np.random.default_rng(3)
WHITENING = Whitening(np.zeros(2), np.eye(2))
CONTEXT = Context(2, (np.zeros(2), np.ones(2)), np.random.default_rng(1))
X = RNG.normal(size=(30, 2))


def outcomes_of(points: Array) -> Array:
    x, y = points.T
    return np.column_stack([np.exp(x) + y**2, x + y - 0.5, np.full(len(x), -2.0)])


def combined(kind: GaussianProcessModel | WarpedProcessModel | Competition) -> tuple[CombinedModel, Lagrangian]:
    merit = Lagrangian(2, [False, False])
    merit.multipliers, merit.penalties = np.array([0.5, 0.1]), np.array([3.0, 0.01])
    return CombinedModel([kind.build(CONTEXT) for _ in range(3)], merit), merit


def fitted(kind: GaussianProcessModel | WarpedProcessModel | Competition) -> tuple[CombinedFit, Lagrangian]:
    model, merit = combined(kind)
    noise = 0.05 * np.random.default_rng(4).normal(size=(30, 3)) * [1.0, 1.0, 0.0]
    fit = model.fit(TrainingSet(X, outcomes_of(X) + noise), WHITENING)
    assert isinstance(fit, CombinedFit)
    model.keep(fit, WHITENING)
    return fit, merit


def test_predictions_are_the_merit_of_predictions() -> None:
    """Each outcome by its own model, a constant one without; also when the merit has changed since."""
    fit, merit = fitted(GaussianProcessModel())
    at = 0.5 * RNG.normal(size=(9, 2))
    np.testing.assert_allclose(fit.outcomes(at), outcomes_of(at), atol=0.3)
    assert isinstance(fit.parts[2], ConstantFit)
    np.testing.assert_array_equal(fit.predict(at), merit(fit.outcomes(at)))
    merit.multipliers = np.array([7.0, 0.0])
    np.testing.assert_array_equal(fit.predict(at), merit(fit.outcomes(at)))
    assert fit.search()["likelihood_evaluations"] > fit.parts[0].search()["likelihood_evaluations"]  # type: ignore[operator]


def test_gradients() -> None:
    """By the chain rule, as by differences."""
    for kind in (GaussianProcessModel(), WarpedProcessModel(), Competition()):
        fit, _ = fitted(kind)
        for point in 0.5 * RNG.normal(size=(5, 2)):
            value, gradient = slope_of(fit)(point)
            expected, differences = by_differences(fit, point)
            np.testing.assert_allclose(value, expected, rtol=1e-9)
            np.testing.assert_allclose(gradient, differences, rtol=1e-4, atol=1e-5)


def test_posteriors() -> None:
    """Variances of the outcomes add, each by the square of its slope; they are in units of the outcomes."""
    for kind in (GaussianProcessModel(), WarpedProcessModel()):
        fit, merit = fitted(kind)
        at = 2.0 * RNG.normal(size=(6, 2))
        deviations, slopes = fit.deviations(at), merit.slopes(fit.outcomes(at))
        assert np.all(deviations[:, 2] == 0.0)
        each = fit.posterior(at, joint=False)
        np.testing.assert_allclose(each.variance, np.sum((deviations * slopes) ** 2, axis=1), rtol=1e-6)
        np.testing.assert_array_equal(each.mean, fit.predict(at))
        joint = fit.posterior(at)
        np.testing.assert_allclose(np.diagonal(joint.covariance), each.variance, rtol=1e-6, atol=1e-12)
        assert np.linalg.eigvalsh(joint.covariance).min() > -1e-9
        low, high = fit.parts[0].posterior(at, joint=False), fit.outcomes(at)[:, 0]
        shifted = low.mean + 1e-3 * np.sqrt(low.variance)  # of the standardised value, by what the outcome then is
        outcome = high + 1e-3 * deviations[:, 0]
        np.testing.assert_allclose(low.standardised(outcome), shifted, rtol=1e-3, atol=1e-6)
        covariance, noise = np.zeros((6, 6)), 0.0
        for j, part in enumerate(fit.parts[:2]):  # the third has no variance
            standard = part.posterior(at)
            factor = slopes[:, j] * deviations[:, j] / np.sqrt(standard.variance)
            covariance += standard.covariance * np.outer(factor, factor)
            noise += standard.noise * float(np.mean(factor**2))
        np.testing.assert_allclose(joint.covariance, covariance, rtol=1e-6, atol=1e-9)
        assert each.noise == pytest.approx(noise)
        assert joint.noise == pytest.approx(noise)


class Searched:
    """A part of which only the cost is asked."""

    def __init__(self, **costs: int | str) -> None:
        self._costs = costs

    def search(self) -> dict[str, int | str]:
        """Return it."""
        return dict(self._costs)


def test_the_cost_is_that_of_all_searches() -> None:
    """Numbers are summed, where a part has any; texts are those of f."""
    parts: Any = [Searched(evaluations=1, searched_from="f"), Searched(), Searched(evaluations=4, searched_from="g")]
    assert CombinedFit(parts, Lagrangian(2, [False, False])).search() == {"evaluations": 5, "searched_from": "f"}
