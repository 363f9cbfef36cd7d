"""Wins, effect sizes and rank sums by counting."""

from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sacma.analysis.statistics.pairwise import mean_ranks_from_wins, pairwise_wins, rank_sum
from sacma.analysis.statistics.ranks import rank_rows
from tests.analysis.statistics.test_ranks import TABLES


@given(TABLES)
def test_wins_are_counts(values: pd.DataFrame) -> None:
    """Row beats column where its value is the lower."""
    wins = pairwise_wins(values)
    columns = values.to_numpy().T
    for i, row in enumerate(columns):
        for j, other in enumerate(columns):
            assert wins.iloc[i, j] == sum(x < y for x, y in zip(row, other, strict=True))


@given(TABLES)
def test_mean_ranks_follow_from_pairwise_wins(values: pd.DataFrame) -> None:
    """The rank identity holds on any table, ties included."""
    N = len(values)
    expected = rank_rows(values).mean()
    assert mean_ranks_from_wins(pairwise_wins(values), N).to_dict() == pytest.approx(expected.to_dict())


@pytest.mark.parametrize(
    ("wins", "said"),
    [
        (pd.DataFrame([[0, 6], [5, 0]]), "at most 10"),
        (pd.DataFrame([[0, -1], [5, 0]]), "at least 0"),
        (pd.DataFrame([[0, np.nan], [5, 0]]), "over 10 problems"),
        (pd.DataFrame([[0, 1], [5, 0]], ["A", "B"], ["B", "A"]), "must be the same"),
    ],
)
def test_what_are_no_pairwise_wins(wins: pd.DataFrame, said: str) -> None:
    """More wins than problems, fewer than none, unknown ones and other columns than rows."""
    with pytest.raises(ValueError, match=said):
        mean_ranks_from_wins(wins, 10)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_rank_sum_counts_all_splits(a: list[int], b: list[int]) -> None:
    """Where many are equal the distribution is not symmetric: as far from the mean on either side counts."""
    pooled, n = a + b, len(a)

    def far(chosen: tuple[int, ...]) -> int:
        others = set(range(len(pooled))) - set(chosen)
        twice = sum((pooled[i] > pooled[j]) - (pooled[i] < pooled[j]) for i in chosen for j in others)
        return abs(twice)  # of U − n_a n_b / 2

    splits = [far(chosen) for chosen in combinations(range(len(pooled)), n)]
    result = rank_sum(a, b)
    assert result.p_value == pytest.approx(np.mean([each >= splits[0] for each in splits]))
    assert result.superiority == pytest.approx(np.mean([(x < y) + (x == y) / 2 for x in a for y in b]))


def test_large_samples_with_ties() -> None:
    """Beyond 50 trials half counts, the tie-corrected variance, and the correction for continuity."""
    a, b = pd.Series([1e-8] * 32 + [1.0] * 28), pd.Series([1e-8] * 12 + [1.0] * 40 + [np.inf] * 8)
    result = rank_sum(a, b)
    won = np.mean(a.to_numpy()[:, None] < b.to_numpy()) + np.mean(a.to_numpy()[:, None] == b.to_numpy()) / 2
    assert result.superiority == pytest.approx(won)
    ties = np.array([44, 68, 8])
    variance = 60 * 60 / 12 * (121 - (ties**3 - ties).sum() / (120 * 119))
    z = (60 * 60 * abs(result.superiority - 0.5) - 0.5) / np.sqrt(variance)
    assert result.p_value == pytest.approx(2 * stats.norm.sf(z))


@pytest.mark.parametrize(("sizes", "method"), [((50, 8), "exact"), ((8, 50), "exact"), ((51, 8), "asymptotic")])
def test_up_to_fifty_trials_it_is_exact(sizes: tuple[int, int], method: Literal["exact", "asymptotic"]) -> None:
    """Without ties as SciPy's; of more trials it is SciPy's approximation."""
    a, b = (np.random.default_rng(size).normal(0.5 * (size > 10), 1.0, size) for size in sizes)
    expected = stats.mannwhitneyu(a, b, method=method)
    assert rank_sum(a.tolist(), b.tolist()).p_value == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("bad", [[], [1.0, np.nan]])
def test_no_sample(bad: list[float]) -> None:
    """An empty sample and one with NaN are refused, whichever it is."""
    with pytest.raises(ValueError, match=r"^a has"):
        rank_sum(bad, [1.0])
    with pytest.raises(ValueError, match=r"^b has"):
        rank_sum([1.0], bad)
