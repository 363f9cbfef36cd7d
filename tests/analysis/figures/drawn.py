"""Contents of drawn figures and their places, read back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase

from sacma.analysis.figures.style import styled
from sacma.types import Array

SLACK = 0.6  # by how much boxes of texts may touch, in points: they have air above and below the letters


@dataclass(frozen=True)
class Drawn:
    """A text and its box, in points from the bottom left."""

    text: Text
    box: Bbox

    def __str__(self) -> str:
        return self.text.get_text()


def texts(figure: Figure) -> list[Drawn]:
    """Return every text that shows: not those of ticks outside the limits."""
    shown: list[Text] = []
    original = Text.draw

    def draw(self: Text, renderer: Any, *arguments: Any, **keywords: Any) -> None:
        if self.get_visible() and self.get_text():
            shown.append(self)
        original(self, renderer, *arguments, **keywords)

    with styled(), patch.object(Text, "draw", draw):
        figure.set_dpi(72)
        figure.draw_without_rendering()
        return [Drawn(text, text.get_window_extent()) for text in dict.fromkeys(shown)]


def lines(axes: Axes, label: str) -> list[Line2D]:
    """Return the lines of a label."""
    return [line for line in axes.get_lines() if line.get_label() == label]


def line(axes: Axes, label: str) -> Line2D:
    """Return the only line of a label."""
    (found,) = lines(axes, label)
    return found


def points(line: Line2D) -> tuple[Array, Array]:
    """Return the coordinates of a line."""
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def panel(figure: Figure, title: str) -> Axes:
    """Return the only panel of a title."""
    (found,) = [axes for axes in figure.axes if axes.get_title("left") == title]
    return found


def faults(figure: Figure) -> Iterator[str]:
    """Say what is covered, cut off or too small."""
    drawn = texts(figure)
    page = padded(figure.bbox, SLACK)
    panels = [axes.get_window_extent() for axes in figure.axes]
    inside = {text for axes in figure.axes for text in axes.texts}
    for one, other in overlaps([text.box for text in drawn]):
        yield f"{drawn[one]} and {drawn[other]} overlap"
    for text in drawn:
        if float(text.text.get_fontsize()) < 7:
            yield f"{text} is of {text.text.get_fontsize()} pt"
        if not within(text.box, page):
            yield f"{text} is cut off"
        if text.text not in inside and any(overlap(text.box, panel) for panel in panels):
            yield f"{text} covers a panel"
    for key in (legend.get_window_extent() for legend in figure.legends):
        if any(overlap(key, panel) for panel in panels):
            yield "the key covers a panel"
        if not within(key, page):
            yield "the key is cut off"
    if any(axes.get_legend() for axes in figure.axes):
        yield "a panel has a key inside"


def padded(box: BboxBase, margin: float) -> Bbox:
    """Return a box that is larger on all sides."""
    return Bbox.from_extents(box.x0 - margin, box.y0 - margin, box.x1 + margin, box.y1 + margin)


def within(one: BboxBase, other: BboxBase) -> bool:
    """Whether a box lies in another."""
    return bool(other.x0 <= one.x0 and one.x1 <= other.x1 and other.y0 <= one.y0 and one.y1 <= other.y1)


def overlaps(boxes: list[Bbox]) -> list[tuple[int, int]]:
    """Return which pairs of boxes share more than what is let through."""
    x0, y0, x1, y1 = np.array([box.extents for box in boxes]).T[:, :, None]
    across = np.minimum(x1, x1.T) - np.maximum(x0, x0.T)
    up = np.minimum(y1, y1.T) - np.maximum(y0, y0.T)
    return [(i, j) for i, j in np.argwhere((across > SLACK) & (up > SLACK)).tolist() if i < j]


def overlap(one: Bbox, other: Bbox) -> bool:
    """Whether two boxes share more than what is let through."""
    return bool(overlaps([one, other]))
