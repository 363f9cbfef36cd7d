"""Warm starts of the Gaussian process from one generation to the next."""

from typing import Any

import numpy as np
import pytest

from sacma.surrogate import gaussian_process
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters
from sacma.surrogate.models import GaussianProcessModel
from sacma.surrogate.training_set import TrainingSet, Whitening
from tests.strategy.judged import box

X = np.random.default_rng(0).standard_normal((40, 3))
Y = np.sum(X**2, axis=1) + np.cos(3 * X[:, 0])


def whitening(scale: float) -> Whitening:
    return Whitening(np.zeros(3), np.eye(3) / scale)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Hyperparameters, Hyperparameters | None]]:
    """The starts of all searches."""
    seen: list[tuple[Hyperparameters, Hyperparameters | None]] = []
    fit = gaussian_process.fit_gaussian_process

    def watched(training: TrainingSet, *, start: Hyperparameters, warm: Hyperparameters | None, **more: Any) -> object:
        seen.append((start, warm))
        return fit(training, start=start, warm=warm, **more)

    monkeypatch.setattr(gaussian_process, "fit_gaussian_process", watched)
    return seen


def fit(model: object, scale: float = 1.0, *, keep: bool = True) -> GaussianProcess:
    where = whitening(scale)
    fitted = model.fit(TrainingSet(where(X), Y), where)  # type: ignore[attr-defined]
    assert isinstance(fitted, GaussianProcess)
    if keep:
        model.keep(fitted, where)  # type: ignore[attr-defined]
    return fitted


Started = list[tuple[Hyperparameters, Hyperparameters | None]]


def test_a_search_starts_where_the_last_ended_in_the_units_of_f(started: Started) -> None:
    """ℓ is that of the points themselves: half as long where σ is twice as large."""
    model = GaussianProcessModel().build(box(3))
    first = fit(model, 1.0)
    fit(model, 2.0)
    (_, cold), (_, warm) = started
    assert cold is None
    assert warm is not None
    assert warm.length == pytest.approx(0.5 * first.hyperparameters.length)
    assert warm.ratio == first.hyperparameters.ratio


def test_what_is_not_kept_or_forgotten_is_no_start(started: Started) -> None:
    """A model that was rejected, and one of an earlier run."""
    model = GaussianProcessModel().build(box(3))
    fit(model, keep=False)
    fit(model)
    model.forget()
    fit(model)
    assert [warm for _, warm in started] == [None] * 3


def test_the_cold_start_is_a_setting(started: Started) -> None:
    """ℓ, and η = (σ_n/s_f)²."""
    fit(GaussianProcessModel().build(box(3)))
    fit(GaussianProcessModel(noise_std_start=1.0).build(box(3)))
    assert [start for start, _ in started] == [Hyperparameters(0.5, 2.5e-5), Hyperparameters(0.5, 1 / 4)]
