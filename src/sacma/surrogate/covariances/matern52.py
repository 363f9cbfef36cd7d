"""The Matérn covariance with ν = 5/2: (1 + s + s²/3) exp(−s) with s = √5 r/ℓ."""

import math

from sacma.surrogate.compiled import inlined
from sacma.surrogate.exponential import exp
from sacma.types import Array


@inlined
def correlate(distances: Array, length: float, correlations: Array) -> None:
    """Write the correlations at ``distances`` r, shape (n,), with the length scale ℓ, to ``correlations``."""
    scale = math.sqrt(5.0) / length
    for i in range(len(distances)):
        s = min(distances[i] * scale, 700.0)
        correlations[i] = (1.0 + s * (1.0 + s * (1.0 / 3.0))) * exp(-s)
