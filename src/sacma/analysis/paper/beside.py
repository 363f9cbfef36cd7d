"""Our numbers beside the paper's: mean ranks and how well they agree, wins of pairs, CPU time."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.paper import published
from sacma.analysis.paper.published import FEWEST_OF_PAPER
from sacma.analysis.tables import PLACE, joined


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks, as from ``mean_ranks``, beside the paper's, among the same algorithms.

    ``functions`` is how many ours are over, the paper's are over 24; ``algorithms`` how many the ranks are among: with
    one there is no row.
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
    """Return how well mean ranks agree with the paper's, from ``mean_ranks_beside``, in each of its ten scenarios.

    Columns are dimension, scenario, algorithms, spearman_rho and its p_value (two-sided, by all permutations), NaN with
    fewer than 3 algorithms or where all of ours are equal, and rms_difference of the mean ranks.
    """
    rows = []
    for (D, scenario), group in beside.groupby(PLACE, sort=False):
        paper, ours = group["paper"].to_numpy(), group["ours"].to_numpy().round(9)
        rho = p_value = np.nan
        if len(group) >= FEWEST_OF_PAPER and len(set(ours)) > 1:
            statistic = partial(_spearman, paper)
            test = stats.permutation_test((ours,), statistic, permutation_type="pairings", n_resamples=10_000)
            rho, p_value = float(test.statistic), float(test.pvalue)
        distance = float(np.sqrt(np.mean((ours - paper) ** 2)))
        rows.append((D, scenario, len(group), rho, p_value, distance))
    return pd.DataFrame(rows, columns=[*PLACE, "algorithms", "spearman_rho", "p_value", "rms_difference"])


def _spearman(paper: "np.ndarray[tuple[int], np.dtype[np.float64]]", ours: object) -> float:
    return float(stats.spearmanr(paper, ours).statistic)


def cpu_beside(cpu: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, as from ``cpu_per_evaluation``, beside the paper's Table 2.

    Columns are algorithm, dimension, paper, ours (seconds) and ratio (how many times less ours is).
    """
    total = cpu[cpu["part"] == "total"].rename(columns={"seconds_per_evaluation": "ours"})
    both = (
        published.cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return both.assign(ratio=both["paper"] / both["ours"])


def pairs_beside(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return our wins over functions, as from ``pairwise_table``, beside those of the paper's Table 4.

    Columns are dimension, scenario, algorithm, other, paper and ours (functions that the algorithm wins),
    paper_significant and significant; a row an ordered pair. Significance is of a family of pairs: it can be compared
    where all six algorithms are there.
    """
    columns = [*PLACE, "algorithm", "other", "wins", "significant"]
    theirs = published.pairs().rename(columns={"wins": "paper", "significant": "paper_significant"})
    ours = pairs[columns] if len(pairs) else pd.DataFrame(columns=columns)
    both = theirs.merge(ours.rename(columns={"wins": "ours"}), on=columns[:4])
    return both[[*columns[:4], "paper", "ours", "paper_significant", "significant"]]
