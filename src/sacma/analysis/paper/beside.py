"""Mean ranks and CPU time of ours beside the paper's, of the algorithms, dimensions and scenarios that both have."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.paper import published
from sacma.analysis.tables import PLACE, joined

FEWEST = 3  # algorithms of which a correlation of ranks says anything


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks, as from ``mean_ranks``, beside the paper's, among the same algorithms.

    Returns:
        Columns dimension, scenario, algorithm, functions (that ours are over; the paper's are over 24), algorithms
        (that the ranks are among), paper, ours and difference. Places with one algorithm are left out.
    """
    ours = ranks.rename(columns={"mean_rank": "ours"})[[*PLACE, "algorithm", "functions", "ours"]]
    parts = (
        published.mean_ranks_among(set(group["algorithm"]))
        .rename(columns={"mean_rank": "paper"})
        .assign(algorithms=len(group))
        .merge(group, on=[*PLACE, "algorithm"])
        for _, group in ours.groupby(PLACE, sort=False)
        if len(group) > 1
    )
    both = joined(parts, [*PLACE, "algorithm", "functions", "algorithms", "paper", "ours"])
    return both.assign(difference=both["ours"] - both["paper"])


def correlations(beside: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's ρ of the mean ranks, ours and the paper's, in each of its ten scenarios.

    Returns:
        Columns dimension, scenario, algorithms, spearman_rho (NaN with fewer than 3 algorithms, or where all of ours
        are equal) and p_value (two-sided, by all permutations).
    """
    rows = []
    for place, group in beside.groupby(PLACE, sort=False):
        paper, ours = group["paper"].to_numpy(), group["ours"].to_numpy().round(9)
        rho = p_value = np.nan
        if len(group) >= FEWEST and len(set(ours)) > 1:
            statistic = partial(_spearman, paper)
            test = stats.permutation_test((ours,), statistic, permutation_type="pairings", n_resamples=10_000)
            rho, p_value = float(test.statistic), float(test.pvalue)
        rows.append((*place, len(group), rho, p_value))
    return pd.DataFrame(rows, columns=[*PLACE, "algorithms", "spearman_rho", "p_value"])


def _spearman(paper: "np.ndarray[tuple[int], np.dtype[np.float64]]", ours: object) -> float:
    return float(stats.spearmanr(paper, ours).statistic)


def cpu_beside(cpu: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, as from ``cpu_per_evaluation``, beside the paper's Table 2.

    Returns:
        Columns algorithm, dimension, paper, ours (seconds) and ratio (how many times less ours is).
    """
    total = cpu[cpu["part"] == "total"].rename(columns={"seconds_per_evaluation": "ours"})
    both = (
        published.cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return both.assign(ratio=both["paper"] / both["ours"])
