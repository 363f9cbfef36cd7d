"""Wilcoxon's signed-rank test of paired values, exact with ties.

    n        number of differences that are not zero
    W        sum of the ranks of their absolute values, average ranks on ties, over those that are positive

Sources: F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945); J. Demšar, Statistical
comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.1.3.
"""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from sacma.analysis.statistics.ranks import Floats


def signed_rank(differences: Sequence[float] | Floats) -> float:
    """Return the two-sided p-value: how often W would be as far from its mean if each sign were a toss of a coin.

    Zeros are left out. The distribution of W is that of the ranks that are there: with ties, ``scipy.stats.wilcoxon``
    is exact for up to 13 differences only, and takes 0.4 s for 12; without, both are the same.

    Args:
        differences: of the values of a pair, one a problem. What is equal must be so exactly: round beforehand.

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
