"""Shared by all controls."""

from typing import Any

import numpy as np
import pytest

from sacma.strategy.control import no_better_than
from sacma.surrogate.model import FitStatus
from tests.strategy.runs import DOUBLY, Run, Scripted, Watched, parts, sphere

# Controls that let f evaluate a part of a population, and a model the rest.
PARTLY = pytest.mark.parametrize("control", [DOUBLY, {"name": "approximate-ranking"}], ids=lambda part: part["name"])


def test_predictions_are_raised_to_the_best_value_by_one_number() -> None:
    """Only where their least lies below it; NaN and infinity pass, without a warning."""
    predicted = np.array([-3.0, 1.0, 4.0])
    np.testing.assert_array_equal(no_better_than(2.0, predicted), [2.0, 6.0, 9.0])
    np.testing.assert_array_equal(no_better_than(-3.0, predicted), predicted)
    np.testing.assert_array_equal(no_better_than(-5.0, predicted), predicted)
    assert np.isnan(no_better_than(2.0, np.array([np.nan, 1.0]))).any()
    no_better_than(1.0, np.array([-np.inf, 1.0, 1.7e308]))


@pytest.mark.parametrize("raised", [False, True])
def test_predictions_can_be_raised(*, raised: bool) -> None:
    """What the strategy sees is never below the best true value where predictions are raised, and often else."""
    sampling = Watched()
    run = Run(parts(control={**DOUBLY, "raises_predictions": raised}, sampling=sampling))
    while len(run.generations) < 40:
        run.step(sphere)
    best = [g.best_value for g in run.generations]
    below = [v.min() < b * (1.0 - 1e-12) for v, b in zip(sampling.told, best, strict=True)]
    assert sum(below) > 5 if not raised else not any(below)


@PARTLY
@pytest.mark.parametrize("broken", [np.nan, np.inf, 7.0])
def test_models_that_cannot_rank_are_not_used(control: dict[str, Any], broken: float) -> None:
    """Predictions of the population that are constant, or not finite, leave the generation to f."""
    model = Scripted(changed=lambda predicted, _: np.full_like(predicted, broken))
    assert set(Run(parts(control=control, model=model)).until(60).steps) == {7}


@PARTLY
def test_values_that_cannot_rank_are_completed_by_f(control: dict[str, Any]) -> None:
    """Where true values and predictions together are not finite, f evaluates the rest."""
    model = Scripted(changed=lambda predicted, _: np.full_like(predicted, np.inf) if len(predicted) < 7 else predicted)
    run = Run(parts(control=control, model=model)).until(60)
    assert set(run.steps) == {7}
    assert FitStatus.TRAINED in {g.fit_status for g in run.generations}
