"""Criteria by which f gets points of a population: a line here makes a file a choice of ``criterion`` in configs."""

from sacma.surrogate.part import kinds

CRITERIA = kinds(
    "sacma.strategy.criteria.ranking_difference:ExpectedRankingDifference",
    "sacma.strategy.criteria.variance:Variance",
    "sacma.strategy.criteria.improvement:Improvement",
)
"""Settings by name; each is a ``Criterion``."""
