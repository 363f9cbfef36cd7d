"""The random forest: scikit-learn's, in the objective's units."""

import numpy as np
import pytest

from sacma.surrogate.model import FitStatus
from sacma.surrogate.models import RandomForest, RandomForestModel, fit_random_forest
from sacma.surrogate.part import Context
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

INPUTS = np.random.default_rng(0).standard_normal((60, 3))
NEW = np.random.default_rng(1).standard_normal((20, 3))


def grown(values: Array, **how: int) -> RandomForest:
    forest = fit_random_forest(TrainingSet(INPUTS, values), **{"trees": 20, "seed": 3, **how})
    assert isinstance(forest, RandomForest)
    return forest


def test_predictions_are_the_mean_of_the_trees_in_the_units_of_the_values() -> None:
    """A forest's prediction is what its trees say on average, and scales with the values."""
    values = np.sum(INPUTS**2, axis=1)
    forest = grown(values)
    trees = np.mean([tree.predict(NEW) for tree in forest.forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.predict(NEW), trees * values.std(ddof=1) + values.mean(), rtol=1e-12)
    np.testing.assert_allclose(grown(2.0**20 * values).predict(NEW), 2.0**20 * forest.predict(NEW), rtol=1e-12)


def test_the_seed_alone_decides() -> None:
    """The same seed grows the same forest, another one another; NumPy's global generator is left alone."""
    values = np.sum(INPUTS**2, axis=1)
    before = np.random.get_state(legacy=False)  # noqa: NPY002 the one that must stay untouched
    first = grown(values).predict(NEW)
    np.testing.assert_array_equal(first, grown(values).predict(NEW))
    assert not np.array_equal(first, grown(values, seed=4).predict(NEW))
    after = np.random.get_state(legacy=False)  # noqa: NPY002 idem
    np.testing.assert_equal(after, before)


def test_the_posterior_is_over_the_trees() -> None:
    """Mean and covariance of what the trees say, all of them taken for equally likely; no noise."""
    forest = grown(np.sum(INPUTS**2, axis=1))
    said = np.array([tree.predict(NEW) for tree in forest.forest.estimators_])
    apart = said - said.mean(axis=0)
    posterior = forest.posterior(NEW)
    np.testing.assert_allclose(posterior.mean, said.mean(axis=0))
    np.testing.assert_allclose(posterior.covariance, apart.T @ apart / len(said), atol=1e-12)
    np.testing.assert_allclose(forest.posterior(NEW, joint=False).covariance, np.mean(apart**2, axis=0))
    assert forest.posterior(NEW[:1]).covariance.shape == (1, 1)
    assert (posterior.noise, posterior.center, posterior.scale) == (0.0, forest.center, forest.scale)


@pytest.mark.parametrize("values", [np.full(60, 3.0), np.array([*[3.0] * 59, np.inf])])
def test_values_without_a_scale_are_not_trained_on(values: Array) -> None:
    """Constant values, or ones that differ by more than a float holds, give no model, in words."""
    assert fit_random_forest(TrainingSet(INPUTS, values), trees=5, seed=0) == FitStatus.CONSTANT_VALUES


def test_each_forest_has_a_seed_of_the_trials_random_numbers() -> None:
    """Two of one trial differ; those of two trials with the same seed do not."""
    training, whitening = TrainingSet(INPUTS, np.sum(INPUTS**2, axis=1)), Whitening(np.zeros(3), np.eye(3))
    trials = []
    for _ in range(2):
        box = (np.full(3, -5.0), np.full(3, 5.0))
        model = RandomForestModel(trees=5).build(Context(3, box, np.random.default_rng(1)))
        fits = [model.fit(training, whitening) for _ in range(2)]
        trials.append([fit.predict(NEW) for fit in fits if isinstance(fit, RandomForest)])
    np.testing.assert_array_equal(trials[0], trials[1])
    assert not np.array_equal(trials[0][0], trials[0][1])
