"""Statistics of comparisons of algorithms: tables of values in, numbers and data frames out.

Rows are problems, columns algorithms, lower is better. ``ranks`` tests whether algorithms differ, ``posthoc`` which
pairs do; ``pairwise`` has wins, effect sizes and the tests of a single pair.
"""

from sacma.analysis.statistics.pairwise import (
    RankSum,
    mean_ranks_from_wins,
    pairwise_wins,
    rank_sum,
    signed_rank,
    superiority,
)
from sacma.analysis.statistics.posthoc import (
    bergmann_hommel,
    critical_difference,
    friedman_posthoc,
    holm,
    posthoc_from_ranks,
    shaffer,
)
from sacma.analysis.statistics.ranks import (
    ImanDavenport,
    friedman_statistic,
    iman_davenport,
    iman_davenport_from_ranks,
    mean_rank_intervals,
    rank_rows,
)

__all__ = [
    "ImanDavenport",
    "RankSum",
    "bergmann_hommel",
    "critical_difference",
    "friedman_posthoc",
    "friedman_statistic",
    "holm",
    "iman_davenport",
    "iman_davenport_from_ranks",
    "mean_rank_intervals",
    "mean_ranks_from_wins",
    "pairwise_wins",
    "posthoc_from_ranks",
    "rank_rows",
    "rank_sum",
    "shaffer",
    "signed_rank",
    "superiority",
]
