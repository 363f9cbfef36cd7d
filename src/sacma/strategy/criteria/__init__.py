"""Registry of criteria of doubly trained control, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

CRITERIA = kinds(
    "sacma.strategy.criteria.ranking_difference:ExpectedRankingDifference",
    "sacma.strategy.criteria.variance:Variance",
    "sacma.strategy.criteria.improvement:Improvement",
)
"""Settings by name; each is a ``Criterion``."""

if TYPE_CHECKING:
    AnyCriterion = Any
else:
    AnyCriterion = one_of(CRITERIA, "ranking-difference")
