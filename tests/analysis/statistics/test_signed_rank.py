"""The signed-rank test: against SciPy, published examples and all signs."""

import itertools

import numpy as np
import pytest
from scipy import stats

from sacma.analysis.statistics.pairwise import signed_rank


@pytest.mark.parametrize("n", [1, 2, 5, 6, 12, 24, 40])
def test_without_ties_it_is_scipys(n: int) -> None:
    """SciPy is exact there, too."""
    differences = np.random.default_rng(n).normal(0.3, 1, size=n)
    assert signed_rank(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


@pytest.mark.parametrize("seed", range(6))
def test_with_ties_and_zeros_it_is_that_of_all_signs(seed: int) -> None:
    """The share of the 2ⁿ signs whose W is as far from its mean."""
    differences = np.random.default_rng(seed).integers(-3, 5, size=11).astype(float)
    kept = differences[differences != 0]
    ranks = stats.rankdata(np.abs(kept))
    observed = abs(ranks[kept > 0].sum() - ranks.sum() / 2)
    sums = np.array([ranks[list(signs)].sum() for signs in itertools.product((False, True), repeat=len(kept))])
    assert signed_rank(differences) == pytest.approx(np.mean(np.abs(sums - ranks.sum() / 2) >= observed))
    assert signed_rank(-differences) == pytest.approx(signed_rank(differences))


def test_a_published_example() -> None:
    """Wilcoxon's plants, crossed and self-fertilised: W⁻ = 24 of 15 pairs, p = 0.041 two-sided."""
    darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert signed_rank(darwin) == pytest.approx(0.0413, abs=5e-5)
