"""Curves with no more points than can be seen, and with markers that do not hide one another."""

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from sacma.analysis.figures.style import Look

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

MOST_POINTS = 80  # of a curve

TOLERANCE = 0.35
"""By how much a curve with fewer points than that may be off, in points: less than a third of the width of its line."""


def thinned(x: Floats, y: Floats, *, tolerance: float = TOLERANCE, most: int = MOST_POINTS) -> Indices:
    """Return the points of a curve to keep: the ends, then always the one that is farthest off the curve so far.

    U. Ramer, An iterative procedure for the polygonal approximation of plane curves (1972). x, ascending, and y,
    finite, of shape (n,), and the tolerance are in points. Returned are positions, ascending, ``most`` at most.

    >>> thinned(np.arange(5.0), np.array([0, 0.01, 0, 1, 2])).tolist()
    [0, 2, 4]
    """
    if len(x) <= 2:  # noqa: PLR2004 the ends
        return np.arange(len(x))
    kept = {0, len(x) - 1}
    heap = [_farthest(x, y, 0, len(x) - 1)]
    while heap and len(kept) < most:
        distance, first, middle, last = heapq.heappop(heap)
        if -distance <= tolerance:
            break
        kept.add(middle)
        for start, end in ((first, middle), (middle, last)):
            if end - start > 1:
                heapq.heappush(heap, _farthest(x, y, start, end))
    return np.array(sorted(kept))


def _farthest(x: Floats, y: Floats, first: int, last: int) -> tuple[float, int, int, int]:
    """Return minus the distance of the point farthest off the segment between two points, and all three."""
    across, up = x[last] - x[first], y[last] - y[first]
    u, v = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
    along = ((u * across + v * up) / (across * across + up * up or 1.0)).clip(0, 1)
    off = np.hypot(u - along * across, v - along * up)
    middle = int(off.argmax())
    return -float(off[middle]), first, first + 1 + middle, last


def stairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the corners of a step function that has the value y_i from x_i on.

    >>> [corners.tolist() for corners in stairs(np.array([0.0, 1, 2]), np.array([3.0, 4, 4]))]
    [[0.0, 1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0, 4.0]]
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def draw_curve(
    axes: Axes,
    x: Floats,
    y: Floats,
    *,
    on_paper: tuple[Floats, Floats],
    marks_at: Floats,
    look: Look,
    most: int = MOST_POINTS,
    **properties: Any,
) -> None:
    """Draw a curve (n,), thinned to ``most`` points, with a few markers; a short one has a marker at its end.

    ``on_paper`` are x and y in points, ``marks_at`` where along x, in points, markers are to be, if on the curve.
    """
    u, v = on_paper
    there = marks_at[(marks_at >= u[0]) & (marks_at <= u[-1])]
    marked = np.unique(np.searchsorted(u, there if len(there) else u[-1:]))
    kept = np.union1d(thinned(u, v, most=most), marked)
    axes.plot(
        x[kept], y[kept], markevery=np.searchsorted(kept, marked).tolist(), **(look.line | look.mark | properties)
    )


def mark_places(width: float, position: int, of: int, marks: int) -> Floats:
    """Return the places of the markers of one of several curves along a panel: evenly, none where another's are.

    >>> mark_places(120, 0, 2, 3).tolist(), mark_places(120, 1, 2, 3).tolist()
    ([10.0, 50.0, 90.0], [30.0, 70.0, 110.0])
    """
    places: Floats = width / marks * (np.arange(marks, dtype=np.float64) + (position + 0.5) / of)
    return places
