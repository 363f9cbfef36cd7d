"""Groups that no test tells apart, against their definition."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

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
