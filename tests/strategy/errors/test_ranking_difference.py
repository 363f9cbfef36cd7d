"""The ranking-difference error by brute force and by hand."""

from itertools import permutations

import numpy as np
import pytest

from sacma.strategy.errors.ranking_difference import RankingDifference, largest_ranking_difference, ranks
from tests.strategy.judged import judged

ERROR = RankingDifference().build()
PREDICTED = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("size", range(2, 9))
def test_the_largest_by_brute_force(size: int) -> None:
    """The closed form is the maximum over all permutations, for every μ ≤ λ."""
    for parents in range(1, size + 1):
        brute = max(
            sum(abs(i - p) for i, p in enumerate(pi, start=1) if p <= parents)
            for pi in permutations(range(1, size + 1))
        )
        assert largest_ranking_difference(size, parents) == brute


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0, 1.0, 4.0, 2.0], 3 / 4),  # predicted 1 and 2, truly 3 and 1: |3 − 1| + |1 − 2| of at most 4
        ([1.0, 4.0, 2.0, 3.0], 2 / 4),  # predicted 1 and 2, truly 1 and 4: 0 + 2; over the truly best it would be 1
        (PREDICTED, 0.0),
    ],
)
def test_by_hand(values: list[float], expected: float) -> None:
    """λ = 4, μ = 2, over the best predicted."""
    assert ERROR(judged(values, PREDICTED)) == pytest.approx(expected)


def test_spans_zero_to_one() -> None:
    """0 for the same ranking; 1 for the worst, found by search; never outside."""
    errors = [ERROR(judged(np.arange(6.0), np.array(p, dtype=float))) for p in permutations(range(6))]
    assert min(errors) == 0.0
    assert max(errors) == 1.0


def test_ranks_of_equal_values_are_distinct() -> None:
    """Equal values take their ranks in order, so that exactly μ points are the best μ."""
    np.testing.assert_array_equal(ranks(np.array([2.0, 1.0, 2.0, 1.0])), [3, 1, 4, 2])
