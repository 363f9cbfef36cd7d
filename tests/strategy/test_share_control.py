"""Which share of a population f evaluates: bounds, smoothing, and the published limits of the error."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sacma.strategy.share_control import AdaptiveShare, FixedShare, error_limits, number_of, share_control

from sacma.strategy.settings import DTSSettings

GOOD = np.arange(8.0)
BAD = GOOD[::-1].copy()


def test_the_limits_of_the_error_are_the_published_regression() -> None:
    """ε_min and ε_max at two places, by the formula written out."""
    D, a = 10, 0.4
    lowest, highest = error_limits(D, a)
    assert lowest == pytest.approx(0.11 - 0.0092 * math.log(D) - 0.13 * a + 0.044 * math.log(D) * a + 0.14 * a**2)
    assert highest == pytest.approx(0.35 - 0.047 * math.log(D) + 0.44 * a + 0.044 * math.log(D) * a - 0.19 * a**2)


@pytest.mark.parametrize("D", [2, 3, 5, 10, 20, 40])
def test_there_is_room_between_the_limits(D: int) -> None:
    """ε_min is below ε_max for every share, so that there is always a line between them."""
    for share in np.linspace(0.0, 1.0, 21):
        lowest, highest = error_limits(D, float(share))
        assert 0.0 < lowest < highest < 1.0


@given(st.floats(1e-3, 1.0), st.integers(1, 500))
def test_at_least_one_point_is_evaluated_and_at_most_all(share: float, size: int) -> None:
    """⌈α λ⌉ lies between 1 and λ, and α is reached."""
    number = number_of(share, size)
    assert 1 <= number <= size
    assert number >= share * size - 1e-6
    assert number == 1 or number - 1 < share * size


def test_the_share_stays_within_its_bounds() -> None:
    """Errors at their worst drive α to its largest value, none at all to its smallest, and never beyond."""
    control = AdaptiveShare(DTSSettings(adapts_share=True, smallest_share=0.1, largest_share=0.8), dimension=5)
    shares = []
    for predicted in [BAD] * 30 + [GOOD] * 60:
        control.judge(predicted, GOOD)
        shares.append(control.share)
    assert shares[0] > 0.1
    assert shares[29] == pytest.approx(0.8)
    assert shares[-1] == pytest.approx(0.1)
    assert all(0.1 <= share <= 0.8 + 1e-12 for share in shares)


def test_the_error_is_smoothed() -> None:
    """ε_s ← (1 − β) ε_s + β ε, from the initial error on; a ranking that is right has none, one in reverse much."""
    control = AdaptiveShare(DTSSettings(adapts_share=True, error_update_rate=0.25, first_error=0.4), dimension=5)
    assert control.judge(GOOD, GOOD) == 0.0
    assert control.smoothed_error == pytest.approx(0.3)
    error = control.judge(BAD, GOOD)
    assert error > 0.8
    assert control.smoothed_error == pytest.approx(0.225 + 0.25 * error)


def test_constant_values_have_no_error() -> None:
    """Neither share nor smoothed error changes where there is nothing to rank."""
    control = AdaptiveShare(DTSSettings(adapts_share=True), dimension=5)
    before = control.share, control.smoothed_error
    assert math.isnan(control.judge(GOOD, np.ones(8)))
    assert math.isnan(control.judge(np.ones(8), GOOD))
    assert (control.share, control.smoothed_error) == before


def test_a_fixed_share_does_not_judge() -> None:
    """Without adaptation the share is the one that was set."""
    control = share_control(DTSSettings(share=0.3), 5)
    assert isinstance(control, FixedShare)
    assert not control.judges
    assert math.isnan(control.judge(BAD, GOOD))
    assert control.share == 0.3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"smallest_share": 0.1}, "set adapts_share: true"),
        ({"adapts_share": True, "smallest_share": 0.5, "largest_share": 0.4}, "largest_share ≥ smallest_share"),
        ({"population_size": 8, "population_multiple": 3.0}, "set population_size: null"),
        ({"share": 0.0}, "greater than 0"),
        ({"share": 1.5}, "less than or equal to 1"),
    ],
)
def test_settings_without_an_effect_are_refused(settings: dict[str, object], message: str) -> None:
    """What would do nothing, or cannot be, is an error that says so."""
    with pytest.raises(ValidationError, match=message):
        DTSSettings.model_validate(settings)
