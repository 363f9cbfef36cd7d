"""The Gaussian process as in the published code: the same start at every training, and a second search."""

import numpy as np

from sacma.surrogate.as_run import GaussianProcessAsRun
from sacma.surrogate.base import FitStatus
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, Search, SearchedFrom
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening
from tests.strategy.judged import box
from tests.surrogate.test_gaussian_process import data

HERE = Whitening(np.zeros(10), np.eye(10))


def fit(training: TrainingSet, **settings: float) -> GaussianProcess:
    model = GaussianProcessAsRun.model_validate(settings).build(box(10))
    first = model.fit(training, HERE)
    assert isinstance(first, GaussianProcess)
    model.keep(first, HERE)
    second = model.fit(training, HERE)
    assert isinstance(second, GaussianProcess)
    assert second.hyperparameters == first.hyperparameters
    assert second.likelihood_evaluations == first.likelihood_evaluations
    return first


def test_each_search_begins_at_the_published_start() -> None:
    """Whatever was kept; where the log likelihood grows by less than asked, a search from several follows."""
    training = data(10, 150)
    search = Search.of(training)
    assert isinstance(search, Search)
    grown = search.run(SearchedFrom.START, [Hyperparameters(0.5, 2.5e-5)])
    alone = fit(training, second_search_below=0.99 * grown)
    followed = fit(training, second_search_below=1.01 * grown)
    assert alone.searched_from == SearchedFrom.START
    assert followed.searched_from == SearchedFrom.SEVERAL
    assert followed.log_likelihood > alone.log_likelihood
    assert GaussianProcessAsRun().second_search_below == 0.1


def test_constant_values_are_not_trained() -> None:
    """As with the other."""
    constant = TrainingSet(data(10, 30).inputs, np.ones(30))
    assert GaussianProcessAsRun().build(box(10)).fit(constant, HERE) == FitStatus.CONSTANT_VALUES
