"""Ranks of algorithms over problems: tests of whether they differ, and intervals of mean ranks.

A table of values has a problem a row and an algorithm a column; lower is better, and an infinite value is one that
never got anywhere. Equal values are ties: round beforehand values that differ by noise only.

    N        number of problems
    k        number of algorithms
    r_ij     rank of algorithm j on problem i, 1 the best, average ranks on ties           (N, k)
    R_j      mean rank of algorithm j, the mean of r_ij over problems                       (k,)
    χ²_F     Friedman's statistic
    F_F      Iman's and Davenport's

Sources: J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), sections 3.2.2 and
3.2.3; R. L. Iman and J. M. Davenport, Approximations of the critical region of the Friedman statistic, Communications
in Statistics A 9 (1980).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

Floats = npt.NDArray[np.float64]

ROUNDING = 0.05  # by how much a published mean rank may be rounded: to one decimal


@dataclass(frozen=True)
class ImanDavenport:
    """Iman's and Davenport's variant of Friedman's test.

    F_F is infinite where all problems rank the algorithms alike; its p-value is then the probability of that,
    (k!)^(1-N) without ties, which is not small for few problems.
    """

    statistic: float  # F_F
    degrees_of_freedom: tuple[int, int]  # of the F distribution: k - 1 and (k - 1)(N - 1)
    p_value: float
    critical_value: float  # the upper ``alpha`` quantile of the distribution
    alpha: float  # level of significance

    @property
    def significant(self) -> bool:
        """True where the mean ranks differ at the level ``alpha``."""
        return self.p_value < self.alpha


def as_array(values: pd.DataFrame) -> Floats:
    """Return a table of values (N, k) as an array after checking it.

    Raises:
        ValueError: fewer than 2 algorithms or 1 problem, an algorithm named twice, something else than numbers, NaN.

    >>> as_array(pd.DataFrame({"A": [1, 2]}))
    Traceback (most recent call last):
    ...
    ValueError: 1 algorithm over 2 problems: at least 2 algorithms (columns) over 1 problem (row) can be compared
    """
    N, k = values.shape
    if k < 2 or N < 1:  # noqa: PLR2004 two to compare
        algorithms, problems = (f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in ((k, "algorithm"), (N, "problem")))
        raise ValueError(
            f"{algorithms} over {problems}: at least 2 algorithms (columns) over 1 problem (row) can be compared"
        )
    if not values.columns.is_unique:
        twice = values.columns[values.columns.duplicated()][0]
        raise ValueError(f"algorithm {twice!r} is there more than once; each column needs a name of its own")
    array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    if unknown := np.isnan(array).sum():
        raise ValueError(f"{unknown} of {array.size} values are NaN; leave out problems that lack an algorithm")
    return array


def as_mean_ranks(mean_ranks: pd.Series, problems: int) -> Floats:
    """Return mean ranks (k,), to one decimal at least, as an array after checking them.

    Raises:
        ValueError: fewer than 2 algorithms or 1 problem; ranks that are not in 1 … k or do not add up to k(k+1)/2.

    >>> as_mean_ranks(pd.Series({"A": 1.5, "B": 2.5}), 24)
    Traceback (most recent call last):
    ...
    ValueError: mean ranks 1.5, 2.5 of 2 algorithms: they must lie within 1 … 2 and add up to 3
    """
    R = np.asarray(mean_ranks, dtype=np.float64)
    k = R.size
    if k < 2 or problems < 1:  # noqa: PLR2004 two to compare
        raise ValueError(f"mean ranks of {k} over {problems}: at least 2 algorithms over 1 problem can be compared")
    total = k * (k + 1) // 2
    within = R.min() >= 1 - ROUNDING and R.max() <= k + ROUNDING
    if not (within and abs(R.sum() - total) <= k * ROUNDING):
        given = ", ".join(f"{rank:.4g}" for rank in R)
        raise ValueError(f"mean ranks {given} of {k} algorithms: they must lie within 1 … {k} and add up to {total}")
    return R


def check_probability(name: str, given: float) -> None:
    """Raise a ValueError that names the argument unless it is strictly between 0 and 1."""
    if not 0 < given < 1:
        raise ValueError(f"{name} is {given}; it must lie between 0 and 1")


def rank_rows(values: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks r_ij (N, k) of algorithms on each problem, 1 the lowest value, average ranks on ties.

    Raises:
        ValueError: ``values`` is not a table of numbers.

    >>> rank_rows(pd.DataFrame({"A": [0.1, 5], "B": [0.2, 5], "C": [0.3, 1]})).to_numpy().tolist()
    [[1.0, 2.0, 3.0], [2.5, 2.5, 1.0]]
    """
    return pd.DataFrame(stats.rankdata(as_array(values), axis=1), values.index, values.columns)


def friedman_statistic(mean_ranks: pd.Series, problems: int) -> float:
    """Return χ²_F = 12N/(k(k+1)) · Σ_j (R_j - (k+1)/2)² of mean ranks R_j (k,) over N problems.

    As in the paper and in Demšar there is no correction for ties: with ties the test is conservative. For ranks that
    add up to k(k+1)/2 this is the usual Σ_j R_j² - k(k+1)²/4. For ranks that were rounded for print the usual form
    multiplies the rounding error of the sum by k + 1: on the paper's Table 3 its F_F are off by up to 0.16, these by
    0.03.

    Raises:
        ValueError: the mean ranks are not possible ones.

    >>> round(friedman_statistic(pd.Series([3.143, 2.000, 2.893, 1.964]), 14), 2)  # Demšar's example
    9.28
    """
    R = as_mean_ranks(mean_ranks, problems)
    k = R.size
    return 12 * problems / (k * (k + 1)) * float(np.sum((R - (k + 1) / 2) ** 2))


def iman_davenport(values: pd.DataFrame, *, alpha: float = 0.05, ties: bool = False) -> ImanDavenport:
    """Test whether algorithms differ, the paper's test, from values (N, k); see ``iman_davenport_from_ranks``.

    The paper's χ²_F is not corrected for ties: with them the test is conservative. With ``ties`` it is, as by
    W. J. Conover, Practical Nonparametric Statistics (1999), section 5.8: divided by the spread of the ranks within
    problems over that of ranks without ties.

    >>> values = pd.DataFrame({"A": [1, 2, 3, 4], "B": [2, 3, 4, 5], "C": [3, 4, 5, 1]})
    >>> result = iman_davenport(values)
    >>> round(result.statistic, 2), result.degrees_of_freedom, round(result.critical_value, 2), result.significant
    (2.33, (2, 6), 5.14, False)
    >>> round(iman_davenport(values.clip(lower=3), ties=True).statistic, 2)
    0.57
    """
    ranks = rank_rows(values)
    k = len(ranks.columns)
    spread = 12 / (k**2 - 1) * float(np.mean((ranks.to_numpy() - (k + 1) / 2) ** 2)) if ties else 1.0
    return iman_davenport_from_ranks(ranks.mean(), len(values), alpha=alpha, spread=spread)


def iman_davenport_from_ranks(
    mean_ranks: pd.Series, problems: int, *, alpha: float = 0.05, spread: float = 1.0
) -> ImanDavenport:
    """Test whether algorithms differ, from mean ranks (k,) as published: F_F = (N-1) χ²_F / (N(k-1) - χ²_F).

    χ²_F is divided by ``spread``: the variance of the ranks over that without ties, 0 where all ranks are equal.

    Raises:
        ValueError: the mean ranks are not possible ones, or of one problem only; ``alpha`` is not within 0 … 1.

    >>> result = iman_davenport_from_ranks(pd.Series([3.143, 2.000, 2.893, 1.964]), 14)  # Demšar's example
    >>> round(result.statistic, 2), round(result.critical_value, 2)
    (3.69, 2.85)
    """
    check_probability("alpha", alpha)
    chi2, k = friedman_statistic(mean_ranks, problems) / (spread or 1.0), len(mean_ranks)
    if problems < 2:  # noqa: PLR2004 one leaves no degree of freedom
        raise ValueError("values are of 1 problem; the test of Iman and Davenport needs at least 2")
    largest = problems * (k - 1)
    # All problems rank alike: the rest is 0, but for rounding, which may be that of printed ranks.
    alike = largest - chi2 <= 1e-12 * largest
    statistic = math.inf if alike else (problems - 1) * chi2 / (largest - chi2)
    freedom = (k - 1, (k - 1) * (problems - 1))
    if alike:  # mean ranks are those of each problem: ties of some t leave k! / Π t! rankings
        ties = np.unique(mean_ranks, return_counts=True)[1]
        rankings = math.lgamma(k + 1) - sum(math.lgamma(t + 1) for t in ties)
    p_value = math.exp((1 - problems) * rankings) if alike else float(stats.f.sf(statistic, *freedom))
    return ImanDavenport(statistic, freedom, p_value, float(stats.f.isf(alpha, *freedom)), alpha)


def mean_rank_intervals(
    values: pd.DataFrame, *, confidence: float = 0.95, resamples: int = 9999, rng: np.random.Generator
) -> pd.DataFrame:
    """Return mean ranks with percentile bootstrap intervals over problems.

    Problems, whole rows, are drawn with replacement. Intervals do not serve to compare two algorithms, whose mean
    ranks vary together.

    Returns:
        A row an algorithm; columns mean_rank, low, high.

    Raises:
        ValueError: ``values`` is not a table of numbers, or has one problem only; ``confidence`` is not within 0 … 1;
            no resamples.

    >>> values = pd.DataFrame({"A": [1, 1, 1, 3], "B": [2, 2, 2, 2], "C": [3, 3, 3, 1]})
    >>> intervals = mean_rank_intervals(values, rng=np.random.default_rng(1))
    >>> intervals.loc["A"].to_dict(), intervals.loc["B"].to_dict()
    ({'mean_rank': 1.5, 'low': 1.0, 'high': 2.5}, {'mean_rank': 2.0, 'low': 2.0, 'high': 2.0})
    """
    check_probability("confidence", confidence)
    ranks = rank_rows(values).to_numpy()
    options = {"n_resamples": resamples, "batch": 1000, "confidence_level": confidence, "method": "percentile"}
    interval = stats.bootstrap((ranks,), np.mean, axis=0, rng=rng, **options).confidence_interval
    columns = {"mean_rank": ranks.mean(axis=0), "low": interval.low, "high": interval.high}
    return pd.DataFrame(columns, index=values.columns)
