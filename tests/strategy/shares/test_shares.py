"""Share of a population that f evaluates: bounds, smoothing, and the published limits of the error."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from sacma.strategy.errors.ranking_difference import ranking_difference
from sacma.strategy.shares import SHARES
from sacma.strategy.shares.adaptive import AdaptiveShare, error_limits
from sacma.strategy.shares.constant import ConstantShare
from tests.strategy.judged import box

GOOD = np.arange(8.0)
BAD = GOOD[::-1].copy()


def test_the_limits_of_the_error_are_the_published_regression() -> None:
    """ε_min and ε_max at one place, by the formula written out."""
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


def test_the_share_stays_within_its_bounds() -> None:
    """Errors at their worst drive α to its largest value, none at all to its smallest, and never beyond."""
    share = AdaptiveShare(smallest=0.1, largest=0.8).build(box(5))
    assert share.judges
    assert share.share == 0.05
    shares = []
    for predicted in [BAD] * 30 + [GOOD] * 60:
        share.judge(predicted, GOOD)
        shares.append(share.share)
    assert shares[0] > 0.1
    assert shares[29] == pytest.approx(0.8)
    assert shares[-1] == pytest.approx(0.1)
    assert all(0.1 <= value <= 0.8 + 1e-12 for value in shares)


def test_the_share_is_linear_between_the_limits() -> None:
    """α = α_min + (α_max − α_min) (ε_s − ε_min)/(ε_max − ε_min), with the limits of the last α."""
    settings = AdaptiveShare(first=0.3, smallest=0.1, largest=0.9, error_update_rate=1.0)
    share = settings.build(box(5))
    predicted = GOOD[[1, 0, 3, 2, 4, 5, 6, 7]]
    error = share.judge(predicted, GOOD)
    lowest, highest = error_limits(5, 0.3)
    assert lowest < error < highest
    assert share.share == pytest.approx(0.1 + 0.8 * (error - lowest) / (highest - lowest))


def test_the_error_is_smoothed() -> None:
    """ε_s ← (1 − β) ε_s + β ε, from the initial error on; a ranking that is right has none, one in reverse much."""
    share = AdaptiveShare(error_update_rate=0.25, first_error=0.4).build(box(5))
    assert share.judge(GOOD, GOOD) == 0.0
    assert share.smoothed_error == pytest.approx(0.3)
    error = share.judge(BAD, GOOD)
    assert error > 0.8
    assert share.smoothed_error == pytest.approx(0.225 + 0.25 * error)


def test_the_error_is_over_the_best_after_the_second_training() -> None:
    """RDE_μ(y, ŷ): the sum is over the μ best of the values, not of the predictions."""
    predicted, values = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 4.0, 2.0, 3.0])
    assert ranking_difference(predicted, values, 2) != ranking_difference(values, predicted, 2)
    assert AdaptiveShare().build(box(5)).judge(predicted, values) == ranking_difference(values, predicted, 2)


def test_constant_values_have_no_error() -> None:
    """Neither share nor smoothed error changes where there is nothing to rank."""
    share = AdaptiveShare().build(box(5))
    before = share.share, share.smoothed_error
    assert math.isnan(share.judge(GOOD, np.ones(8)))
    assert math.isnan(share.judge(np.ones(8), GOOD))
    assert (share.share, share.smoothed_error) == before


def test_a_constant_share_does_not_judge() -> None:
    """It stays what was set."""
    share = ConstantShare(value=0.3).build(box(5))
    assert not share.judges
    assert math.isnan(share.judge(BAD, GOOD))
    assert math.isnan(share.smoothed_error)
    assert share.share == 0.3


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("adaptive", {"smallest": 0.5, "largest": 0.4}, "largest ≥ smallest"),
        ("adaptive", {"value": 0.1}, "Extra inputs"),
        ("constant", {"smallest": 0.1}, "Extra inputs"),
        ("constant", {"value": 0.0}, "greater than 0"),
        ("constant", {"value": 1.5}, "less than or equal to 1"),
    ],
)
def test_settings_that_are_refused(name: str, settings: dict[str, float], message: str) -> None:
    """What cannot be, or belongs to another share."""
    with pytest.raises(ValidationError, match=message):
        SHARES[name].model_validate(settings)
