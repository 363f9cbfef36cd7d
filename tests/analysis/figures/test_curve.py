"""Thinned curves look like whole ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from sacma.analysis.figures.curve import MOST_POINTS, TOLERANCE, draw_curve, mark_places, stairs, thinned
from sacma.analysis.figures.style import look


def distances(x: np.ndarray, y: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Of each point from the thinned curve, by looking at every segment."""
    a = np.column_stack([x[kept], y[kept]])
    start, step = a[:-1], np.diff(a, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-300)
    found = []
    for point in np.column_stack([x, y]):
        along = np.clip(((point - start) * step).sum(axis=1) / length, 0, 1)
        found.append(np.sqrt(((point - start - along[:, None] * step) ** 2).sum(axis=1)).min())
    return np.array(found)


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(-5, 5)), min_size=1, max_size=60))
def test_thinned_curves_are_near(steps: list[tuple[float, float]]) -> None:
    """No point is farther off than said, and the ends are kept."""
    x, y = np.cumsum(np.array(steps), axis=0).T
    kept = thinned(x, y)
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert (np.diff(kept) > 0).all()
    if len(x) > 1:
        assert distances(x, y, kept).max() <= TOLERANCE + 1e-9


def test_most_points() -> None:
    """A rough curve keeps no more than said; a straight one its ends."""
    x = np.arange(1000.0)
    assert len(thinned(x, np.random.default_rng(1).random(1000) * 100)) == MOST_POINTS
    assert thinned(x, 3 * x).tolist() == [0, 999]


def test_stairs() -> None:
    """A value holds from its place to the next."""
    x, y = stairs(np.array([1.0, 2.0, 5.0]), np.array([0.1, 0.2, 0.7]))
    assert x.tolist() == [1, 2, 2, 5, 5]
    assert y.tolist() == [0.1, 0.1, 0.2, 0.2, 0.7]


@pytest.mark.parametrize("n", [1, 2, 6, 12])
def test_markers_stand_apart(n: int) -> None:
    """No two curves have a marker at the same place."""
    places = np.concatenate([mark_places(90, position, n, 3) for position in range(n)])
    assert np.diff(np.sort(places)) == pytest.approx(30 / n)
    assert places.min() > 0
    assert places.max() < 90


def test_markers_are_on_the_curve() -> None:
    """Markers are at points of the curve next to where they are to be, and none beyond its end."""
    axes = Figure().add_subplot()
    x = np.linspace(0, 50, 501)
    draw_curve(axes, x, x**2, on_paper=(x, x), marks_at=np.array([10.02, 30.0, 70.0]), look=look(1))
    (line,) = axes.get_lines()
    marked = np.asarray(line.get_xdata())[np.asarray(line.get_markevery(), int)]
    assert marked == pytest.approx([10.1, 30.0])
    assert set(np.asarray(line.get_xdata())) <= set(x)
