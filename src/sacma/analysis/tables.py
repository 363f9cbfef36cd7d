"""Median Δf, mean ranks and pairs of algorithms: the paper's way of comparing algorithms, as data frames.

Δf_med of an algorithm on a function is the median over trials of the best Δf after a number of evaluations, taken
on the log scale, where Δf below the final target counts as the target. Algorithms are ranked on each function by
Δf_med, average ranks on ties; their mean ranks are over functions. A scenario is a number of evaluations in one
dimension. Differences below ``CLOSE`` are ties everywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

import numpy as np
import pandas as pd

from sacma.analysis.statistics.pairwise import pairwise_wins, rank_sum
from sacma.analysis.statistics.posthoc import (
    MOST_ALGORITHMS,
    bergmann_hommel,
    critical_difference,
    friedman_posthoc,
    holm,
    holm_of,
    shaffer,
)
from sacma.analysis.statistics.ranks import iman_davenport, mean_rank_intervals, rank_rows
from sacma.analysis.trials import COMMON, Scenario, Trial, best_delta_f
from sacma.types import Array

ALPHA = 0.05  # level of significance, of a family of tests where there are several
FEWEST_FUNCTIONS = 6  # of fewer no two algorithms differ significantly by a sign test, at this level
UNTESTED = f"Differences over fewer than {FEWEST_FUNCTIONS} functions are not tested."

# Decades of Δf within which values are a tie: trials in the same local optimum differ by the rounding of f, and COCO
# data have ten digits.
CLOSE = 1e-9

RESAMPLES = 9999  # of bootstrap intervals
PLACE = ["dimension", "scenario"]
OF_FEW, OF_MANY = "p_bergmann_hommel", "p_shaffer"  # p-values that decide, of up to 9 algorithms, and of more


def is_tested(functions: int) -> bool:
    """Return True where differences over so many functions are tested; all tables, charts and sentences ask this."""
    return functions >= FEWEST_FUNCTIONS


def median_delta_f(trials: Iterable[Trial], scenarios: Sequence[Scenario]) -> pd.DataFrame:
    """Return Δf_med of each algorithm, function and dimension in each scenario.

    Columns are algorithm, dimension, function, scenario, budget (evaluations/D), evaluations, trials (of how many Δf is
    known) and median_delta_f, NaN where that of some trial is not.
    """
    return medians_of(best_delta_f(trials, scenarios))


def medians_of(best: pd.DataFrame) -> pd.DataFrame:
    """Return Δf_med from the best Δf of each trial, as from ``best_delta_f``; see ``median_delta_f``."""
    keys = ["algorithm", "dimension", "function", "scenario", "budget", "evaluations"]
    frame = best.assign(log=np.log10(best["delta_f"]))
    grouped = frame.groupby(keys, sort=False)["log"].agg(["size", "count", "median"]).reset_index()
    all_known = (grouped["count"] == grouped["size"]).to_numpy()
    grouped["median_delta_f"] = np.where(all_known, 10.0 ** grouped["median"].to_numpy(), np.nan)
    return grouped.rename(columns={"count": "trials"}).drop(columns=["size", "median"])


def tied(logs: Array) -> Array:
    """Return log10 Δf, shape (n,), none NaN, with values within ``CLOSE`` of the next lower one made equal to it.

    >>> tied(np.array([0.3, -2.0, 0.3 + 4e-10, 0.3 + 8e-10, 0.4])).tolist()
    [0.3, -2.0, 0.3, 0.3, 0.4]
    """
    order = np.argsort(logs)
    ascending = logs[order]
    with np.errstate(invalid="ignore"):  # values that are inf are equal
        apart = np.diff(ascending, prepend=-np.inf) > CLOSE
    found = np.empty_like(logs)
    found[order] = ascending[apart][np.cumsum(apart) - 1]
    return found


def comparisons(medians: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Yield dimension, scenario and log10 Δf_med, functions × algorithms, for functions with all values known.

    Algorithms with values on fewer than nine in ten functions are left out: one that ended early is known on the
    functions that it solved before, and would restrict the others to these. A table has at least two algorithms,
    unless there is only one.
    """
    algorithms, scenarios = medians["algorithm"].unique(), list(medians["scenario"].unique())
    groups = {cast("tuple[int, str]", key): group for key, group in medians.groupby(PLACE)}
    for dimension, scenario in sorted(groups, key=lambda key: (key[0], scenarios.index(key[1]))):
        table = groups[dimension, scenario].pivot(index="function", columns="algorithm", values="median_delta_f")
        table = table.reindex(columns=algorithms)
        table = table.loc[:, table.notna().mean() >= COMMON].dropna()
        if len(table) and len(table.columns) >= min(len(algorithms), 2):
            logs = np.apply_along_axis(tied, 1, np.log10(table.to_numpy(float)))
            yield dimension, scenario, pd.DataFrame(logs, table.index, table.columns)


def joined(parts: Iterable[pd.DataFrame], columns: list[str] | None = None) -> pd.DataFrame:
    """Return concatenated data frames with these columns, or their own; an empty one if there are none."""
    there = list(parts)
    found = pd.concat(there, ignore_index=True) if there else pd.DataFrame(columns=columns)
    return found if columns is None else found[columns]


def long_form(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return a table, algorithms as columns, in long form: the levels of its index, algorithm, and ``value``.

    An algorithm may have any name, also that of one of these columns, which pandas' own ``melt`` refuses.

    >>> long_form(pd.DataFrame({"rank": [1.0, 2.0]}, pd.Index([3, 4], name="function")), "rank").to_numpy().tolist()
    [[3, 'rank', 1.0], [4, 'rank', 2.0]]
    """
    rows = pd.concat([table.index.to_frame(index=False)] * len(table.columns), ignore_index=True)
    rows["algorithm"], rows[value] = table.columns.repeat(len(table)), table.to_numpy().ravel(order="F")
    return rows


def function_ranks(medians: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of each algorithm on each function: columns dimension, scenario, function, algorithm, rank."""
    parts = (
        long_form(table.rank(axis="columns"), "rank").assign(dimension=D, scenario=s)
        for D, s, table in comparisons(medians)
    )
    return joined(parts, [*PLACE, "function", "algorithm", "rank"])


def mean_ranks(medians: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank of each algorithm for each dimension and scenario, from ``median_delta_f``.

    Functions that lack an algorithm are left out, and algorithms without any function.

    Returns:
        Columns dimension, scenario, algorithm, functions (how many the mean is over), mean_rank, and low and high: its
        95 % bootstrap interval over functions, NaN where there is but one function or algorithm.
    """
    parts = []
    for dimension, scenario, table in comparisons(medians):
        ranks = table.rank(axis="columns").mean().rename_axis("algorithm").reset_index(name="mean_rank")
        ranks = ranks.assign(dimension=dimension, scenario=scenario, functions=len(table), low=np.nan, high=np.nan)
        if len(table.columns) > 1 and len(table) > 1:
            # A generator of its own for each table: an interval does not depend on what else is looked at.
            rng = np.random.default_rng([dimension, *scenario.encode()])
            intervals = mean_rank_intervals(table, resamples=RESAMPLES, rng=rng)
            ranks[["low", "high"]] = intervals[["low", "high"]].to_numpy()
        parts.append(ranks)
    return joined(parts, [*PLACE, "algorithm", "functions", "mean_rank", "low", "high"])


def rank_tests(medians: pd.DataFrame) -> pd.DataFrame:
    """Return Iman's and Davenport's test for each dimension and scenario that is tested: do the mean ranks differ?

    Columns are dimension, scenario, functions, algorithms, F_F, critical_value (at 0.05), p_value, significant,
    critical_difference (of two mean ranks, by Nemenyi), and F_F_of_ties and p_value_of_ties: corrected for ties, as the
    paper's are not.
    """
    rows = []
    for dimension, scenario, table in comparisons(medians):
        N, k = table.shape
        if k > 1 and is_tested(N):
            test, of_ties = (iman_davenport(table, alpha=ALPHA, ties=ties) for ties in (False, True))
            found = test.statistic, test.critical_value, test.p_value, test.significant
            more = critical_difference(k, N, ALPHA), of_ties.statistic, of_ties.p_value
            rows.append((dimension, scenario, N, k, *found, *more))
    columns = ["functions", "algorithms", "F_F", "critical_value", "p_value", "significant", "critical_difference"]
    return pd.DataFrame(rows, columns=[*PLACE, *columns, "F_F_of_ties", "p_value_of_ties"])


def pairwise_table(medians: pd.DataFrame) -> pd.DataFrame:
    """Return wins, effect sizes and tests of each ordered pair, by dimension and scenario.

    As in the paper, an algorithm is significantly ahead where Iman's and Davenport's test says that the mean ranks
    differ, its own is lower than that of the other, and the p-value of the Friedman post-hoc test is below 0.05 after
    the correction of Bergmann and Hommel, or of Shaffer where there are more than 9 algorithms.

    Returns:
        Columns dimension, scenario, algorithm, other, wins and losses (of the algorithm against the other), ties,
        functions, superiority (share of functions won by the algorithm, ties as half), ``p_raw`` of the two-sided
        post-hoc test, and the same adjusted: ``p_holm``, ``p_shaffer`` and, for up to 9 algorithms,
        ``p_bergmann_hommel``, NaN where nothing is tested; and significant: the algorithm is ahead.
    """
    tables = ((D, scenario, table) for D, scenario, table in comparisons(medians) if len(table.columns) > 1)
    return joined(_pairs(table, dimension=D, scenario=scenario) for D, scenario, table in tables)


def _pairs(table: pd.DataFrame, **place: int | str) -> pd.DataFrame:
    """Return each ordered pair of at least two algorithms, from values (functions × algorithms), lower is better.

    Columns of their ``place`` are before all others.
    """
    N, k = table.shape
    wins, ranks, tested = pairwise_wins(table), rank_rows(table).mean(), is_tested(N)
    columns = {"wins": wins, "losses": wins.T, "ties": N - wins - wins.T, "functions": 0 * wins + N}
    columns |= {"superiority": (1 + (wins - wins.T) / N) / 2}
    raw = friedman_posthoc(table)
    corrections = {"p_holm": holm, OF_MANY: shaffer}
    if k <= MOST_ALGORITHMS:
        corrections[OF_FEW] = bergmann_hommel
    p_values = {"p_raw": raw, **{name: correct(raw) for name, correct in corrections.items()}}
    columns |= {name: p if tested else p * np.nan for name, p in p_values.items()}
    lower = ranks.to_numpy()[:, None] < ranks.to_numpy()
    differ = tested and iman_davenport(table, alpha=ALPHA).significant
    columns["significant"] = (columns[OF_FEW if k <= MOST_ALGORITHMS else OF_MANY] < ALPHA) & lower & differ
    one, other = np.nonzero(~np.eye(k, dtype=bool))
    pairs = {name: values.to_numpy()[one, other] for name, values in columns.items()}
    return pd.DataFrame({**place, "algorithm": ranks.index[one], "other": ranks.index[other], **pairs})


def decisive(pairs: pd.DataFrame) -> str:
    """Return the column of the p-values by which the pairs of one dimension and scenario are significant or not."""
    return OF_FEW if pairs["algorithm"].nunique() <= MOST_ALGORITHMS else OF_MANY


def overall_ranks(function_ranks: pd.DataFrame) -> pd.DataFrame:
    """Return mean ranks over functions and all dimensions in which all algorithms are compared.

    ``function_ranks`` are as from the function of that name. Columns are scenario, algorithm, dimensions and functions
    (how many, the latter in any of them) and mean_rank.
    """
    parts = []
    for scenario, table in _over_dimensions(function_ranks):
        functions, dimensions = (table.index.get_level_values(level).nunique() for level in ("function", "dimension"))
        means = table.mean().rename_axis("algorithm").reset_index(name="mean_rank")
        parts.append(means.assign(scenario=scenario, dimensions=dimensions, functions=functions))
    return joined(parts, ["scenario", "algorithm", "dimensions", "functions", "mean_rank"])


def overall_pairs(function_ranks: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of algorithms, compared by their ranks on each function, the mean over its dimensions.

    A function counts once: its dimensions are not independent. Columns are scenario and those of ``pairwise_table``.
    """
    means = ((scenario, table.groupby(level="function").mean()) for scenario, table in _over_dimensions(function_ranks))
    return joined(_pairs(table, scenario=scenario) for scenario, table in means if len(table.columns) > 1)


def _over_dimensions(function_ranks: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield scenario and ranks, (function, dimension) × algorithms, of dimensions in which all are compared."""
    for scenario, ranks in function_ranks.groupby("scenario", sort=False):
        table = ranks.pivot(index=["function", "dimension"], columns="algorithm", values="rank")
        table = table.reindex(columns=ranks["algorithm"].unique()).dropna()
        if len(table):
            yield str(scenario), table


def gains(best: pd.DataFrame, baseline: str, shares: Callable[[int, int], bool] = lambda _D, _f: True) -> pd.DataFrame:
    """Return the decades of Δf_med that each algorithm gains over a baseline, on each function.

    Trials of one function are compared by Wilcoxon's rank-sum test. Columns are dimension, scenario, function,
    algorithm, decades (log10 Δf_med of the baseline less that of the algorithm: positive is better), superiority
    (probability that a trial of the algorithm is better than one of the baseline, ties as half), p_value, and p_holm:
    corrected over those functions of a dimension, scenario and algorithm that all algorithms have, as ``shares`` tells
    of dimension and function, NaN of others. Rows where not all trials are known are left out.
    """
    keys = [*PLACE, "function"]
    groups = {
        (name, *place): np.log10(group["delta_f"].to_numpy())
        for (name, *place), group in best.groupby(["algorithm", *keys], sort=False)
    }
    rows = []
    for (name, *place), values in groups.items():
        theirs = groups.get((baseline, *place))
        if name == baseline or theirs is None or np.isnan(values).any() or np.isnan(theirs).any():
            continue
        ours, others = np.split(tied(np.concatenate([values, theirs])), [len(values)])
        test = rank_sum(ours.tolist(), others.tolist())
        medians = np.array([np.median(others), np.median(ours)])
        # Before the first evaluation both are inf: alike.
        decades = 0.0 if len(set(tied(medians))) == 1 else float(medians[0] - medians[1])
        rows.append((*place, name, decades, test.superiority, test.p_value))
    frame = pd.DataFrame(rows, columns=[*keys, "algorithm", "decades", "superiority", "p_value"])
    common = [shares(D, f) for D, f in zip(frame["dimension"], frame["function"], strict=True)]
    families = frame[np.array(common, bool)].groupby([*PLACE, "algorithm"])["p_value"]
    frame["p_holm"] = families.transform(lambda p: holm_of(p.to_numpy()))
    return frame


def groups_alike(mean_ranks: "pd.Series[float]", pairs: pd.DataFrame, alpha: float = ALPHA) -> list[list[str]]:
    """Return the maximal groups of neighbours in rank without a p-value below ``alpha``, the best first.

    Adjusted p-values need not fall with the distance of ranks: between two algorithms that do not differ may be one
    that differs from one of them; these are no group.

    Args:
        mean_ranks: by algorithm.
        pairs: rows of one dimension and scenario, as from ``pairwise_table``.
        alpha: level of significance.
    """
    names = list(mean_ranks.sort_values(kind="stable").index)
    p = pairs.pivot(index="algorithm", columns="other", values=decisive(pairs)).reindex(index=names, columns=names)
    alike = p.to_numpy(float) >= alpha
    groups, reached = [], 0
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and alike[first : last + 1, last + 1].all():
            last += 1
        if last > max(first, reached):
            groups.append(names[first : last + 1])
            reached = last
    return groups
