"""The archive is a set in the order of arrival."""

import numpy as np

from sacma.surrogate.archive import Archive


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


def test_best_value_is_the_lowest() -> None:
    """The best value is inf at first and the lowest ever after."""
    archive = Archive(1)
    assert archive.best_value == np.inf
    archive.add(np.array([[0.0], [1.0]]), np.array([2.0, -1.0]))
    archive.add(np.array([[2.0]]), np.array([5.0]))
    assert archive.best_value == -1.0
