"""Median Δf and mean ranks: the paper's way of comparing algorithms, as data frames.

Δf_med of an algorithm on a function is the median over trials of the best Δf after a number of evaluations, taken
on the log scale, where Δf below the final target counts as the target. Algorithms are ranked on each function by
Δf_med, average ranks on ties; their mean ranks are over functions.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from sacma.analysis.load import Curve
from sacma.analysis.statistics import (
    bergmann_hommel,
    duels,
    friedman_posthoc,
    holm,
    iman_davenport,
    shaffer,
)
from sacma.analysis.statistics.posthoc import MOST_ALGORITHMS
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import Outcome

PAPER_BUDGETS = (25.0, 50.0, 250.0 / 3.0, 125.0, 250.0)
"""Evaluations/D at which the paper looks."""


def budgets_up_to(largest: float) -> tuple[float, ...]:
    """Return the paper's budgets below ``largest``, and ``largest``, in evaluations/D.

    >>> [round(b, 2) for b in budgets_up_to(100)]
    [25.0, 50.0, 83.33, 100]
    """
    return (*(b for b in PAPER_BUDGETS if b < largest), largest)


@dataclass(frozen=True)
class Trial:
    """What the tables need to know of a trial, ours or a stranger's.

    Args:
        algorithm: its name.
        dimension: D.
        function: f.
        target: final target Δf: nothing below it counts as better.
        known_until: evaluations up to which its best Δf is known; of a trial that went on, or hit its target, inf.
        best_after: best Δf after a number of evaluations.
    """

    algorithm: str
    dimension: int
    function: int
    target: float
    known_until: float
    best_after: Callable[[float], float]


def our_trial(spec: TrialSpec, outcome: Outcome) -> Trial:
    """Return a trial from its record. One that stopped by itself has found what it has found."""
    return Trial(spec.name, spec.dimension, spec.function, spec.target, math.inf, outcome.best_after)


def foreign_trial(name: str, curve: Curve, target: float) -> Trial:
    """Return a trial of somebody else's data: why it ended is not known, nor what it would have found."""
    hit = curve.best_after(math.inf) <= target
    known_until = math.inf if hit else curve.evaluations
    return Trial(name, curve.dimension, curve.function, target, known_until, curve.best_after)


def median_delta_f(trials: Iterable[Trial], budgets: Sequence[float]) -> pd.DataFrame:
    """Return Δf_med of each algorithm, function, dimension and budget.

    Args:
        trials: of any algorithms.
        budgets: in evaluations/D.

    Returns:
        Columns algorithm, dimension, function, budget (evaluations/D), evaluations (rounded down), trials (of how many
        Δf is known) and median_delta_f, NaN where that of some trial is not.
    """
    rows = []
    for trial in trials:
        for budget in budgets:
            evaluations = budget * trial.dimension + 1e-9
            known = int(evaluations) <= trial.known_until
            value = np.log10(max(trial.best_after(evaluations), trial.target)) if known else math.nan
            rows.append((trial.algorithm, trial.dimension, trial.function, budget, int(evaluations), value))
    keys = ["algorithm", "dimension", "function", "budget", "evaluations"]
    frame = pd.DataFrame(rows, columns=[*keys, "log_delta_f"])
    grouped = frame.groupby(keys, sort=False)["log_delta_f"].agg(["size", "count", "median"]).reset_index()
    all_known = (grouped["count"] == grouped["size"]).to_numpy()
    grouped["median_delta_f"] = np.where(all_known, 10.0 ** grouped["median"].to_numpy(), math.nan)
    return grouped.rename(columns={"count": "trials"}).drop(columns=["size", "median"])


def mean_ranks(medians: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank of each algorithm for each dimension and budget.

    Args:
        medians: as from ``median_delta_f``. Functions that lack an algorithm are left out.

    Returns:
        Columns dimension, budget, algorithm, functions (how many the mean is over) and mean_rank.
    """
    rows = []
    for dimension, budget, table in comparisons(medians):
        ranks = table.rank(axis="columns").mean()
        rows += [(dimension, budget, name, len(table), rank) for name, rank in ranks.items()]
    return pd.DataFrame(rows, columns=["dimension", "budget", "algorithm", "functions", "mean_rank"])


def comparisons(medians: pd.DataFrame) -> Iterator[tuple[int, float, pd.DataFrame]]:
    """Yield dimension, budget and log10 Δf_med, functions × algorithms, of functions on which all are known.

    A relative difference that is rounding noise of the logarithm is a tie.
    """
    for key, group in medians.groupby(["dimension", "budget"]):
        dimension, budget = cast("tuple[int, float]", key)
        table = group.pivot(index="function", columns="algorithm", values="median_delta_f")
        table = table.reindex(columns=medians["algorithm"].unique()).dropna()
        if not table.empty:
            yield dimension, budget, table.map(np.log10).round(9)


def rank_tests(medians: pd.DataFrame) -> pd.DataFrame:
    """Return Iman's and Davenport's test for each dimension and budget: do the mean ranks differ?

    Returns:
        Columns dimension, budget, functions, algorithms, F_F, critical_value (at 0.05) and p_value.
    """
    rows = []
    for dimension, budget, table in comparisons(medians):
        if len(table.columns) > 1 and len(table) > 1:
            test = iman_davenport(table)
            rows.append((dimension, budget, *table.shape, test.statistic, test.critical_value, test.p_value))
    columns = ["dimension", "budget", "functions", "algorithms", "F_F", "critical_value", "p_value"]
    return pd.DataFrame(rows, columns=columns)


def duel_table(medians: pd.DataFrame) -> pd.DataFrame:
    """Return for each dimension, budget and ordered pair on how many functions the first wins, and if they differ.

    Returns:
        Columns dimension, budget, winner, loser, wins, functions, p_raw of the Friedman post-hoc test, and the same
        adjusted: p_holm, p_shaffer and, for up to 9 algorithms, p_bergmann_hommel.
    """
    corrections = {"holm": holm, "shaffer": shaffer, "bergmann_hommel": bergmann_hommel}
    rows = []
    for dimension, budget, table in comparisons(medians):
        names = list(table.columns)
        if len(names) < 2:  # noqa: PLR2004 two make a pair
            continue
        wins, raw = duels(table), friedman_posthoc(table)
        adjusted = {
            f"p_{name}": correct(raw)
            for name, correct in corrections.items()
            if name != "bergmann_hommel" or len(names) <= MOST_ALGORITHMS
        }
        for winner, loser in itertools.permutations(names, 2):
            row = {"dimension": dimension, "budget": budget, "winner": winner, "loser": loser}
            row |= {"wins": wins.loc[winner, loser], "functions": len(table), "p_raw": raw.loc[winner, loser]}
            rows.append(row | {name: values.loc[winner, loser] for name, values in adjusted.items()})
    return pd.DataFrame(rows)
