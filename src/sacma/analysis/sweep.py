"""The best of a grid of settings, by the paper's rule, and how clear it is.

Settings of one algorithm are ranked by Δf_med on each function, in each dimension, after each number of evaluations: a
*ranking*, one row of ``rank_settings``. The best setting has the most first ranks; of several, the one with the lowest
sum of ranks (section "Experimental Setup" of the paper).

    k        number of settings
    n        number of functions
    r_ij     rank of setting j in ranking i, 1 the best, average ranks on ties

Several settings may have the lowest Δf_med, where several reach the target above all. Each of them has a first rank
then, and they share the average of their ranks in the sum. The paper does not say what it did with ties.

What is said of certainty takes a function as the unit, with all its dimensions and numbers of evaluations: those are
looks at the same runs, or at much the same problem, and no independent evidence.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sacma.analysis.statistics import rank_rows, signed_rank
from sacma.analysis.statistics.posthoc import holm_of

RANKING = ["dimension", "function", "budget"]  # what a ranking is of

RESAMPLES = 9999


@dataclass(frozen=True)
class BestSetting:
    """The best setting, and what decided it."""

    winner: str  # the best; of several, the first
    runner_up: str  # the next, or the second of several best
    decided_by: str  # first ranks, rank sum or nothing: tells the winner from the runner-up
    margin: int  # first ranks of the winner less those of the runner-up
    tied: tuple[str, ...]  # settings with as many first ranks as the winner, the winner too


def rank_settings(medians: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """Return the ranks r_ij of settings by Δf_med, 1 the lowest, average ranks on ties: rankings × settings.

    A relative difference that is rounding noise of the logarithm is a tie. A ranking that lacks a setting is left out.
    ``medians`` has columns algorithm (the name of the setting), dimension, function, budget and median_delta_f.

    >>> medians = pd.DataFrame({"algorithm": ["A", "B", "C"], "median_delta_f": [1e-8, 1e-3, 1e-8]})
    >>> medians[["dimension", "function", "budget"]] = 2, 1, 25
    >>> rank_settings(medians, ["A", "B", "C"]).to_numpy().tolist()
    [[1.5, 3.0, 1.5]]
    """
    table = medians.pivot(index=RANKING, columns="algorithm", values="median_delta_f")
    table = table.reindex(columns=settings).dropna()
    return rank_rows(table.map(np.log10).round(9)) if len(table) else table


def firsts(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return True where a setting is first in a ranking: all with its lowest Δf_med are.

    >>> firsts(pd.DataFrame({"A": [1.5, 1], "B": [3, 2], "C": [1.5, 3]})).to_numpy().tolist()
    [[True, False, True], [True, False, False]]
    """
    return ranks.eq(ranks.min(axis="columns"), axis="index")


def standings(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return first ranks and rank sums of settings, from ``rank_settings``, the best first, equal ones in its order.

    A row a setting; columns place (the same where first ranks and rank sums are equal), first_ranks, rank_sum and
    mean_rank.

    >>> standings(pd.DataFrame({"A": [2, 2], "B": [1, 3], "C": [3, 1]}))["place"].to_dict()
    {'B': 1, 'C': 1, 'A': 3}
    """
    table = pd.DataFrame({"first_ranks": firsts(ranks).sum(), "rank_sum": ranks.sum(), "mean_rank": ranks.mean()})
    table = table.sort_values(["first_ranks", "rank_sum"], ascending=[False, True], kind="stable")
    scores = list(zip(table["first_ranks"], table["rank_sum"], strict=True))
    table.insert(0, "place", [1 + scores.index(score) for score in scores])
    return table.rename_axis(index="setting")


def decide(table: pd.DataFrame) -> BestSetting:
    """Return the winner and what decided it, from ``standings`` of two settings or more.

    >>> decide(standings(pd.DataFrame({"A": [2, 1], "B": [1, 2], "C": [3, 3]}))).decided_by
    'nothing'
    """
    winner, runner_up = (str(name) for name in table.index[:2])
    first = table["first_ranks"].astype(int)
    margin = int(first.iloc[0] - first.iloc[1])
    decided_by = "first ranks" if margin else "rank sum" if table["place"].iloc[1] > 1 else "nothing"
    tied = tuple(str(name) for name in table.index[first == first.iloc[0]])
    return BestSetting(winner, runner_up, decided_by, margin, tied)


def win_shares(ranks: pd.DataFrame, *, rng: np.random.Generator, resamples: int = RESAMPLES) -> pd.Series:
    """Return how often each setting would have won on other functions of the kind: a bootstrap over functions.

    Functions are drawn with replacement, each with all its rankings, and the rule names the best of each draw; several
    that are best share it. A share is no probability that a setting is the best: it says how much the choice hangs on
    the functions that happen to be there. Shares add up to 1; they are NaN where there is but one function.
    """
    functions = ranks.index.get_level_values("function")
    n = functions.nunique()
    if n < 2:  # noqa: PLR2004 one always gives itself
        return pd.Series(np.nan, ranks.columns, name="win_share")
    first_ranks = firsts(ranks).groupby(functions).sum().to_numpy(dtype=np.int64)
    rank_sums = ranks.groupby(functions).sum().to_numpy()  # multiples of ½: their sums are exact
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    shares = np.zeros(len(ranks.columns))
    for counts in np.array_split(drawn, max(1, resamples // 1000)):
        first, sums = counts @ first_ranks, counts @ rank_sums
        sums = np.where(first == first.max(axis=1, keepdims=True), sums, np.inf)
        best = sums == sums.min(axis=1, keepdims=True)
        shares += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    return pd.Series(shares / resamples, ranks.columns, name="win_share")


def signed_rank_tests(ranks: pd.DataFrame, against: str) -> pd.DataFrame:
    """Test whether settings differ from one of them: Wilcoxon's signed-rank test over functions, two-sided.

    The pair is compared by the mean ranks that both have on a function. Not by Δf, which has no scale that functions
    share, nor by Friedman's post-hoc test: k settings are too many for it (with k = 36 and n = 12, corrected for all
    pairs, mean ranks would have to differ by 17), and its verdict on a pair depends on the other settings.

    Which of the p-values is sound depends on how the pair was chosen:

    - *Winner against a reference that was chosen beforehand*: ``p_holm``, Holm's correction over all k - 1 settings.
      The winner is the best of them, and the best of many looks better than it is: of 36 settings that are all equal,
      it would differ in 7 to 10 % of simulated studies, where 5 % are allowed.
    - *Winner against runner-up*: ``p_raw``. Both were chosen by the same data, but the next best is the one that it is
      hardest to be better than: the two-sided test of this pair alone keeps its level for "the winner is the best"
      (proved for other tests by K. Hung and W. Fithian, Rank verification for exponential families, Annals of
      Statistics 47, 2019; for this one it is simulated in the tests).

    Fewer than 6 functions cannot give a p-value below 0.05. There is a row for each other setting than ``against``;
    columns are functions, better (on how many of them it has the lower mean rank), worse, p_raw and p_holm.

    Source on the choice of the test: A. Benavoli, G. Corani and F. Mangili, Should we really use post-hoc tests based
    on mean-ranks?, JMLR 17 (2016).
    """
    means = ranks.groupby(level="function").mean()
    others = [name for name in ranks.columns if name != against]
    # Means of half ranks over unequal numbers of rankings are rounded: what is equal must look equal.
    differences = means[others].sub(means[against], axis="index").round(9)
    p_raw = [signed_rank(column) for column in differences.to_numpy().T]
    columns = {"functions": len(means), "better": (differences < 0).sum(), "worse": (differences > 0).sum()}
    columns |= {"p_raw": p_raw, "p_holm": holm_of(np.array(p_raw))}
    return pd.DataFrame(columns, index=pd.Index(others, name="setting"))


def main_effects(ranks: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Return the effect of each value of each key of the grid: the mean rank of the settings that have it.

    In a full grid the mean over the values of a key is (k + 1)/2. The value with the lowest mean rank is the best one
    on average over all that the other keys can be, and need not be the winner's. ``values`` are settings × keys, as
    text; columns are key, value, settings (how many have it), first_ranks (of all of them) and mean_rank.

    >>> ranks = pd.DataFrame({"A": [1, 1], "B": [2, 3], "C": [3, 2]})
    >>> values = pd.DataFrame({"rate": ["0.2", "0.5", "0.5"]}, index=["A", "B", "C"])
    >>> main_effects(ranks, values)["mean_rank"].to_list()
    [1.0, 2.5]
    """
    first_ranks, mean_ranks = firsts(ranks).sum(), ranks.mean()
    rows = []
    for key in values.columns:
        for value in dict.fromkeys(values[key]):
            names = values.index[values[key] == value]
            rows.append((key, value, len(names), int(first_ranks[names].sum()), float(mean_ranks[names].mean())))
    return pd.DataFrame(rows, columns=["key", "value", "settings", "first_ranks", "mean_rank"])
