"""Statistics of comparisons of algorithms: tables of values in, frames out.

Rows are problems, columns algorithms, lower is better. ``ranks`` says whether algorithms differ, ``posthoc`` which
pairs do, ``duels`` by how much, ``signed_rank`` whether a single pair does.
"""

from sacma.analysis.statistics.pairwise import (
    RankSum,
    duels,
    mean_ranks_from_wins,
    rank_sum,
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
    Friedman,
    ImanDavenport,
    friedman,
    friedman_from_ranks,
    iman_davenport,
    iman_davenport_from_ranks,
    mean_rank_intervals,
    rank_rows,
)
from sacma.analysis.statistics.signed_rank import signed_rank

__all__ = [
    "Friedman",
    "ImanDavenport",
    "RankSum",
    "bergmann_hommel",
    "critical_difference",
    "duels",
    "friedman",
    "friedman_from_ranks",
    "friedman_posthoc",
    "holm",
    "iman_davenport",
    "iman_davenport_from_ranks",
    "mean_rank_intervals",
    "mean_ranks_from_wins",
    "posthoc_from_ranks",
    "rank_rows",
    "rank_sum",
    "shaffer",
    "signed_rank",
    "superiority",
]
