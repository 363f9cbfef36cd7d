"""Registry of searches before the first run of CMA-ES, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

STARTS = kinds("sacma.strategy.starts.trust_region:TrustRegion")
"""Settings by name."""

if TYPE_CHECKING:
    AnyStart = Any
else:
    AnyStart = one_of(STARTS)
