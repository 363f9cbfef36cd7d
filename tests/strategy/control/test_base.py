"""Shared by all controls."""

import numpy as np

from sacma.strategy.control.base import no_better_than


def test_predictions_are_raised_to_the_best_value_by_one_number() -> None:
    """Only where their least lies below it; NaN and infinity pass, without a warning."""
    predicted = np.array([-3.0, 1.0, 4.0])
    np.testing.assert_array_equal(no_better_than(2.0, predicted), [2.0, 6.0, 9.0])
    np.testing.assert_array_equal(no_better_than(-3.0, predicted), predicted)
    np.testing.assert_array_equal(no_better_than(-5.0, predicted), predicted)
    assert np.isnan(no_better_than(2.0, np.array([np.nan, 1.0]))).any()
    no_better_than(1.0, np.array([-np.inf, 1.0, 1.7e308]))
