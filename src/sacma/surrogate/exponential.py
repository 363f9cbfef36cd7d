"""An exponential function that the compiler can vectorise."""

import math

import numpy as np

from sacma.surrogate.compiled import inlined

_LN2_HIGH = 6.93147180369123816490e-01  # ln 2 in two parts, the first with zeros at its end
_LN2_LOW = 1.90821492927058770002e-10
_ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, found in the last bits
_FACTORIALS = tuple(1.0 / math.factorial(k) for k in range(14))


@inlined
def exp(x: float) -> float:
    """Return eˣ, −700 ≤ x ≤ 0, to 3e-16: by Taylor, without branches and calls: eight are computed at a time."""
    shifted = x * 1.4426950408889634 + _ROUNDER
    k = shifted - _ROUNDER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = _FACTORIALS[13]
    p = p * r + _FACTORIALS[12]
    p = p * r + _FACTORIALS[11]
    p = p * r + _FACTORIALS[10]
    p = p * r + _FACTORIALS[9]
    p = p * r + _FACTORIALS[8]
    p = p * r + _FACTORIALS[7]
    p = p * r + _FACTORIALS[6]
    p = p * r + _FACTORIALS[5]
    p = p * r + _FACTORIALS[4]
    p = p * r + _FACTORIALS[3]
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    exponent = (np.float64(shifted).view(np.int64) + np.int64(1023)) << np.int64(52)
    return p * np.int64(exponent).view(np.float64)
