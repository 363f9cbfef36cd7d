"""Ranges as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sacma.coco.ranges import format_ranges, parse_ranges


@given(st.sets(st.integers(1, 100_000), min_size=1))
def test_parse_undoes_format(numbers: set[int]) -> None:
    """Any set of numbers survives writing and reading."""
    assert parse_ranges(format_ranges(sorted(numbers))) == tuple(sorted(numbers))


@pytest.mark.parametrize(
    ("given_", "expected"),
    [(3, (3,)), ("1-3", (1, 2, 3)), ("5, 1-2", (1, 2, 5)), ([1, "4-5", 1], (1, 4, 5)), ("1-1", (1,))],
)
def test_accepted(given_: object, expected: tuple[int, ...]) -> None:
    """Numbers, strings and lists of both; ascending, each once."""
    assert parse_ranges(given_) == expected


@pytest.mark.parametrize("given_", ["", ",", [], "x", "1-", "-1", "5-3", "0", 0, True, 1.5, None, "1-999999999", {}])
def test_refused(given_: object) -> None:
    """All else is an error, and a range too long to hold is never built."""
    with pytest.raises(ValueError, match=r"number|empty|backwards"):
        parse_ranges(given_)
