"""Parameters as coordinates of the unit cube."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from sacma.integrations.unit_cube import UnitCube

DISTRIBUTIONS = [
    FloatDistribution(-3.0, 7.0),
    FloatDistribution(-1.5e308, 1.5e308),
    FloatDistribution(1e-7, 10.0, log=True),
    FloatDistribution(-10.2, 10.2, step=0.1),
    FloatDistribution(0.0, 0.9, step=0.3),
    IntDistribution(-5, 5),
    IntDistribution(0, 10**15),
    IntDistribution(3, 9, step=2),
    IntDistribution(1, 1000, log=True),
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
@given(u=st.floats(0, 1))
def test_values_are_of_the_distribution(distribution: BaseDistribution, u: float) -> None:
    """Each coordinate gives a value that Optuna takes, of its type, which leads back to a coordinate of that value."""
    cube = UnitCube({"a": distribution})
    value = cube.params(np.array([u]))["a"]
    assert type(value) is (int if isinstance(distribution, IntDistribution) else float)
    assert distribution._contains(distribution.to_internal_repr(value))
    point = cube.point({"a": value})
    assert point is not None
    again = cube.params(point)["a"]
    assert again == value if type(value) is int else math.isclose(again, value, rel_tol=1e-9, abs_tol=1e-9)


def test_each_integer_has_an_equal_share() -> None:
    """So has each step; with ``log``, shares are equal in the logarithm, from ½ below to ½ above."""
    u = (np.arange(10_000) + 0.5) / 10_000
    cube = UnitCube({"a": IntDistribution(0, 3), "b": FloatDistribution(0, 1, step=0.25)})
    drawn = [cube.params(np.array([one, one])) for one in u]
    assert {sum(p["a"] == k for p in drawn) for k in range(4)} == {2500}
    assert {sum(p["b"] == k / 4 for p in drawn) for k in range(5)} == {2000}
    cube = UnitCube({"a": IntDistribution(1, 4, log=True)})
    values = [cube.params(np.array([one]))["a"] for one in u]
    expected = [10_000 * math.log((k + 0.5) / (k - 0.5)) / math.log(4.5 / 0.5) for k in range(1, 5)]
    assert np.allclose([values.count(k) for k in range(1, 5)], expected, atol=2)
    assert all(a <= b for a, b in pairwise(values))


def test_points_of_other_parameters() -> None:
    """None where a parameter is missing, no number, or outside; a point is recognized by its parameters."""
    cube = UnitCube({"b": FloatDistribution(1, 100, log=True), "a": FloatDistribution(0, 4)})
    assert cube.names == ["a", "b"]
    point = cube.point({"a": 1, "b": 10.0, "c": "more"})
    assert point is not None
    assert np.allclose(point, [0.25, 0.5])
    assert cube.is_at({"a": 1.0 + 1e-12, "b": 10.0}, point)
    assert not cube.is_at({"a": 1.1, "b": 10.0}, point)
    for params in ({"a": 1}, {"a": 5, "b": 10}, {"a": True, "b": 10}, {"a": "1", "b": 10}, {"a": math.nan, "b": 10}):
        assert cube.point(params) is None
        assert not cube.is_at(params, point)


def test_digests() -> None:
    """Cubes of the same parameters have the same digest, in whatever order, and no others."""
    a, b = FloatDistribution(0, 1), IntDistribution(0, 1)
    digests = [UnitCube(space).digest for space in ({"x": a, "y": b}, {"y": b, "x": a}, {"x": b, "y": a}, {"x": a})]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
