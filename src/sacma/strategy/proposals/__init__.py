"""Kinds of proposals: a line here makes a file of this folder a choice of ``proposals`` in configs."""

from sacma.surrogate.part import kinds

PROPOSALS = kinds(
    "sacma.strategy.proposals.none:NoProposals",
    "sacma.strategy.proposals.model_optimum:ModelOptimum",
)
"""Settings by name; each is a ``Proposals``."""
