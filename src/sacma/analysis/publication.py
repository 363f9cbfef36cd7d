"""Our figures beside those of the paper: mean ranks and CPU time.

The comparison is of the algorithms, dimensions and scenarios that both have.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.paper import published

FEWEST = 3
"""Algorithms of which a correlation of ranks says anything."""


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks beside the paper's, among the same algorithms.

    Args:
        ranks: as from ``mean_ranks``, of the paper's algorithms or of some of them.

    Returns:
        Columns dimension, scenario, algorithm, functions (that ours are over; the paper's are over 24), algorithms
        (that the ranks are among), paper, ours and difference. Places with one algorithm are left out.
    """
    ours = ranks[["dimension", "scenario", "algorithm", "functions", "mean_rank"]].rename(columns={"mean_rank": "ours"})
    parts = [
        published.mean_ranks_among(set(group["algorithm"]))
        .rename(columns={"mean_rank": "paper"})
        .assign(algorithms=len(group))
        .merge(group, on=["dimension", "scenario", "algorithm"])
        for _, group in ours.groupby(["dimension", "scenario"], sort=False)
        if len(group) > 1
    ]
    columns = ["dimension", "scenario", "algorithm", "functions", "algorithms", "paper", "ours"]
    joined = pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)
    return joined.assign(difference=joined["ours"] - joined["paper"])


def correlations(beside: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's ρ of the mean ranks, ours and the paper's, in each of its ten scenarios.

    Args:
        beside: as from ``mean_ranks_beside``.

    Returns:
        Columns dimension, scenario, algorithms, spearman_rho (NaN with fewer than 3 algorithms, or where all of ours
        are equal) and p_value (two-sided, by all permutations).
    """
    rows = []
    for place, group in beside.groupby(["dimension", "scenario"], sort=False):
        paper, ours = group["paper"].to_numpy(), group["ours"].to_numpy().round(9)
        rho = p_value = np.nan
        if len(group) >= FEWEST and len(set(ours)) > 1:
            statistic = partial(_spearman, paper)
            test = stats.permutation_test((ours,), statistic, permutation_type="pairings", n_resamples=10_000)
            rho, p_value = float(test.statistic), float(test.pvalue)
        rows.append((*place, len(group), rho, p_value))
    return pd.DataFrame(rows, columns=["dimension", "scenario", "algorithms", "spearman_rho", "p_value"])


def _spearman(paper: "np.ndarray[tuple[int], np.dtype[np.float64]]", ours: object) -> float:
    return float(stats.spearmanr(paper, ours).statistic)


def cpu_beside(cpu: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation beside the paper's Table 2.

    Args:
        cpu: as from ``cpu_per_evaluation``.

    Returns:
        Columns algorithm, dimension, paper, ours (seconds) and ratio (how many times less ours is).
    """
    total = cpu[cpu["part"] == "total"].rename(columns={"seconds_per_evaluation": "ours"})
    joined = (
        published.cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return joined.assign(ratio=joined["paper"] / joined["ours"])
