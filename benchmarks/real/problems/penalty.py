"""A static penalty for constraints, as is usual for these designs."""

from collections.abc import Iterable

FACTOR = 10.0


def penalised(cost: float, violations: Iterable[float]) -> float:
    """Return the cost, and ten times it for each relative violation of 1, in proportion; none where negative."""
    return cost * (1 + FACTOR * sum(max(0.0, float(violation)) for violation in violations))
