"""Given points that were rounded beyond a bound, as in a spreadsheet."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from sacma.types import Array


def bowl(x: Array) -> float:
    return float(np.sum(np.square(x)))


ENDS = st.floats(-1e6, 1e6).map(lambda end: round(end, 9))


@settings(max_examples=40, deadline=None)
@given(ENDS, st.floats(1e-3, 1e6), st.floats(-9e-7, 9e-7), st.sampled_from(["low", "high"]), st.sampled_from([1, 2]))
def test_a_point_beyond_by_a_rounding_is_on_the_bound(
    low: float, width: float, share: float, side: str, sides: int
) -> None:
    """Given as x₀ and as a known point, with both bounds or one."""
    high = low + width
    bound = low if side == "low" else high
    point = bound + share * (high - low if sides == 2 else abs(bound))
    ends = tuple(end if sides == 2 or end == bound else None for end in (low, high))
    allowed: dict[str, Any] = {"bounds": [ends], "budget": 1, "seed": 1, "sigma0": 0.1 * width}
    x = sacma.minimize(bowl, [point], **allowed).history.points[0, 0]
    low, high = (math.inf * sign if end is None else end for sign, end in zip((-1, 1), ends, strict=True))
    assert x == min(max(point, low), high)
    known = sacma.minimize(lambda _: 9.0, [bound], known=([[point]], [1.0]), **allowed)
    assert (known.fun, known.x[0]) == (1.0, x)


def test_others_are_refused_by_coordinate() -> None:
    """With the value and the bound in all their digits."""
    given: dict[str, Any] = {"sigma0": 0.1, "bounds": [(0.0, 0.3), (-1.0, 1.0)], "budget": 5}
    with pytest.raises(ValueError, match=r"^x0\[0\] is 0.300001; allowed: within its bounds, 0.0 to 0.3$"):
        sacma.minimize(bowl, [0.300001, 0.0], **given)
    with pytest.raises(ValueError, match=r"^known\[0\]\[1\]\[1\] is 1.00001; allowed: within its bounds, -1.0 to 1.0$"):
        sacma.minimize(bowl, [0.0, 0.0], known=([[0.1, 0.2], [0.1, 1.00001]], [1.0, 2.0]), **given)
