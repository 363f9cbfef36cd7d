"""Registry of shares of doubly trained control, one line a kind."""

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
