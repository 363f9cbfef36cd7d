"""Registry of proposals, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

PROPOSALS = kinds(
    "sacma.strategy.proposals.none:NoProposals",
    "sacma.strategy.proposals.model_optimum:ModelOptimum",
)
"""Settings by name; each is a ``Proposals``."""

if TYPE_CHECKING:
    AnyProposals = Any
else:
    AnyProposals = one_of(PROPOSALS)
