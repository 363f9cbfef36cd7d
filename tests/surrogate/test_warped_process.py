"""The Gaussian process of warped values: it is the plain one of values warped beforehand."""

from typing import Any

import numpy as np
import pytest

from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.model import FitStatus
from sacma.surrogate.processes import WarpedProcess, fit_warped_process
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.warp import EXPANSIONS, QUANTILES, warps
from sacma.types import Array

START = Hyperparameters(0.5, 2.5e-5)


def fitted(X: Array, y: Array) -> WarpedProcess:
    model = fit_warped_process(TrainingSet(X, y), start=START)
    assert isinstance(model, WarpedProcess)
    return model


def exploding(X: Array) -> Array:
    """The exponential of a smooth function: over a dozen orders of magnitude."""
    return np.asarray(np.exp(10.0 * np.sum(np.sin(X), axis=1)))


@pytest.mark.parametrize("level", range(len(EXPANSIONS) + 1 + len(QUANTILES)))
def test_it_is_the_plain_process_of_warped_values(level: int) -> None:
    """To the bit: hyperparameters, and predictions before they are warped back."""
    X = np.random.default_rng(1).standard_normal((30, 2))
    y = exploding(0.2 * X)
    model = fitted(X, y)
    warp = warps(y)[level]
    plain = fit_gaussian_process(TrainingSet(X, warp(y)), start=START)
    assert isinstance(plain, GaussianProcess)
    if level == model.hyperparameters.level:
        np.testing.assert_array_equal(model.predict(X), warp.inverse(plain.predict(X)))
        np.testing.assert_array_equal(model.posterior(X).mean, plain.posterior(X).mean)
    change = np.sum(warp.log_slopes(y)) - len(y) * np.log(plain.scale)
    p = model.process
    best = p.log_likelihood + np.sum(model.warp.log_slopes(y)) - len(y) * np.log(p.scale)
    assert level % 2 or plain.log_likelihood + change <= best + 1e-9  # every other one is tried at first


def test_it_predicts_what_explodes_and_leaves_alone_what_does_not() -> None:
    """A strong warp, and ranks at new points that are nearly all right, where the plain process is lost."""
    rng = np.random.default_rng(2)
    X, Z = rng.uniform(-1.5, 1.5, (60, 2)), rng.uniform(-1.5, 1.5, (200, 2))
    warped = fitted(X, exploding(X))
    plain = fit_gaussian_process(TrainingSet(X, exploding(X)), start=START)
    assert isinstance(plain, GaussianProcess)
    assert warped.hyperparameters.level >= 4
    true = np.log(exploding(Z))
    errors = [np.mean(np.abs(np.log(np.maximum(m.predict(Z), 1e-12)) - true)) for m in (warped, plain)]
    assert errors[0] < 0.2 * errors[1]
    assert np.isinf(fitted(X, np.sum(np.sin(X), axis=1)).warp.c)


def test_extreme_values() -> None:
    """The largest floats, and neighbouring ones: finite predictions, or a reason for having none."""
    X = np.random.default_rng(4).standard_normal((12, 2))
    extremes: list[Any] = [np.geomspace(1e-300, 8e307, 12), 1.0 + np.arange(12) * 1e-15, np.append(np.zeros(11), 1e300)]
    for values in extremes:
        found = fit_warped_process(TrainingSet(X, values), start=START)
        assert found is FitStatus.CONSTANT_VALUES or np.all(np.isfinite(found.posterior(X).mean))  # type: ignore[union-attr]
    found = fit_warped_process(TrainingSet(X, np.full(12, 2.0)), start=START)
    assert found is FitStatus.CONSTANT_VALUES
