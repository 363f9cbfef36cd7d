"""The best setting of a grid by the rule of the paper.

Settings are ranked by median Δf on each function, in each dimension, at each budget. The best has the most first ranks;
of several, the one with the lowest sum of ranks. All that share the lowest Δf_med are first, and share the average of
their ranks.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from sacma.analysis.statistics.pairwise import signed_rank
from sacma.analysis.statistics.ranks import rank_rows
from sacma.analysis.table_format import csv_of
from sacma.analysis.tables import long_form, median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial
from sacma.config.sweep import Sweep
from sacma.files.atomic import write_atomically
from sacma.store.completeness import Completeness

RANKING = ["dimension", "function", "budget"]  # of each ranking


def rank_settings(medians: pd.DataFrame, settings: Sequence[str]) -> pd.DataFrame:
    """Return the ranks r_ij of settings by Δf_med, 1 the lowest, average ranks on ties: rankings × settings.

    A relative difference that is rounding noise of the logarithm is a tie. A ranking that lacks a setting is left out.
    ``medians`` has columns algorithm (the name of the setting), dimension, function, budget and median_delta_f.

    >>> medians = pd.DataFrame({"algorithm": ["A", "B", "C"], "median_delta_f": [1e-8, 1e-3, 1e-8]})
    >>> medians[["dimension", "function", "budget"]] = 2, 1, 25
    >>> rank_settings(medians, ["A", "B", "C"]).to_numpy().tolist()
    [[1.5, 3.0, 1.5]]
    """
    table = medians.pivot(index=RANKING, columns="algorithm", values="median_delta_f")
    table = table.reindex(columns=list(settings)).dropna()
    return rank_rows(table.map(np.log10).round(9)) if len(table) else table


def standings(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return first ranks and rank sums of settings, from ``rank_settings``, the best first, equal ones in its order.

    A row a setting; columns place (the same where first ranks and rank sums are equal), first_ranks, rank_sum and
    mean_rank.

    >>> standings(pd.DataFrame({"A": [2, 2], "B": [1, 3], "C": [3, 1]}))["place"].to_dict()
    {'B': 1, 'C': 1, 'A': 3}
    """
    firsts = ranks.eq(ranks.min(axis="columns"), axis="index").sum()
    table = pd.DataFrame({"first_ranks": firsts, "rank_sum": ranks.sum(), "mean_rank": ranks.mean()})
    table = table.sort_values(["first_ranks", "rank_sum"], ascending=[False, True], kind="stable")
    scores = list(zip(table["first_ranks"], table["rank_sum"], strict=True))
    table.insert(0, "place", [1 + scores.index(score) for score in scores])
    return table.rename_axis(index="setting")


def against_runner_up(ranks: pd.DataFrame) -> tuple[int, int, float]:
    """Return on how many functions the winner is better and worse than the runner-up, and the p-value of a difference.

    Wilcoxon's signed-rank test over functions, two-sided, of the mean rank on a function: a function counts once,
    whatever the number of its dimensions and budgets. Both settings were chosen by the same data, but the next best is
    the one that it is hardest to be better than: the test of this pair alone keeps its level for "the winner is the
    best" (K. Hung and W. Fithian, Rank verification for exponential families, Annals of Statistics 47, 2019).
    """
    winner, runner_up = standings(ranks).index[:2]
    means = ranks.groupby(level="function").mean()
    # Means of half ranks over unequal numbers of rankings are rounded, so that equal ones are equal.
    differences = (means[winner] - means[runner_up]).round(9)
    return int((differences < 0).sum()), int((differences > 0).sum()), signed_rank(differences.to_numpy())


def rank_sweep(sweep: Sweep, completeness: Completeness) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return Δf_med of all settings of a sweep, and the ranks of each algorithm's settings."""
    medians = median_delta_f((our_trial(*trial) for trial in completeness.trials), fixed_budgets(sweep.rank_at))
    names = {algorithm: [each.study.name for each in settings] for algorithm, settings in sweep.settings.items()}
    return medians, {algorithm: rank_settings(medians, settings) for algorithm, settings in names.items()}


def write_tables(sweep: Sweep, medians: pd.DataFrame, ranks: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write ``NAME_ranking.csv``, a row a setting with its values, and ``NAME_ranks.csv``, all ranks; return where."""
    ranking = []
    for algorithm, settings in sweep.settings.items():
        values = pd.DataFrame([each.combination for each in settings], index=[each.study.name for each in settings])
        table = standings(ranks[algorithm]).join(values.add_prefix("setting.")).reset_index()
        ranking.append(table.assign(algorithm=algorithm))
    long = medians.merge(pd.concat(long_form(table, "rank") for table in ranks.values()), "left")
    tables = {"ranking": pd.concat(ranking), "ranks": long.rename(columns={"algorithm": "setting"})}
    paths = {folder / f"{sweep.name}_{kind}.csv": table for kind, table in tables.items()}
    for path, table in paths.items():
        write_atomically(path, csv_of(table).encode())
    return list(paths)
