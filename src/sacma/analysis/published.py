"""The paper's six algorithms, its Tables 2, 3 and 4 as tidy data frames, and our numbers beside them.

Repický, Bajer, Pitra and Holeňa, Adaptive generation-based evolution control for Gaussian process surrogate models,
ITAT 2017. Scenarios are those of ``sacma.analysis.trials``: #FE_t of a function, and a third of it. Every call
returns a frame of its own.
"""

from collections.abc import Collection
from functools import cache, partial
from importlib import resources
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.statistics.pairwise import mean_ranks_from_wins
from sacma.analysis.tables import PLACE, joined
from sacma.analysis.trials import THIRD_OF_IT, UNTIL_TARGET

ALGORITHMS = ("CMA-ES", "GP-1", "GP-5", "ADA-KL", "ADA-Kendall", "ADA-RD")  # in the paper's order
FEWEST_OF_PAPER = 3  # algorithms of which mean ranks can be held against the paper's
PROBLEMS = 24  # functions that mean ranks and wins are over
INSTANCES = 15  # of each function
BUDGET = 250.0  # Evaluations/D of a trial
TARGET = 1e-8  # Δf at which a trial stops


class Reading(NamedTuple):
    """Reading of the paper: its title, and the suffix of its algorithms' names."""

    title: str
    suffix: str

    @property
    def names(self) -> dict[str, str]:
        """Names of the algorithms in the paper by their names in this reading."""
        return {f"{name}{self.suffix}": name for name in ALGORITHMS}


AS_PRINTED = Reading("by the paper's text", "")
AS_RUN = Reading("as its authors ran it", "-as-run")
READINGS = (AS_RUN, AS_PRINTED)  # configs/as_run and configs/


def cpu_seconds() -> pd.DataFrame:
    """Return Table 2, CPU seconds a true evaluation: columns algorithm (the adaptive ones), dimension, seconds.

    >>> cpu_seconds().query("dimension == 20")["seconds"].to_list()
    [3.36, 6.27, 7.9]
    """
    return _read("table2_cpu_seconds_per_evaluation.csv").copy()


def mean_ranks() -> pd.DataFrame:
    """Return the mean ranks of Table 3: columns dimension, scenario, algorithm, mean_rank.

    >>> mean_ranks().query("dimension == 20 and scenario == '#FE_t'")["mean_rank"].to_list()
    [4.42, 3.27, 4.52, 3.65, 2.23, 2.92]
    """
    table = _read("table3_mean_ranks.csv")
    ranks = table[table["algorithm"] != "F_F"].rename(columns={"mean_rank_or_F_F": "mean_rank"})
    return ranks[[*PLACE, "algorithm", "mean_rank"]].reset_index(drop=True)


def mean_ranks_among(algorithms: Collection[str]) -> pd.DataFrame:
    """Return mean ranks among two or more of the algorithms: Table 3 for all six, derived from Table 4 for fewer.

    >>> mean_ranks_among(["GP-1", "GP-5"]).query("dimension == 20")["mean_rank"].round(3).to_list()
    [1.417, 1.583, 1.292, 1.708]
    """
    there = [name for name in ALGORITHMS if name in algorithms]
    if len(there) == len(ALGORITHMS):
        return mean_ranks()
    rows = []
    for (D, scenario), group in pairs().groupby(PLACE, sort=False):
        wins = group.pivot(index="algorithm", columns="other", values="wins").reindex(index=there, columns=there)
        rows += [(D, scenario, name, rank) for name, rank in mean_ranks_from_wins(wins, PROBLEMS).items()]
    return pd.DataFrame(rows, columns=[*PLACE, "algorithm", "mean_rank"])


def iman_davenport() -> pd.DataFrame:
    """Return the statistics of Table 3: columns dimension, scenario, statistic (F_F), significant (at 0.05).

    >>> iman_davenport().query("significant")["statistic"].to_list()
    [2.52, 4.47, 4.13, 7.82, 6.5, 5.35, 6.62]
    """
    table = _read("table3_mean_ranks.csv")
    tests = table[table["algorithm"] == "F_F"].rename(columns={"mean_rank_or_F_F": "statistic"})
    return tests[[*PLACE, "statistic", "significant"]].astype({"significant": bool}).reset_index(drop=True)


def pairs() -> pd.DataFrame:
    """Return Table 4: columns dimension, scenario, algorithm, other, wins, significant; a row an ordered pair.

    Significant is by Friedman's post-hoc test with the correction of Bergmann and Hommel at the family-wise level
    0.05, tested where the statistic of Iman and Davenport is significant.

    >>> pairs().query("dimension == 20 and significant and other == 'CMA-ES'")["algorithm"].to_list()
    ['ADA-Kendall', 'ADA-Kendall', 'ADA-RD']
    """
    return _read("table4_duel.csv").astype({"significant": bool})


@cache
def _read(name: str) -> pd.DataFrame:
    with resources.files("sacma.analysis").joinpath("paper_tables", name).open(encoding="utf-8") as lines:
        table = pd.read_csv(lines, dtype={"budget_fraction": str}).rename(columns={"budget_fraction": "scenario"})
    if "scenario" in table:
        table["scenario"] = table["scenario"].map({"1/3": THIRD_OF_IT, "1": UNTIL_TARGET})
    return table


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks, as from ``mean_ranks``, beside the paper's, among the same two or more algorithms.

    Columns ``functions``, the number of functions of our means (24 in the paper), and ``algorithms``, the number of
    ranked algorithms, are among the others.
    """
    ours = ranks.rename(columns={"mean_rank": "ours"})[[*PLACE, "algorithm", "functions", "ours"]]
    parts = (
        mean_ranks_among(set(group["algorithm"]))
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
            rho = float(stats.spearmanr(paper, ours).statistic)
            product = partial(np.dot, stats.rankdata(paper) - (len(paper) + 1) / 2)  # ρ, but for constants
            options = {"permutation_type": "pairings", "n_resamples": 10_000, "vectorized": False}
            p_value = float(stats.permutation_test((stats.rankdata(ours),), product, **options).pvalue)
        distance = float(np.sqrt(np.mean((ours - paper) ** 2)))
        rows.append((D, scenario, len(group), rho, p_value, distance))
    return pd.DataFrame(rows, columns=[*PLACE, "algorithms", "spearman_rho", "p_value", "rms_difference"])


def cpu_beside(cpu: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, as from ``cpu_per_evaluation``, beside the paper's Table 2.

    Columns are algorithm, dimension, paper, ours (seconds) and ratio (the paper's over ours).
    """
    total = cpu[cpu["part"] == "total"].rename(columns={"seconds_per_evaluation": "ours"})
    both = (
        cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return both.assign(ratio=both["paper"] / both["ours"])


def pairs_beside(compared: pd.DataFrame) -> pd.DataFrame:
    """Return our wins over functions, as from ``pairwise_table``, beside those of the paper's Table 4.

    Columns are dimension, scenario, algorithm, other, paper and ours (functions that the algorithm wins),
    paper_significant and significant; a row an ordered pair. Significance depends on the family of pairs: it is
    comparable where all six algorithms are there.
    """
    columns = [*PLACE, "algorithm", "other", "wins", "significant"]
    theirs = pairs().rename(columns={"wins": "paper", "significant": "paper_significant"})
    ours = compared[columns] if len(compared) else pd.DataFrame(columns=columns)
    both = theirs.merge(ours.rename(columns={"wins": "ours"}), on=columns[:4])
    return both[[*columns[:4], "paper", "ours", "paper_significant", "significant"]]
