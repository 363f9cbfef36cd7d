"""Groups that no test tells apart, against their definition."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.statistics.posthoc import bergmann_hommel, critical_difference, posthoc_from_ranks
from sacma.analysis.tables import OF_FEW, OF_MANY, groups_alike


def pairs(p: pd.DataFrame) -> pd.DataFrame:
    """Return a table of p-values as rows of pairs."""
    rows = [(one, other, p.loc[one, other]) for one in p.index for other in p.columns if one != other]
    frame = pd.DataFrame(rows, columns=["algorithm", "other", "p"])
    return frame.assign(**{OF_FEW: frame["p"], OF_MANY: frame["p"]})


def by_definition(ranks: pd.Series, differ: np.ndarray) -> list[list[str]]:
    """Of all runs of neighbours those without a pair that differs, and of these the ones in no other."""
    order = np.argsort(ranks.to_numpy(), kind="stable")
    runs = [order[i:j] for i in range(len(order)) for j in range(i + 2, len(order) + 1)]
    alike = [run for run in runs if not any(differ[a, b] for a, b in combinations(run, 2))]
    largest = [run for run in alike if not any(set(run) < set(other) for other in alike)]
    return [list(ranks.index[run]) for run in largest]


@pytest.mark.parametrize("k", [2, 3, 5, 8, 12])
def test_against_the_definition(k: int) -> None:
    """For any pattern of differences, also such as no correction gives."""
    rng = np.random.default_rng(k)
    for share in np.linspace(0, 1, 30):
        ranks = pd.Series(rng.permutation(k) + 1.0, index=[f"a{n}" for n in range(k)])
        p = np.triu(rng.random((k, k)), 1)
        p += p.T
        np.fill_diagonal(p, np.nan)
        table = pd.DataFrame(p, ranks.index, ranks.index)
        assert groups_alike(ranks, pairs(table), alpha=share) == by_definition(ranks, p < share)


def test_example_of_demsar() -> None:
    """Nemenyi's test at 0.10 finds two groups, and cannot tell to which of them C4.5+cf belongs."""
    ranks = pd.Series({"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964})
    apart = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy())) > critical_difference(4, 14, alpha=0.10)
    assert groups_alike(ranks, pairs(pd.DataFrame(1.0 - apart, ranks.index, ranks.index))) == [
        ["C4.5+m+cf", "C4.5+m", "C4.5+cf"],
        ["C4.5+cf", "C4.5"],
    ]


def test_adjusted_p_values() -> None:
    """The table may be in any order; a bar ends where Bergmann's and Hommel's procedure tells two apart."""
    ranks = pd.Series({"C": 3.9, "A": 1.4, "B": 1.6, "D": 3.1})
    p = bergmann_hommel(posthoc_from_ranks(ranks, 24))
    shuffled = p.loc[["D", "A", "C", "B"], ["D", "A", "C", "B"]]
    assert groups_alike(ranks, pairs(shuffled)) == [["A", "B"], ["D", "C"]]


def test_a_gap_has_no_bar() -> None:
    """Two algorithms that do not differ are not joined over one that differs from both."""
    ranks = pd.Series({"A": 1.0, "B": 2.0, "C": 3.0})
    p = pd.DataFrame([[np.nan, 0.01, 0.9], [0.01, np.nan, 0.01], [0.9, 0.01, np.nan]], ranks.index, ranks.index)
    assert groups_alike(ranks, pairs(p)) == []
