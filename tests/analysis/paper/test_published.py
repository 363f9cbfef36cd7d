"""The published tables agree with each other by our statistics."""

from itertools import permutations, product

import pandas as pd
import pytest

from sacma.analysis import published
from sacma.analysis.published import ALGORITHMS
from sacma.analysis.statistics.pairwise import mean_ranks_from_wins
from sacma.analysis.statistics.posthoc import bergmann_hommel, posthoc_from_ranks
from sacma.analysis.statistics.ranks import iman_davenport_from_ranks
from sacma.analysis.trials import THIRD_OF_IT, UNTIL_TARGET

SCENARIOS = list(product([2, 3, 5, 10, 20], [THIRD_OF_IT, UNTIL_TARGET]))


def of(table: pd.DataFrame, scenario: tuple[int, str]) -> pd.DataFrame:
    return table[(table["dimension"] == scenario[0]) & (table["scenario"] == scenario[1])]


def ranks_of(scenario: tuple[int, str]) -> pd.Series:
    return of(published.mean_ranks(), scenario).set_index("algorithm")["mean_rank"].loc[list(ALGORITHMS)]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_mean_ranks_follow_from_the_wins(scenario: tuple[int, str]) -> None:
    """Table 4 gives the mean ranks of Table 3 to 0.05: a win in 24 counted otherwise, and rounding."""
    names = list(ALGORITHMS)
    wins = of(published.pairs(), scenario).pivot(index="algorithm", columns="other", values="wins").loc[names, names]
    found = mean_ranks_from_wins(wins, published.PROBLEMS)
    assert found.to_dict() == pytest.approx(ranks_of(scenario).to_dict(), abs=0.05)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_iman_davenport_follows_from_the_mean_ranks(scenario: tuple[int, str]) -> None:
    """Table 3's mean ranks give its F_F to 0.03, and its asterisks: above 2.29 and nowhere else."""
    (statistic,) = of(published.iman_davenport(), scenario)["statistic"].to_list()
    (significant,) = of(published.iman_davenport(), scenario)["significant"].to_list()
    result = iman_davenport_from_ranks(ranks_of(scenario), published.PROBLEMS)
    assert result.statistic == pytest.approx(statistic, abs=0.03)
    assert result.significant == significant == (statistic > 2.29)
    assert result.critical_value == pytest.approx(2.29, abs=0.005)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_significant_pairs_follow_from_the_mean_ranks(scenario: tuple[int, str]) -> None:
    """The post-hoc test with Bergmann's and Hommel's correction gives all asterisks of Table 4, and no others."""
    ranks = ranks_of(scenario)
    adjusted = bergmann_hommel(posthoc_from_ranks(ranks, published.PROBLEMS))
    tested = iman_davenport_from_ranks(ranks, published.PROBLEMS).significant
    found = {
        (winner, loser)
        for winner, loser in permutations(ALGORITHMS, 2)
        if tested and adjusted[winner][loser] < 0.05 and ranks[winner] < ranks[loser]
    }
    table = of(published.pairs(), scenario)
    marked = table[table["significant"]]
    assert found == set(zip(marked["algorithm"], marked["other"], strict=True))
