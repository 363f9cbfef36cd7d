"""Competing models: which of them is used, and what they remember."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from sacma.strategy.settings import StrategySettings
from sacma.surrogate.gaussian_process import GaussianProcess
from sacma.surrogate.model import FitStatus
from sacma.surrogate.models import LARGEST_LOSS, Competing, Competition
from sacma.surrogate.part import Context
from sacma.surrogate.processes import QuadraticProcess, WarpedProcess
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

IDENTITY = Whitening(np.zeros(2), np.eye(2))
STRETCHED = Whitening(np.array([1.0, -1.0]), np.diag([2.0, 0.5]))


class Foresees:
    """A fit in which every value has the log density ``level``."""

    def __init__(self, level: float, asked: list[Array]) -> None:
        self.level, self.asked = level, asked

    def log_densities(self, inputs: Array, values: Array) -> Array:
        """Return the level, and remember where."""
        self.asked.append(inputs)
        return np.asarray(np.full(len(values), self.level))


class Member:
    """A model with a fixed fit."""

    def __init__(self, level: float | FitStatus) -> None:
        self.asked: list[Array] = []
        self.fitted: Any = level if isinstance(level, FitStatus) else Foresees(level, self.asked)
        self.kept: list[Any] = []
        self.trained = self.forgotten = 0

    def fit(self, training: TrainingSet, whitening: Whitening) -> Any:
        """Return the fit, and count."""
        self.trained += 1
        return self.fitted

    def keep(self, fitted: Any, whitening: Whitening) -> None:
        """Remember it."""
        self.kept.append(fitted)

    def forget(self) -> None:
        """Count."""
        self.forgotten += 1


def training(*indices: int) -> TrainingSet:
    points = np.array([[float(i), 2.0 * i] for i in indices])
    return TrainingSet(points, np.arange(float(len(indices))), np.array(indices, dtype=np.intp))


def test_the_first_is_used_until_something_is_known() -> None:
    """In the order of the config, and the next one where the first has no fit."""
    assert Competing([a := Member(0.0), Member(5.0)], 0.3).fit(training(0, 1), IDENTITY) is a.fitted
    lost, b = Member(FitStatus.NO_FACTOR), Member(0.0)
    assert Competing([lost, b], 0.3).fit(training(0, 1), IDENTITY) is b.fitted
    both = Competing([lost, Member(FitStatus.CONSTANT_VALUES)], 0.3)
    assert both.fit(training(0, 1), IDENTITY) is FitStatus.NO_FACTOR


def test_the_one_that_foresees_new_values_best_is_used() -> None:
    """From the next training on; each new point is scored once, where the fit of that time saw it."""
    a, b = Member(-2.0), Member(-1.0)
    models = Competing([a, b], 0.3)
    assert models.fit(training(0, 1), STRETCHED) is a.fitted
    assert a.asked == []
    assert models.fit(training(0, 1, 2, 3), IDENTITY) is b.fitted
    np.testing.assert_allclose(a.asked[0], STRETCHED(np.array([[2.0, 4.0], [3.0, 6.0]])))
    assert models.fit(training(1, 2, 3), IDENTITY) is b.fitted
    assert len(a.asked) == len(b.asked) == 1
    overflowed = Competing([c := Member(np.nan), a], 0.3)
    assert overflowed.fit(training(0, 1), IDENTITY) is c.fitted
    assert overflowed.fit(training(0, 1, 2, 3), IDENTITY) is a.fitted


def test_of_one_distribution_the_leader_alone_is_trained_again() -> None:
    """And the next where it has no fit; for the next distribution all are."""
    models = Competing([a := Member(-1.0), b := Member(0.0), c := Member(-2.0)], 0.3)
    models.fit(training(0, 1), IDENTITY)
    models.fit(training(0, 1, 2), Whitening(np.zeros(2), np.eye(2)))
    assert (a.trained, b.trained, c.trained) == (1, 2, 1)
    b.fitted = FitStatus.NO_FACTOR
    assert models.fit(training(0, 1, 2, 3), IDENTITY) is a.fitted
    assert (a.trained, b.trained, c.trained) == (2, 3, 1)
    for other in (Whitening(np.array([0.0, 1.0]), np.eye(2)), Whitening(np.array([0.0, 1.0]), 2.0 * np.eye(2))):
        before = c.trained
        models.fit(training(0, 1, 2, 3), other)
        assert c.trained == before + 1


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_scores_are_smoothed_losses(rate: float) -> None:
    """Relative to the best for each value, limited, and forgotten with the rate: a surprise is outweighed in time."""
    a, b = Member(0.0), Member(-1e9)
    models = Competing([b, a], rate)
    models.fit(training(0, 1), IDENTITY)
    assert models.fit(training(0, 1, 2), IDENTITY) == a.fitted
    a.fitted.level, b.fitted.level = -0.5, 0.0
    steps = 0
    while models.fit(training(*range(4 + steps)), IDENTITY) == a.fitted:
        steps += 1
    loss_a, loss_b, expected = 0.0, rate * LARGEST_LOSS, 0
    while True:
        loss_a, loss_b = loss_a + rate * (0.5 - loss_a), loss_b * (1 - rate)
        if loss_b < loss_a:
            break
        expected += 1
    assert steps == expected > 2


FUNCTIONS = {
    WarpedProcess: lambda X: np.exp(12.0 * np.sum(np.sin(X), axis=1)),
    QuadraticProcess: lambda X: np.sum(X**2, axis=1) + 4.0 * X[:, 0] * X[:, 1],
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_of_the_shipped_ones_that_which_fits_the_function(kind: type) -> None:
    """Trained on a growing set of points, the kind that the function is made for is used most of the time."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.5, 1.5, (60, 2))
    y = FUNCTIONS[kind](X)
    models = Competition().build(Context(2, (np.zeros(2), np.ones(2)), rng))
    used = []
    for n in range(12, 60, 3):
        fitted = models.fit(TrainingSet(X[:n], y[:n], np.arange(n)), IDENTITY)
        assert isinstance(fitted, (GaussianProcess, WarpedProcess, QuadraticProcess))
        models.keep(fitted, IDENTITY)
        used.append(type(fitted))
    assert used[-8:].count(kind) >= 6


def settings(model: Mapping[str, Any]) -> StrategySettings:
    return StrategySettings.model_validate({"model": model, "control": {"name": "doubly-trained"}})


def test_members_are_chosen_in_a_config() -> None:
    """With their own settings; they are parts like others, that are prepared and named in the reference."""
    members = [{"name": "warped-process"}, {"noise_std_start": 2.0}]
    chosen = settings({"name": "competition", "members": members})
    assert [part.name for part in chosen.parts][:3] == ["competition", "warped-process", "gaussian-process"]  # type: ignore[attr-defined]
    assert isinstance(chosen.model, Competition)
    assert chosen.model.members[1].noise_std_start == 2.0
    assert StrategySettings.model_validate_json(chosen.model_dump_json()) == chosen
    for wrong in ([], [{"name": "warped-process"}], [{"name": "random-forest"}, {}], "gaussian-process"):
        with pytest.raises(ValidationError):
            settings({"name": "competition", "members": wrong})
