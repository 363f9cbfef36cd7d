"""Tests of all pairs of algorithms: Friedman's post-hoc test and corrections for testing all pairs at once.

    k        number of algorithms
    m        number of hypotheses "i and j do not differ", k(k-1)/2
    p_ij     raw p-value of such a hypothesis                                               (k, k)
    I        exhaustive set: hypotheses of which all, and no others, can be true together

p-values come as frames, algorithms × algorithms: symmetric, and NaN on the diagonal, where there is no hypothesis;
the diagonal of a given frame is ignored. A pair differs at the family-wise level α where its adjusted p-value is below
α. From the least to the most powerful correction: Holm's, Shaffer's, Bergmann's and Hommel's, which is the paper's.

Sources: S. García and F. Herrera, An extension on "Statistical comparisons of classifiers over multiple data sets" for
all pairwise comparisons, JMLR 9 (2008); J. P. Shaffer, Modified sequentially rejective multiple test procedures, JASA
81 (1986); G. Bergmann and G. Hommel, Improvements of general multiple test procedures for redundant systems of
hypotheses, in Multiple Hypotheses Testing (1988).
"""

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from scipy.spatial.distance import squareform

from sacma.analysis.statistics.ranks import Floats, as_mean_ranks, check_probability, rank_rows

Booleans = npt.NDArray[np.bool_]

MOST_ALGORITHMS = 9  # up to which the exhaustive sets are listed: 21,146 for 9 algorithms, 115,974 for 10, and so on


def friedman_posthoc(values: pd.DataFrame) -> pd.DataFrame:
    """Return raw p-values p_ij of all pairs from values (N, k); see ``posthoc_from_ranks``.

    >>> friedman_posthoc(pd.DataFrame({"A": [1, 2, 3, 4], "B": [2, 3, 4, 5]})).round(4).to_numpy().tolist()
    [[nan, 0.0455], [0.0455, nan]]
    """
    return posthoc_from_ranks(rank_rows(values).mean(), len(values))


def posthoc_from_ranks(mean_ranks: pd.Series, problems: int) -> pd.DataFrame:
    """Return two-sided raw p-values p_ij of z = (R_i - R_j) / √(k(k+1)/(6N)), normally distributed, from R_j (k,).

    Raises:
        ValueError: the mean ranks are not possible ones.

    >>> ranks = pd.Series({"C4.5": 2.100, "1-NN": 3.250, "NaiveBayes": 2.200, "Kernel": 4.333, "CN2": 3.117})
    >>> float(posthoc_from_ranks(ranks, 30).round(4).loc["C4.5", "1-NN"])  # the example of García and Herrera
    0.0048
    """
    R = as_mean_ranks(mean_ranks, problems)
    k = R.size
    z = (R[:, None] - R) / math.sqrt(k * (k + 1) / (6 * problems))
    raw = 2 * stats.norm.sf(np.abs(z))
    np.fill_diagonal(raw, np.nan)
    return pd.DataFrame(raw, mean_ranks.index, mean_ranks.index)


def holm(raw: pd.DataFrame) -> pd.DataFrame:
    """Return p-values adjusted by Holm: max over l ≤ i of min(1, (m - l + 1) p_l), for p_1 ≤ … ≤ p_m.

    Raises:
        ValueError: ``raw`` is not a table of p-values of pairs.

    >>> raw = pd.DataFrame([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> holm(raw).to_numpy().tolist()
    [[nan, 0.03, 0.06], [0.03, nan, 0.06], [0.06, 0.06, nan]]
    """
    return _as_table(holm_of(_of_pairs(raw)), raw)


def holm_of(p: Floats) -> Floats:
    """Return the p-values of any hypotheses, shape (m,), adjusted by Holm.

    >>> holm_of(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    return _step_down(p, np.arange(p.size, 0, -1))


def shaffer(raw: pd.DataFrame) -> pd.DataFrame:
    """Return p-values adjusted by Shaffer's static procedure: max over l ≤ i of min(1, t_l p_l), for p_1 ≤ … ≤ p_m.

    t_l is the largest number of hypotheses that can be true when l - 1 are false: the largest in S(k) that is at most
    m - l + 1, where S(k) = ∪_j=1…k {j(j-1)/2 + s : s ∈ S(k-j)} and S(0) = S(1) = {0}.

    Raises:
        ValueError: ``raw`` is not a table of p-values of pairs.

    >>> raw = pd.DataFrame([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> shaffer(raw).to_numpy().tolist()
    [[nan, 0.03, 0.04], [0.03, nan, 0.03], [0.04, 0.03, nan]]
    """
    p = _of_pairs(raw)
    attainable = np.array(sorted(_numbers_of_true(len(raw))))
    t = attainable[np.searchsorted(attainable, np.arange(p.size, 0, -1), side="right") - 1]
    return _as_table(_step_down(p, t), raw)


def bergmann_hommel(raw: pd.DataFrame) -> pd.DataFrame:
    """Return p-values adjusted by Bergmann and Hommel: min(1, max over exhaustive I ∋ ij of |I| · min of p in I).

    The exhaustive sets are the partitions of the algorithms into blocks that do not differ: the pairs within blocks.
    This is the closed test, exact: an adjusted p-value may be below that of a pair with a smaller raw one, which some
    programs raise to it.

    Raises:
        ValueError: ``raw`` is not a table of p-values of pairs, or of more than 9 algorithms.

    >>> raw = pd.DataFrame([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> bergmann_hommel(raw).to_numpy().tolist()
    [[nan, 0.03, 0.04], [0.03, nan, 0.03], [0.04, 0.03, nan]]
    """
    p = _of_pairs(raw)
    if len(raw) > MOST_ALGORITHMS:
        raise ValueError(
            f"{len(raw)} algorithms: Bergmann's and Hommel's correction takes at most {MOST_ALGORITHMS}; use shaffer"
        )
    sets = _exhaustive_sets(len(raw))
    of_set = sets.sum(axis=1) * np.min(np.broadcast_to(p, sets.shape), axis=1, where=sets, initial=np.inf)
    adjusted = np.max(np.broadcast_to(of_set[:, None], sets.shape), axis=0, where=sets, initial=0.0)
    return _as_table(np.minimum(1, adjusted), raw)


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks of k algorithms over n problems: CD = q_α √(k(k+1)/(6n)).

    q_α is the upper α quantile of the studentized range of k with infinite degrees of freedom, divided by √2.
    Source: Demšar 2006, section 3.2.2.

    Raises:
        ValueError: fewer than 2 algorithms or 1 problem; ``alpha`` is not within 0 … 1.

    >>> round(critical_difference(4, 14, alpha=0.10), 2)  # Demšar's example
    1.12
    """
    check_probability("alpha", alpha)
    if k < 2 or n < 1:  # noqa: PLR2004 two to compare
        raise ValueError(f"{k} algorithms over {n} problems: at least 2 algorithms over 1 problem can be compared")
    q = float(stats.studentized_range.isf(alpha, k, np.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n))


def _of_pairs(raw: pd.DataFrame) -> Floats:
    """p-values of the hypotheses (m,), the upper triangle row by row, after checking them."""
    k = len(raw)
    if k < 2 or not raw.index.equals(raw.columns):  # noqa: PLR2004 two make a pair
        raise ValueError(
            f"p-values have rows {list(raw.index)} and columns {list(raw.columns)}; they must be the same, 2 or more"
        )
    p = raw.to_numpy(dtype=np.float64, na_value=np.nan)
    upper = np.triu_indices(k, 1)
    pairs: Floats = p[upper]
    if not ((pairs >= 0) & (pairs <= 1)).all():
        raise ValueError(
            f"p-values of pairs go from {pairs.min():.4g} to {pairs.max():.4g}; they must lie within 0 … 1"
        )
    if not np.allclose(pairs, p.T[upper], rtol=1e-9, atol=0):
        raise ValueError("p-values are not symmetric; row and column of a pair must hold the same")
    return pairs


def _step_down(p: Floats, t: npt.NDArray[np.int_]) -> Floats:
    """Return max over l ≤ i of min(1, t_l p_l), for p_1 ≤ … ≤ p_m, in the order of ``p``, shape (m,)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(t * p[order]))
    return adjusted


def _as_table(pairs: Floats, like: pd.DataFrame) -> pd.DataFrame:
    """p-values of hypotheses (m,) in the shape of ``like``."""
    table = squareform(pairs)
    np.fill_diagonal(table, np.nan)
    return pd.DataFrame(table, like.index, like.columns)


@cache
def _numbers_of_true(k: int) -> frozenset[int]:
    """S(k): how many of the hypotheses on k algorithms can be true together."""
    if k <= 1:
        return frozenset({0})
    return frozenset(math.comb(j, 2) + s for j in range(1, k + 1) for s in _numbers_of_true(k - j))


@cache
def _exhaustive_sets(k: int) -> Booleans:
    """Every exhaustive set but the empty one (Bell number - 1, m): which pairs lie within blocks of a partition."""
    # Restricted growth strings: algorithm i is in the block of an earlier one, or opens the next.
    blocks = np.zeros((1, 1), dtype=np.int8)
    for _ in range(k - 1):
        choices = blocks.max(axis=1) + 2
        rows = np.repeat(np.arange(len(blocks)), choices)
        first = np.repeat(np.cumsum(choices) - choices, choices)
        block = (np.arange(len(rows)) - first).astype(np.int8)
        blocks = np.column_stack([blocks[rows], block])
    i, j = np.triu_indices(k, 1)
    sets: Booleans = blocks[:, i] == blocks[:, j]
    sets = sets[sets.any(axis=1)]
    sets.flags.writeable = False  # it is cached
    return sets
