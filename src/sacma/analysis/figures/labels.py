"""Labels at the ends of lines: names beside a panel, as near to the ends as they can be without overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from sacma.analysis.figures.style import INK, SMALL, Look, Properties, shortened, text_width

STEP = 8.0  # from one label to the next at least, in points
MOST_LABEL = 74.0  # width of a label, in points
BEND, SWATCH = 8.0, 8.0  # from the panel to a swatch, and its length, in points
BOLD = 1.12  # width of a bold text over that of another, at most
MOST = 30  # labels beside a panel: more would make it too high


@dataclass(frozen=True)
class Label:
    """The short name of a series, the look of its line, and where that ends."""

    text: str
    look: Look
    x: float
    y: float


def short_labels(names: Sequence[str]) -> Mapping[str, str]:
    """Return the text of each name's label."""
    return dict(zip(names, shortened(names, MOST_LABEL, SMALL), strict=True))


def room(names: Sequence[str]) -> float:
    """Return the width beside a panel that labels of these names need, in points."""
    return BEND + SWATCH + 3 + BOLD * max(text_width(text, SMALL) for text in short_labels(names).values())


def apart(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Return places as near as can be to those wanted, which rise, and no two nearer than a step.

    >>> apart([10, 11, 30], 0, 40), apart([38, 39], 0, 40)
    ([10, 18.0, 30], [32.0, 40])
    """
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + STEP if places else low))
    for n in reversed(range(len(places))):
        places[n] = min(places[n], places[n + 1] - STEP if n + 1 < len(places) else high)
    return places


def write_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Write labels beside a panel, each joined with the end of its line and as its colour."""
    width, height = (72 * side / axes.figure.dpi for side in axes.bbox.size)
    to_panel = axes.transData + axes.transAxes.inverted()
    ends = [(*to_panel.transform((label.x, label.y)), label) for label in labels]
    ends.sort(key=lambda end: (end[1], end[0]))
    places = apart([height * min(max(y, 0.0), 1.0) for _, y, _ in ends], 0.0, height)
    beside: Properties = {"transform": axes.transAxes, "clip_on": False, "label": "_end"}
    first, last = 1 + BEND / width, 1 + (BEND + SWATCH) / width
    for (x, y, label), place in zip(ends, places, strict=True):
        colour, up = label.look.colour, place / height
        crowded = len(ends) > MOST // 3
        if not crowded or abs(up - y) * height < 2 * STEP:
            axes.plot([x, 1 + 2 / width, first], [y, y, up], color=colour, linewidth=0.3, **beside)
        axes.plot([first, last], [up, up], color=colour, linewidth=2.2 if label.look.strong else 1.2, **beside)
        weight = "bold" if label.look.strong else "normal"
        at: Properties = {"va": "center_baseline", "transform": axes.transAxes, "fontsize": SMALL, "fontweight": weight}
        axes.text(last + 3 / width, up, label.text, color=INK, **at)
