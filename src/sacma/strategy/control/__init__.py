"""Registry of evolution controls, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

CONTROLS = kinds(
    "sacma.strategy.control.none:NoControl",
    "sacma.strategy.control.generations:Generations",
    "sacma.strategy.control.adaptive_generations:AdaptiveGenerations",
    "sacma.strategy.control.doubly_trained:DoublyTrained",
    "sacma.strategy.control.approximate_ranking:ApproximateRanking",
    "sacma.strategy.control.as_run:GenerationsAsRun",
    "sacma.strategy.control.as_run:AdaptiveGenerationsAsRun",
)
"""Settings by name."""

if TYPE_CHECKING:
    AnyControl = Any
else:
    AnyControl = one_of(CONTROLS)
