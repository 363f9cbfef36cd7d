"""Registry of criteria that pick points of a population for f, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

CRITERIA = kinds(
    "sacma.strategy.criteria.ranking_difference:ExpectedRankingDifference",
    "sacma.strategy.criteria.own_rank:OwnRank",
    "sacma.strategy.criteria.variance:Variance",
    "sacma.strategy.criteria.improvement:Improvement",
)
"""Settings by name; each is a ``Criterion``."""

if TYPE_CHECKING:
    AnyCriterion = Any
else:
    AnyCriterion = one_of(CRITERIA, "ranking-difference")
