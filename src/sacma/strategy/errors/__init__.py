"""Measures of a model's error: a line here makes a file of this folder a choice of ``error`` in configs."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

ERRORS = kinds(
    "sacma.strategy.errors.kendall:Kendall",
    "sacma.strategy.errors.ranking_difference:RankingDifference",
    "sacma.strategy.errors.kullback_leibler:KullbackLeibler",
    "sacma.strategy.as_run.errors:KendallAsRun",
    "sacma.strategy.as_run.errors:RankingDifferenceAsRun",
    "sacma.strategy.as_run.errors:KullbackLeiblerAsRun",
)
"""Settings by name."""

if TYPE_CHECKING:
    AnyError = Any
else:
    AnyError = one_of(ERRORS)
