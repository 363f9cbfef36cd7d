"""The Gaussian process of warped values: its warps, and that it is the plain one of values warped beforehand."""

from typing import Any

import numpy as np
import pytest

from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.model import FitStatus
from sacma.surrogate.processes import QUANTILES, Warp, WarpedProcess, fit_warped_process, warps
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

START = Hyperparameters(0.5, 2.5e-5)
VALUES = np.array([3.0, 3.5, 5.0, 10.0, 1e4])


def fitted(X: Array, y: Array) -> WarpedProcess:
    model = fit_warped_process(TrainingSet(X, y), start=START)
    assert isinstance(model, WarpedProcess)
    return model


def exploding(X: Array) -> Array:
    """The exponential of a smooth function: over a dozen orders of magnitude."""
    return np.asarray(np.exp(10.0 * np.sum(np.sin(X), axis=1)))


@pytest.mark.parametrize("warp", warps(VALUES), ids=lambda warp: f"c={warp.c:.3g}")
def test_a_warp_has_its_inverse_and_its_slope(warp: Warp) -> None:
    """Below the least value, too; the slope by central differences."""
    at = np.array([-50.0, 2.9, 3.1, 4.0, 12.0, 2e4])
    np.testing.assert_allclose(warp.inverse(warp(at)), at, rtol=1e-12)
    step = 1e-6 * np.abs(at)
    slopes = (warp(at + step) - warp(at - step)) / (2.0 * step)
    np.testing.assert_allclose(np.exp(warp.log_slopes(at)), slopes, rtol=1e-5)
    np.testing.assert_allclose([warp.stretch(value) for value in at], 1.0 / np.exp(warp.log_slopes(at)), rtol=1e-12)
    assert warp(np.array([3.0]))[0] == 0.0
    assert np.all(np.diff(warp(np.sort(at))) > 0.0)


def test_warps_go_from_none_to_strong() -> None:
    """Infinite c first, and then its quantiles, falling; duplicates of the least value make no warp of c = 0."""
    scales = [warp.c for warp in warps(VALUES)]
    assert scales[0] == np.inf
    np.testing.assert_allclose(scales[1:], np.quantile(VALUES - 3.0, QUANTILES))
    assert len(warps(np.array([1.0, 1.0, 1.0, 1.0, 2.0]))) == 2


@pytest.mark.parametrize("level", range(len(QUANTILES) + 1))
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
    extremes: list[Any] = [
        np.geomspace(1e-300, 8e307, 12),
        1.0 + np.arange(12) * 1e-15,
        np.append(np.zeros(11), 1e300),
    ]
    for values in extremes:
        found = fit_warped_process(TrainingSet(X, values), start=START)
        assert found is FitStatus.CONSTANT_VALUES or np.all(np.isfinite(found.posterior(X).mean))  # type: ignore[union-attr]
    found = fit_warped_process(TrainingSet(X, np.full(12, 2.0)), start=START)
    assert found is FitStatus.CONSTANT_VALUES
