"""Units of x and f: a run is the same in any."""

from typing import Any

import numpy as np
import pytest

from sacma import minimize
from sacma.types import Array
from tests.strategy.runs import rosenbrock


def points_of(call: str, unit: float, of_values: float) -> Array:
    """Return the points of a run, in which lengths and values are multiplied."""
    given: dict[str, Any] = {"x0": np.full(2, -unit), "sigma0": 0.5 * unit}
    if call == "bounds":
        given = {"bounds": [(-3.0 * unit, 4.0 * unit)] * 2}
    if call == "failures":
        given["max_failures"] = None
    points: list[Array] = []

    def f(x: Array) -> float:
        points.append(x / unit)
        failed = call == "failures" and len(points) % 7 == 0
        return float("nan") if failed else of_values * rosenbrock(points[-1])

    minimize(f, budget=40, seed=3, **given)
    return np.array(points)


@pytest.mark.parametrize("call", ["start", "bounds", "failures"])
def test_a_power_of_two_changes_no_bit(call: str) -> None:
    """Of lengths, of values, or of both."""
    plain = points_of(call, 1.0, 1.0)
    for unit, of_values in ((2.0**-40, 1.0), (1.0, 2.0**-80), (2.0**40, 2.0**80)):
        np.testing.assert_array_equal(points_of(call, unit, of_values), plain)


def test_tiny_values_are_minimised_as_others() -> None:
    """A function times 1e-18, or one of lengths in nanometres, comes as near to its optimum."""
    for unit, of_values in ((1.0, 1.0), (1.0, 1e-18), (1e-9, 1.0)):
        f = lambda x, unit=unit, of_values=of_values: of_values * rosenbrock(x / unit)  # noqa: E731
        found = minimize(f, np.full(2, -unit), sigma0=0.5 * unit, budget=120, seed=3)
        assert found.fun < 1e-8 * of_values
