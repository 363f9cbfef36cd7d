"""Pairs of algorithms: wins over problems, effect sizes, and tests of paired and of unpaired values.

    N        number of problems
    w_ij     number of problems on which algorithm i beats algorithm j                      (k, k)
    A        probability that one is better than the other, ties as half
    U        Mann's and Whitney's statistic
    n        number of differences of paired values that are not zero
    W        sum of the ranks of their absolute values, average ranks on ties, over those that are positive

Tables of values are as in ``sacma.analysis.statistics.ranks``: a problem a row, an algorithm a column, lower is better.

Source of A: A. Vargha and H. D. Delaney, A critique and improvement of the CL common language effect size statistics of
McGraw and Wong, Journal of Educational and Behavioral Statistics 25 (2000). Sources of W: F. Wilcoxon, Individual
comparisons by ranking methods, Biometrics Bulletin 1 (1945); J. Demšar, Statistical comparisons of classifiers over
multiple data sets, JMLR 7 (2006), section 3.1.3.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.statistics.ranks import Floats, as_array

# Trials up to which the rank-sum test is exact: beyond, the normal distribution is as good and takes no time.
LARGEST_EXACT = 50

Sample = pd.Series | Sequence[float]  # values of the trials of one algorithm on one function


class RankSum(NamedTuple):
    """Wilcoxon's rank-sum test of two samples.

    Attributes:
        p_value: two-sided.
        superiority: Vargha's and Delaney's A: probability that a trial of the first has the lower value than one of
            the second, ties as half; 0.5 where they are alike, 1 where the first always wins.
    """

    p_value: float
    superiority: float


def pairwise_wins(values: pd.DataFrame) -> pd.DataFrame:
    """Return w_ij (k, k), of the row over the column, from values (N, k); ties are N - w_ij - w_ji.

    Raises:
        ValueError: ``values`` is not a table of numbers.

    >>> pairwise_wins(pd.DataFrame({"A": [1, 1, 3], "B": [2, 1, 1]})).to_numpy().tolist()
    [[0, 1], [1, 0]]
    """
    array = as_array(values)
    wins = np.stack([np.sum(column[:, None] < array, axis=0) for column in array.T])
    return pd.DataFrame(wins, values.columns, values.columns)


def mean_ranks_from_wins(wins: pd.DataFrame, problems: int) -> pd.Series:
    """Return mean ranks from w_ij (k, k) over N problems: R_i = 1 + Σ_j≠i (w_ji + ½ (N - w_ij - w_ji)) / N.

    An algorithm's rank on a problem is 1 plus the number of those that beat it plus half of those that tie with it.
    The diagonal is ignored.

    Raises:
        ValueError: ``wins`` is not a table of wins over so many problems.

    >>> mean_ranks_from_wins(pairwise_wins(pd.DataFrame({"A": [1, 1], "B": [2, 1]})), 2).to_dict()
    {'A': 1.25, 'B': 1.75}
    """
    if not wins.index.equals(wins.columns):
        raise ValueError(f"wins have rows {list(wins.index)} and columns {list(wins.columns)}; they must be the same")
    w = wins.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    np.fill_diagonal(w, 0)
    ties = problems - w - w.T
    np.fill_diagonal(ties, 0)
    if not ((w >= 0).all() and (ties >= 0).all()):
        raise ValueError(f"wins over {problems} problems must be at least 0, and those of a pair at most {problems}")
    return pd.Series(1 + (w.T + ties / 2).sum(axis=1) / problems, wins.index, name="mean_rank")


def rank_sum(a: Sample, b: Sample) -> RankSum:
    """Test whether the unpaired trials of two algorithms on one function differ, lower is better.

    U = Σ_a Σ_b [a > b] + ½ [a = b], A = 1 - U/(n_a n_b). The p-value is exact, with ties too, where neither sample is
    larger than 50: the share of all divisions of the values into two samples of these sizes with U as far from its
    mean. Otherwise it comes from the normal distribution, its variance corrected for ties and with the correction
    for continuity. Where all values are equal it is 1. Infinite values are allowed.

    Raises:
        ValueError: a sample is empty or holds NaN.

    >>> rank_sum([1, 2, 3], [4, 5, 6])
    RankSum(p_value=0.1, superiority=1.0)
    """
    first, second = (np.asarray(sample, dtype=np.float64) for sample in (a, b))
    for name, sample in (("a", first), ("b", second)):
        if sample.size == 0 or np.isnan(sample).any():
            raise ValueError(
                f"{name} has {sample.size} values, {np.isnan(sample).sum()} of them NaN; give at least 1 and no NaN"
            )
    doubled = np.rint(2 * stats.rankdata(np.concatenate([first, second]))).astype(np.int64)  # average ranks: halves
    of_first = int(doubled[: first.size].sum())
    u = of_first / 2 - first.size * (first.size + 1) / 2
    if np.ptp(doubled) == 0:
        p_value = 1.0
    elif max(first.size, second.size) <= LARGEST_EXACT:
        choices = _choices(tuple(sorted(doubled.tolist())), first.size)
        distances = np.abs(np.arange(choices.size) - first.size * (doubled.size + 1))
        far = distances >= abs(of_first - first.size * (doubled.size + 1))
        p_value = float(choices[far].sum() / choices.sum())
    else:
        p_value = float(stats.mannwhitneyu(first, second, alternative="two-sided", method="asymptotic").pvalue)
    return RankSum(p_value, 1 - u / (first.size * second.size))


@lru_cache(maxsize=1024)
def _choices(doubled: tuple[int, ...], size: int) -> Floats:
    """Return how many choices of ``size`` of these ranks have the sum 0, 1 and so on."""
    counts = np.zeros((size + 1, sum(doubled[-size:]) + 1))  # by number of ranks and sum; whole numbers
    counts[0, 0] = 1.0
    for rank in doubled:
        counts[1:, rank:] += counts[:-1, : counts.shape[1] - rank].copy()  # choices without it, and it
    of_size: Floats = counts[size]
    return of_size


def signed_rank(differences: Sequence[float] | Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, exact with ties.

    It is the probability that W is as far from its mean with random signs. Zeros are left out. With ties,
    ``scipy.stats.wilcoxon`` is exact for up to 13 differences only, and takes 0.4 s for 12; without, both are the same.

    Args:
        differences: of the values of a pair, one a problem, rounded so that equal ones are equal exactly.

    Raises:
        ValueError: there is NaN among them.

    >>> signed_rank([1, 2, 3, 4, 5, 6]), signed_rank([1, 1, -1, 0]), signed_rank([0, 0])
    (0.03125, 1.0, 1.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError(f"{np.isnan(values).sum()} of {values.size} differences are NaN; leave out what lacks one")
    values = values[values != 0]
    doubled = np.rint(2 * stats.rankdata(np.abs(values))).astype(np.int64)  # average ranks are multiples of ½
    probabilities = np.ones(1)
    for rank in doubled:
        probabilities = (np.pad(probabilities, (0, rank)) + np.pad(probabilities, (rank, 0))) / 2
    distance = np.abs(2 * np.arange(probabilities.size) - doubled.sum())  # of 4 W, from its mean
    observed = abs(int(2 * doubled[values > 0].sum() - doubled.sum()))
    return min(1.0, float(probabilities[distance >= observed].sum()))
