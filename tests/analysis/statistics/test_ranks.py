"""Friedman's tests against SciPy, Demšar's example and what must be by hand."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from sacma.analysis.statistics.ranks import (
    friedman_statistic,
    iman_davenport,
    iman_davenport_from_ranks,
    mean_rank_intervals,
    rank_rows,
)

# Average ranks over 14 data sets in Demšar 2006, Table 6.
DEMSAR = pd.Series({"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964})


def table(array: object) -> pd.DataFrame:
    values = pd.DataFrame(np.asarray(array))
    return values.set_axis([f"A{j}" for j in range(values.shape[1])], axis="columns")


def tied(N: int, k: int, seed: int) -> pd.DataFrame:
    return table(np.random.default_rng(seed).integers(0, 4, (N, k)))


TABLES = arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(2, 6)), elements=st.integers(0, 5)).map(table)


@given(TABLES)
def test_ranks_count_who_is_better(values: pd.DataFrame) -> None:
    """A rank is 1 plus the number of better algorithms plus half of the equal others."""
    ranks = rank_rows(values)
    for name in values:
        own = values[[name]].to_numpy()
        better, equal = (values.to_numpy() < own).sum(axis=1), (values.to_numpy() == own).sum(axis=1) - 1
        assert ranks[name].to_list() == (1 + better + equal / 2).tolist()
    assert ranks.index.equals(values.index)


@pytest.mark.parametrize("seed", range(5))
def test_friedman_is_scipys_without_its_correction_for_ties(seed: int) -> None:
    """SciPy's statistic is ours divided by 1 - Σ(t³ - t)/(N k (k² - 1)); without ties they are the same."""
    values = tied(20, 5, seed)
    counts = [np.unique(row, return_counts=True)[1] for row in values.to_numpy()]
    correction = 1 - sum(int((t**3 - t).sum()) for t in counts) / (20 * 5 * (5**2 - 1))
    theirs = stats.friedmanchisquare(*values.to_numpy().T)
    assert friedman_statistic(rank_rows(values).mean(), 20) / correction == pytest.approx(theirs.statistic)

    untied = table(np.random.default_rng(seed).random((20, 5)))
    theirs = stats.friedmanchisquare(*untied.to_numpy().T)
    assert friedman_statistic(rank_rows(untied).mean(), 20) == pytest.approx(theirs.statistic)


def test_demsars_example() -> None:
    """χ²_F = 9.28 and F_F = 3.69, against a critical value of F(3, 39) of 2.85."""
    assert friedman_statistic(DEMSAR, 14) == pytest.approx(9.28, abs=0.005)
    result = iman_davenport_from_ranks(DEMSAR, 14)
    assert result.statistic == pytest.approx(3.69, abs=0.005)
    assert result.degrees_of_freedom == (3, 39)
    assert result.critical_value == pytest.approx(2.85, abs=0.005)
    assert result.significant
    assert result.p_value < 0.05


@given(TABLES)
def test_iman_davenport_is_an_analysis_of_variance_of_ranks(values: pd.DataFrame) -> None:
    """Without ties, and corrected for them, F_F is the F statistic in a two-way analysis of variance of the ranks."""
    for ranks in (values.rank(axis="columns", method="first"), values.rank(axis="columns")):
        N, k = ranks.shape
        between = N * float(((ranks.mean() - (k + 1) / 2) ** 2).sum())
        residual = float(((ranks - ranks.mean()) ** 2).to_numpy().sum())
        result, uncorrected = iman_davenport(ranks, ties=True), iman_davenport(ranks)
        if residual < 1e-9:
            assert result.statistic == (math.inf if between else 0)
        else:
            expected = (between / (k - 1)) / (residual / ((k - 1) * (N - 1)))
            assert result.statistic == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert uncorrected.statistic <= result.statistic * (1 + 1e-9)  # conservative


@pytest.mark.parametrize("N", [2, 7, 24, 1000])
@pytest.mark.parametrize("k", [2, 3, 6, 9])
def test_problems_that_all_rank_alike(N: int, k: int) -> None:
    """The denominator vanishes: infinite, no warning, and as likely by chance as one order of k again and again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = iman_davenport(table(np.tile(np.arange(k), (N, 1))))
    assert result.statistic == math.inf
    assert result.p_value == pytest.approx(math.factorial(k) ** float(1 - N))
    assert result.significant == ((k, N) not in {(2, 2), (3, 2)})  # 1/2 and 1/6


def test_intervals_of_two_algorithms_are_binomial() -> None:
    """Of two algorithms the mean rank of one is 1 + Binomial(N, share of losses)/N, whose quantiles are known."""
    N, lost = 40, 12
    values = table([[1, 0]] * lost + [[0, 1]] * (N - lost))
    intervals = mean_rank_intervals(values, confidence=0.9, resamples=20000, rng=np.random.default_rng(1))
    expected = 1 + stats.binom.ppf([0.05, 0.95], N, lost / N) / N
    assert intervals["mean_rank"].iloc[0] == 1 + lost / N
    assert intervals[["low", "high"]].iloc[0].to_list() == pytest.approx(expected, abs=1.01 / N)


def test_intervals_hold_the_mean_and_repeat() -> None:
    """The mean rank lies within; the same generator gives the same; where nothing varies the interval is a point."""
    values = tied(24, 6, 2)
    first, again = (mean_rank_intervals(values, resamples=500, rng=np.random.default_rng(3)) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert (first["low"] <= first["mean_rank"]).all()
    assert (first["mean_rank"] <= first["high"]).all()
    fixed = mean_rank_intervals(table([[1, 2]] * 4), resamples=10, rng=np.random.default_rng(4))
    assert fixed.to_numpy().tolist() == [[1, 1, 1], [2, 2, 2]]
    with pytest.raises(ValueError, match="two or more observations"):
        mean_rank_intervals(table([[1, 2]]), rng=np.random.default_rng(5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy also computes a standard error
        assert len(mean_rank_intervals(values, resamples=1, rng=np.random.default_rng(6))) == 6
    for none in (0, -1):
        with pytest.raises(ValueError, match="n_resamples"):
            mean_rank_intervals(values, resamples=none, rng=np.random.default_rng(6))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pd.DataFrame({"A": [1.0]}), "1 algorithm over 1 problem: at least 2 algorithms"),
        (pd.DataFrame({"A": [], "B": []}), "2 algorithms over 0 problems: at least 2 algorithms"),
        (pd.DataFrame({"A": [1.0, np.nan], "B": [1.0, 2.0]}), "1 of 4 values are NaN; leave out problems"),
        (pd.DataFrame({"A": [1], "B": ["x"]}), "could not convert string to float"),
        (pd.DataFrame([[1, 2]], columns=["A", "A"]), "algorithm 'A' is there more than once"),
    ],
)
def test_what_is_no_table_of_values(values: pd.DataFrame, said: str) -> None:
    """One line says what was given and what is allowed."""
    with pytest.raises(ValueError, match=said) as refused:
        rank_rows(values)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("ranks", "possible"),
    [
        ([0.96, 2.04], True),
        ([0.94, 2.06], False),
        ([0.94, 2.04], False),
        ([0.96, 2.06], False),
        ([1.5, 1.59], True),
        ([1.5, 1.61], False),
        ([1.5, 1.41], True),
        ([1.5, 1.39], False),
        ([1.3, 2.5, 2.34], True),
        ([1.3, 2.5, 2.36], False),
    ],
)
def test_ranks_may_be_rounded_to_a_decimal(ranks: list[float], *, possible: bool) -> None:
    """Each by 0.05; χ²_F is then that of their distances from the middle."""
    k = len(ranks)
    if possible:
        expected = 12 * 7 / (k * (k + 1)) * sum((rank - (k + 1) / 2) ** 2 for rank in ranks)
        assert friedman_statistic(pd.Series(ranks), 7) == pytest.approx(expected)
        return
    with pytest.raises(ValueError, match="they must lie within"):
        friedman_statistic(pd.Series(ranks), 7)


@pytest.mark.parametrize(
    ("ranks", "problems", "said"),
    [
        ([1.0, 2.0], 0, "mean ranks of 2 over 0"),
        ([1.0], 5, "mean ranks of 1 over 5"),
        ([1.0, 3.0, 3.0], 5, "1 … 3 and add up to 6"),
        ([1.0, 2.0], 1, "needs at least 2"),
    ],
)
def test_what_are_no_mean_ranks(ranks: list[float], problems: int, said: str) -> None:
    """Ranks that cannot be some are refused, and one problem leaves no degree of freedom."""
    with pytest.raises(ValueError, match=said):
        iman_davenport_from_ranks(pd.Series(ranks), problems)
