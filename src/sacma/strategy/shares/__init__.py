"""Shares of a population that f evaluates: a line here makes a file of this folder a choice of ``share`` in configs."""

from sacma.surrogate.part import kinds

SHARES = kinds(
    "sacma.strategy.shares.constant:ConstantShare",
    "sacma.strategy.shares.adaptive:AdaptiveShare",
)
"""Settings by name."""
