"""Acceptance of models."""

import numpy as np
import pytest

from sacma.strategy.acceptance import RanksPopulation, can_rank
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import Start
from sacma.surrogate.base import FitStatus
from tests.strategy.judged import box


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([1.0, 2.0], True),
        ([1.0, 1.0], False),
        ([0.0, 0.0], False),
        ([1.0, 1.0 + 2.0**-52], False),
        ([1.0, 1.0 + 2.0**-48], True),
        ([-1e9, -1e9 - 1e-7], False),
        ([np.nan, 1.0], False),
        ([1.0, np.inf], False),
        ([-np.inf, 1.0], False),
        ([-1.7e308, 1.7e308], True),
    ],
)
def test_predictions_rank_where_they_are_finite_and_differ(predicted: list[float], *, expected: bool) -> None:
    """By more than rounding."""
    assert can_rank(np.array(predicted)) is expected


def test_a_model_is_judged_by_the_population_as_sampled() -> None:
    """Where the whole of it is repaired to one corner, it still has different points."""
    run = CMAESSampling(bounds="penalty").start(Start(1.0), np.full(2, 50.0), box(2))
    run.ask()
    assert len(np.unique(run.proposed, axis=0)) == 1
    judge = RanksPopulation().judge
    assert judge(lambda x: x[:, 0], run, np.zeros(1)) == FitStatus.TRAINED
    assert judge(lambda x: 0.0 * x[:, 0], run, np.zeros(1)) == FitStatus.CONSTANT_PREDICTION
