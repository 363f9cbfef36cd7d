"""Groups of algorithms that no test tells apart: what the bars of a critical-difference diagram join."""

from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

ALPHA = 0.05

Ranks: TypeAlias = "pd.Series[float]"
"""Mean ranks by algorithm, the best first."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Mean ranks of algorithms on the same problems, and which pairs differ.

    Args:
        mean_ranks: R_j by algorithm, 1 the best.
        p_values: adjusted, algorithms × algorithms, as from ``sacma.analysis.statistics.bergmann_hommel``; without
            them a pair differs where its ranks do by more than the critical difference.
        critical_difference: as from ``sacma.analysis.statistics.critical_difference``; drawn as a scale if given
            and shorter than about half the diagram, else written only.
        title: what was compared.
    """

    mean_ranks: pd.Series
    p_values: pd.DataFrame | None = None
    critical_difference: float | None = None
    title: str = ""


def by_rank(ranking: Ranking) -> Ranks:
    """Return the mean ranks, the best first.

    Raises:
        ValueError: there are fewer than two, or they cannot be mean ranks.

    >>> by_rank(Ranking(pd.Series({"A": 1.0})))
    Traceback (most recent call last):
    ...
    ValueError: 1 algorithm: a ranking needs two or more
    """
    ranks: Ranks = ranking.mean_ranks.astype(float)
    k = len(ranks)
    if k < 2:  # noqa: PLR2004 two to compare
        raise ValueError(f"{k} algorithm{'' if k == 1 else 's'}: a ranking needs two or more")
    if not ranks.index.is_unique:
        raise ValueError(f"algorithm {ranks.index[ranks.index.duplicated()][0]!r} has more than one mean rank")
    wrong = ranks[~ranks.between(1, k)]
    if len(wrong):
        raise ValueError(f"the mean rank of {wrong.index[0]} is {wrong.iloc[0]:g}; of {k} algorithms it is 1 … {k}")
    return ranks.sort_values(kind="stable")


def groups_alike(ranking: Ranking, alpha: float = ALPHA) -> list[tuple[str, ...]]:
    """Return the maximal groups of neighbours in rank of which no pair differs.

    Adjusted p-values need not fall with the distance of ranks: two algorithms that do not differ may have one between
    them that differs from one of the two. A bar over all three would say more than the tests do, so there is none.

    Args:
        ranking: with p-values or a critical difference.
        alpha: family-wise level; a pair with a p-value below it differs.

    Returns:
        Groups of two or more algorithms by rank, the best first.

    Raises:
        ValueError: as ``by_rank``, or it is not said of each pair whether it differs.

    >>> groups_alike(Ranking(pd.Series({"A": 1.0, "B": 2.0, "C": 3.0}), critical_difference=1.5))
    [('A', 'B'), ('B', 'C')]
    """
    ranks = by_rank(ranking)
    alike = _alike(ranking, ranks, alpha)
    groups = []
    reached = 0
    for first in range(len(ranks)):
        last = first
        while last + 1 < len(ranks) and alike[first : last + 1, last + 1].all():
            last += 1
        if last > max(first, reached):
            groups.append(tuple(str(name) for name in ranks.index[first : last + 1]))
            reached = last
    return groups


def _alike(ranking: Ranking, ranks: Ranks, alpha: float) -> npt.NDArray[np.bool_]:
    """Which pairs do not differ, in the order of ``ranks``."""
    if ranking.p_values is None:
        if ranking.critical_difference is None:
            raise ValueError("neither p-values nor a critical difference: one must say which pairs differ")
        R = ranks.to_numpy(np.float64)
        by_distance: npt.NDArray[np.bool_] = np.abs(R[:, None] - R) <= ranking.critical_difference
        return by_distance
    table = ranking.p_values.reindex(index=ranks.index, columns=ranks.index)
    p = table.to_numpy(dtype=np.float64, na_value=np.nan)
    for i, j in permutations(range(len(p)), 2):
        if not 0 <= p[i, j] <= 1:
            raise ValueError(f"the p-value of {ranks.index[i]} and {ranks.index[j]} is {p[i, j]}; every pair needs one")
    alike: npt.NDArray[np.bool_] = np.minimum(p, p.T) >= alpha
    return alike
