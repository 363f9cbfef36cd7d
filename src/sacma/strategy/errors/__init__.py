"""Registry of error measures, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

ERRORS = kinds(
    "sacma.strategy.errors.kendall:Kendall",
    "sacma.strategy.errors.ranking_difference:RankingDifference",
    "sacma.strategy.errors.kullback_leibler:KullbackLeibler",
    "sacma.strategy.errors.as_run:KendallAsRun",
    "sacma.strategy.errors.as_run:RankingDifferenceAsRun",
    "sacma.strategy.errors.as_run:KullbackLeiblerAsRun",
)
"""Settings by name."""

if TYPE_CHECKING:
    AnyError = Any
else:
    AnyError = one_of(ERRORS)
