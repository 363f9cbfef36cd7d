"""The archive is a set in the order of arrival."""

from typing import Any

import numpy as np
import pytest

from sacma.surrogate.archive import Archive
from sacma.types import Array


def test_keeps_order_and_grows() -> None:
    """Points come back in the order in which they were added, however many there are."""
    archive = Archive(2)
    X = np.random.default_rng(0).standard_normal((500, 2))
    for start in range(0, 500, 7):
        archive.add(X[start : start + 7], np.arange(start, min(start + 7, 500), dtype=float))
    np.testing.assert_array_equal(archive.points, X)
    np.testing.assert_array_equal(archive.values, np.arange(500))


def test_drops_exact_duplicates() -> None:
    """A point that is known to the last bit is not added again; its neighbour is."""
    archive = Archive(1)
    archive.add(np.array([[1.0], [1.0], [np.nextafter(1.0, 2.0)]]), np.array([3.0, 3.0, 2.0]))
    assert len(archive) == 2


def test_the_mean_of_a_noisy_point() -> None:
    """Where it averages, a point has the mean of its values, and the best value is that of the lowest mean."""
    archive = Archive(1, averages=True)
    archive.add(np.array([[1.0], [2.0], [1.0]]), np.array([0.0, 2.5, 3.0]))
    np.testing.assert_allclose(archive.values, [1.5, 2.5])
    assert archive.best_value == 1.5
    archive.add(np.array([[1.0], [3.0], [2.0]]), np.array([6.0, 9.0, 1e308]))
    np.testing.assert_allclose(archive.values, [3.0, 5e307, 9.0])
    assert archive.best_value == archive.values[0]
    np.testing.assert_array_equal(archive.points, [[1.0], [2.0], [3.0]])


def scattered(seed: int, size: int = 40) -> tuple[Archive, np.ndarray, np.random.Generator]:
    """Return an archive of points of [-1, 1]², those points, and the generator."""
    rng = np.random.default_rng(seed)
    archive, points = Archive(2), rng.uniform(-1.0, 1.0, size=(size, 2))
    archive.add(points, np.sum(points**2, axis=1))
    return archive, points, rng


def test_a_region_of_failures_gets_the_largest_recent_value() -> None:
    """The first three failures of a region are not archived, the fourth is, with the largest of 15 D values."""
    archive, points, rng = scattered(1)
    archive.add(np.array([[0.0, 0.0]]), np.array([7.0]))
    archive.add(points[:30] + 0.01, np.arange(30.0) / 10.0)
    size = len(archive)
    beyond = np.array([3.0, 0.0]) + 0.1 * rng.standard_normal((6, 2))
    archive.add_failed(beyond[:3])
    assert len(archive) == size
    archive.add_failed(beyond[3:])
    np.testing.assert_array_equal(archive.points[size:], beyond[3:])
    np.testing.assert_array_equal(archive.values[size:], 2.9)
    assert archive.best_value == 0.0


def test_scattered_failures_are_not_archived() -> None:
    """A failure between points that have values says nothing."""
    archive, points, rng = scattered(2, 400)
    archive.add_failed(rng.uniform(-0.9, 0.9, size=(20, 2)))
    assert len(archive) == len(points)


def test_a_region_is_seen_in_coordinates_of_different_units() -> None:
    """Failures beyond a bound of a coordinate that is a millionth of the others are seen as they are without units."""
    rng = np.random.default_rng(4)
    points = rng.uniform(-1.0, 1.0, size=(60, 3))
    failed = points[:, 2] > 0.5
    counts = []
    for units in (np.ones(3), np.array([1e3, 1.0, 1e-3])):
        archive = Archive(3)
        archive.add(units * points[~failed], np.sum(points[~failed] ** 2, axis=1))
        archive.add_failed(units * points[failed])
        counts.append(len(archive) - np.sum(~failed))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("averages", [False, True])
def test_a_value_of_a_point_of_a_region_replaces_that_of_the_region(*, averages: bool) -> None:
    """Where f fails now and then, it may have a value at last."""
    archive = Archive(2, averages=averages)
    points = np.random.default_rng(7).uniform(-1.0, 1.0, size=(40, 2))
    archive.add(points, np.ones(40))
    beyond = np.array([[3.0, 0.0], [3.0, 0.1], [3.1, 0.0], [3.1, 0.1]])
    archive.add_failed(beyond)
    assert beyond[-1] in archive
    archive.add(beyond[-1:], np.array([-2.0]))
    assert (archive.values[-1], archive.best_value, len(archive)) == (-2.0, -2.0, 41)


def test_the_spread_is_the_largest_so_far() -> None:
    """Of median and least value, at any call; values may lie more than the largest float apart."""
    archive = Archive(1)
    assert archive.spread() == (0.0, 0.0)
    assert archive.standing == (np.inf, np.inf)
    archive.add(np.array([[0.0], [0.5]]), np.array([200.0, 200.5]))
    assert archive.spread() == (0.25, 200.0)
    archive.add(np.array([[1.0], [2.0], [3.0]]), np.array([7.0, 2.0, 6.0]))
    assert archive.spread() == (5.0, 2.0)
    archive.add(np.array([[4.0], [5.0]]), np.array([2.5, 1.0]))
    assert archive.spread() == (5.0, 1.0)
    archive.add(np.array([[6.0], [7.0], [8.0]]), np.array([-1.7e308, 1.7e308, 1.7e308]))
    assert archive.spread() == (1.7e308, -1.7e308)


class Sum:
    """A merit of f and two constraints ≤ 0: f, and a penalty of each."""

    equalities = np.zeros(2, dtype=bool)
    penalty = 10.0

    def __call__(self, outcomes: Array) -> Array:
        """Return it."""
        return np.asarray(outcomes[:, 0] + self.penalty * outcomes[:, 1:].sum(axis=1))

    def violations(self, outcomes: Array) -> Array:
        """Return the larger."""
        return np.asarray(np.maximum(outcomes[:, 1:].max(axis=1), 0.0))


@pytest.mark.parametrize("averages", [False, True])
def test_outcomes_with_constraints(*, averages: bool) -> None:
    """Values are of the merit, measured again where that changes; the best has the least violation, then f."""
    merit: Any = Sum()
    archive = Archive(1, merit, averages=averages)
    outcomes = np.random.default_rng(3).normal(size=(200, 3))
    outcomes[:, 1] = np.abs(outcomes[:, 1])  # all are violated but in three points, of which the second is the best
    outcomes[[20, 30, 40]] = [[5.0, -1.0, -2.0], [4.0, -2.0, -1.0], [6.0, -3.0, 0.0]]
    archive.add(np.arange(200.0)[:, None], outcomes)
    np.testing.assert_array_equal(archive.outcomes, outcomes)
    np.testing.assert_array_equal(archive.values, merit(outcomes))
    assert archive.best == 30
    assert archive.standing == (0.0, 4.0)
    merit.penalty = 20.0
    archive.measure()
    np.testing.assert_array_equal(archive.values, merit(outcomes))
    assert archive.value_at(np.array([7.0])) == merit(outcomes)[7]
    np.testing.assert_array_equal(archive.values_of(outcomes[:3]), merit(outcomes[:3]))
    archive.add(np.array([[7.0]]), 3.0 * outcomes[[7]])
    expected = (2.0 if averages else 1.0) * outcomes[7]
    np.testing.assert_allclose(archive.outcomes[7], expected)
    assert archive.values[7] == pytest.approx(merit(expected[None])[0])


@pytest.mark.parametrize("close", [2, 3])
def test_a_region_has_three_failures_next_to_a_point(close: int) -> None:
    """Of the nearest points, counted by distance; the value is the largest of the last 15 D."""
    archive = Archive(2)
    archive.add(np.array([[0.0, 0.0], [4.0, 4.0]]), np.array([99.0, 50.0]))
    archive.add(10.0 + np.arange(60.0).reshape(30, 2), np.arange(30.0))
    archive.add_failed(np.array([[5.0, 5.0 - 0.1 * n] for n in range(close)]))
    size = len(archive)
    archive.add_failed(np.array([[5.0, 5.1]]))
    assert len(archive) == size + (close == 3)
    assert archive.values[-1] == 29.0
    assert archive.values.max() == 99.0
