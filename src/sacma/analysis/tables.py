"""Median Δf and mean ranks: the paper's way of comparing algorithms, as data frames.

Δf_med of an algorithm on a function is the median over trials of the best Δf after a number of evaluations, taken
on the log scale, where Δf below the final target counts as the target. Algorithms are ranked on each function by
Δf_med, average ranks on ties; their mean ranks are over functions.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

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


def median_delta_f(trials: Iterable[tuple[TrialSpec, Outcome]], budgets: Sequence[float]) -> pd.DataFrame:
    """Return Δf_med of each algorithm, function, dimension and budget.

    Args:
        trials: with their outcomes.
        budgets: in evaluations/D.

    Returns:
        Columns algorithm, dimension, function, budget (evaluations/D), evaluations (rounded down), trials (how many
        the median is of) and median_delta_f.
    """
    rows = [
        (
            spec.name,
            spec.dimension,
            spec.function,
            budget,
            int(budget * spec.dimension + 1e-9),
            np.log10(max(outcome.best_after(budget * spec.dimension + 1e-9), spec.target)),
        )
        for spec, outcome in trials
        for budget in budgets
    ]
    keys = ["algorithm", "dimension", "function", "budget", "evaluations"]
    frame = pd.DataFrame(rows, columns=[*keys, "log_delta_f"])
    grouped = frame.groupby(keys, sort=False)["log_delta_f"].agg(["size", "median"]).reset_index()
    grouped["median_delta_f"] = 10.0 ** grouped["median"]
    return grouped.rename(columns={"size": "trials"}).drop(columns="median")


def mean_ranks(medians: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank of each algorithm for each dimension and budget.

    Args:
        medians: as from ``median_delta_f``. Functions that lack an algorithm are left out.

    Returns:
        Columns dimension, budget, algorithm, functions (how many the mean is over) and mean_rank.
    """
    rows = []
    for (dimension, budget), group in medians.groupby(["dimension", "budget"]):
        table = group.pivot(index="function", columns="algorithm", values="median_delta_f")
        table = table.reindex(columns=medians["algorithm"].unique()).dropna()
        if table.empty:
            continue
        # A relative difference that is rounding noise of the logarithm is a tie.
        ranks = table.map(np.log10).round(9).rank(axis="columns").mean()
        rows += [(dimension, budget, name, len(table), rank) for name, rank in ranks.items()]
    return pd.DataFrame(rows, columns=["dimension", "budget", "algorithm", "functions", "mean_rank"])
