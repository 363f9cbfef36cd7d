"""The squared exponential covariance: exp(−r²/(2ℓ²))."""

from sacma.surrogate.compiled import inlined
from sacma.surrogate.exponential import exp
from sacma.types import Array


@inlined
def correlate(distances: Array, length: float, correlations: Array) -> None:
    """Write the correlations at ``distances``, shape (n,), to ``correlations``."""
    for i in range(len(distances)):
        s = distances[i] / length
        correlations[i] = exp(-min(0.5 * s * s, 700.0))
