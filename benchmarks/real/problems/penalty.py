"""A static penalty for constraints, as is usual for these designs."""

from collections.abc import Iterable

FACTOR = 10.0


def penalised(cost: float, violations: Iterable[float], unit: float | None = None) -> float:
    """Return the cost, and ten times ``unit`` for each relative violation of 1, in proportion; none where negative.

    The unit is the cost itself, unless given: where a design that violates everything costs next to nothing, that would
    be the best of all.
    """
    return cost + FACTOR * (cost if unit is None else unit) * sum(max(0.0, float(each)) for each in violations)
