"""Measures of a model's error: a line here makes a file of this folder a choice of ``error`` in configs."""

from sacma.surrogate.part import kinds

ERRORS = kinds(
    "sacma.strategy.errors.kendall:Kendall",
    "sacma.strategy.errors.ranking_difference:RankingDifference",
    "sacma.strategy.errors.kullback_leibler:KullbackLeibler",
    "sacma.strategy.as_run.errors:KendallAsRun",
    "sacma.strategy.as_run.errors:RankingDifferenceAsRun",
    "sacma.strategy.as_run.errors:KullbackLeiblerAsRun",
)
"""Settings by name."""
