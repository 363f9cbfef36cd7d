"""Transfer functions γ: [0, 1] → [0, 1] from (1 − error) to the share of g_m^max (Figure 1 of the paper)."""

from collections.abc import Callable, Mapping


def T1(x: float) -> float:
    """T₁(x) = x.

    >>> T1(0.25)
    0.25
    """
    return x


def T2(x: float, k: float = 2.0) -> float:
    """T₂(x; k) = (x − ½)(1 + 1/k) / (|2(x − ½)| + 1/k) + ½, a sigmoid that grows steeper with k > 0.

    >>> T2(0.0), T2(0.5), T2(1.0)
    (0.0, 0.5, 1.0)
    """
    centered = x - 0.5
    return centered * (1.0 + 1.0 / k) / (abs(2.0 * centered) + 1.0 / k) + 0.5


TRANSFERS: Mapping[str, Callable[[float, float], float]] = {"T1": lambda x, _: T1(x), "T2": T2}
"""Functions of x and the steepness k, by name."""
