"""Shares of a population that f evaluates: a line here makes a file of this folder a choice of ``share`` in configs."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

SHARES = kinds(
    "sacma.strategy.shares.constant:ConstantShare",
    "sacma.strategy.shares.adaptive:AdaptiveShare",
)
"""Settings by name."""

if TYPE_CHECKING:
    AnyShare = Any
else:
    AnyShare = one_of(SHARES, "constant")
