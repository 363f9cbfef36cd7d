"""Scaled coordinates and bounds."""

import numpy as np
import pytest
from scipy import stats

from sacma.optimize.box import ScaledBox

OPEN = np.full(3, np.inf)


def test_points_are_scaled_and_stay_within_the_bounds() -> None:
    """Multiplied by the scale, and on the bound where that is beyond it."""
    box = ScaledBox(np.array([-1.0, -np.inf, 0.0]), np.array([1.0, 5.0, np.inf]), np.array([2.0, 1.0, 1e-6]))
    np.testing.assert_array_equal(
        box.points([np.array([0.25, -9.0, 3.0]), np.array([-0.6, 9.0, -3.0])]), [[0.5, -9.0, 3e-6], [-1.0, 5.0, 0.0]]
    )
    np.testing.assert_array_equal(box.scaled_bounds, [[-0.5, -np.inf, 0.0], [0.5, 5.0, np.inf]])
    assert box.bounded
    assert not ScaledBox(-OPEN, OPEN, np.ones(3)).bounded


def test_rounding_never_leads_out_of_the_box() -> None:
    """Whatever dividing by the scale and multiplying again does to a bound."""
    rng = np.random.default_rng(0)
    lower, scale = rng.standard_normal(1000), 10.0 ** rng.uniform(-5, 5, 1000)
    upper = np.nextafter(lower, np.inf)
    box = ScaledBox(lower, upper, scale)
    x = box.points([box.scaled_bounds[0], box.scaled_bounds[1], box.scaled(lower), box.scaled(upper)])
    assert np.all((x >= lower) & (x <= upper))
    assert np.any(lower / scale * scale != lower)


def test_restarts_begin_anywhere_in_the_box_or_around_the_first_point() -> None:
    """Uniform where both bounds are finite; else normal with σ₀ in units of the scale, within the one bound."""
    box = ScaledBox(np.array([2.0, -np.inf, 0.0]), np.array([4.0, np.inf, np.inf]), np.array([1.0, 10.0, 1.0]))
    rng = np.random.default_rng(1)
    starts = np.array([box.another_start(np.array([2.0, 7.0, 0.0]), 0.5, rng) for _ in range(2000)])
    assert stats.kstest(starts[:, 0], stats.uniform(2, 2).cdf).pvalue > 0.01
    assert stats.kstest(starts[:, 1], stats.norm(7, 5).cdf).pvalue > 0.01
    assert np.mean(starts[:, 2] == 0.0) == pytest.approx(0.5, abs=0.05)
    assert np.all(starts[:, 2] >= 0.0)
