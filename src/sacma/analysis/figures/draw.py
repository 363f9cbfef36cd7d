"""Drawings of charts by matplotlib: a grid of panels below a title, above a key or with labels at the ends of lines.

matplotlib can find a layout by itself, which takes longer than all drawing. Here panels are placed in points, measured
from the top left of the figure's body, which has a head for its title and a foot for its key.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from sacma.analysis.charts import Axis, Bars, Chart, Lines, Rows, Scatter, title
from sacma.analysis.comparison import MANY
from sacma.analysis.figures.labels import MOST, STEP, Label, room, short_labels, write_labels
from sacma.analysis.figures.style import (
    FAINT,
    GAP,
    HANDLE,
    INK,
    SIZE,
    SMALL,
    Look,
    Properties,
    look,
    looks,
    number,
    plain,
    shortened,
    styled,
    text_width,
)
from sacma.types import Array

PAGE = 481.5  # width of the text on an A4 page with margins of 2 cm, in points
COLUMN = 240.0  # half of it: a column of a paper
LINE = 11.0  # from one line of text to the next, in points

PARTIAL = "PARTIAL: trials are missing"

Key = tuple[str, Artist]  # A text of the key and what it stands for
LEFT, BETWEEN, ABOVE, BELOW = 42.0, 20.0, 20.0, 26.0  # room left of, between, above and below panels, in points
MOST_NAME = 100.0  # width of a name beside a row, in points
ROW = 11.0  # from one row to the next, in points
LOW, HIGH = 78.0, 150.0  # height of lines' panels where they are many, and where they are few, in points
FEW = 6  # panels
MARKS = 0.45  # from one marker of a line to the next, in diagonals of the panel
REFERENCE = Look("#777777", (1.6, 1.6), "")  # of what algorithms are compared with, as the best of 2009
SAME = 1.0005  # times the end of data: what is rounded

Looks = Mapping[str, Look]
Panel = Callable[[Axes, pd.DataFrame], None]


def draw(
    chart: Chart, algorithms: Sequence[str], *, baseline: str = "", incomplete: bool = False, width: float = PAGE
) -> Figure:
    """Draw all panels of a chart.

    Args:
        chart: that of one file, as from ``Chart.files``.
        algorithms: of the study, whose names give them their looks.
        baseline: of them, drawn strongest.
        incomplete: say in the figure that trials are missing.
        width: in points; below that of a page half as many panels are beside one another.

    Raises:
        ValueError: the chart has no panel.
    """
    chart = _known(chart)
    panels = list(chart.panels())
    if not panels:
        raise ValueError(f"nothing to draw: {chart.name} has no data")
    look_of = looks_of(chart, algorithms, baseline)
    draw_panel, across, height, left, right = _form(chart, look_of)
    across = max(1, min(across if width >= PAGE else across // 2, len(panels)))
    lines = -(-len(panels) // across)
    step = (width - 6) / across
    side = step - max(left, BETWEEN) - 6 - right
    row = ABOVE + (height or side) + BELOW
    same = [n for n, column in enumerate(chart.by) if chart.data[column].nunique() == 1 < len(chart.by)]
    head = ", ".join(title(chart.by[n], panels[0][0][n]) for n in same)
    with styled():
        layout = new_layout(
            width, lines * row, title=head, keys=[] if right else _keys(chart, look_of), partial=incomplete
        )
        for n, (place, rows) in enumerate(panels):
            heading = ", ".join(title(chart.by[m], value) for m, value in enumerate(place) if m not in same)
            at = n % across * step + max(left, BETWEEN), n // across * row + ABOVE - 4
            axes = layout.panel(*at, side, height or side, heading)
            draw_panel(axes, rows)
            axes.grid(visible=True, axis="x" if isinstance(chart, Rows | Bars) else "both", color=FAINT, linewidth=0.4)
            if n + across >= len(panels):
                axes.set_xlabel(plain(chart.x.label), fontsize=SMALL, labelpad=2)
        if isinstance(chart, Lines | Scatter):
            layout.write(8, lines * row / 2, plain(chart.y.label), rotation=90, va="center", ha="center")
        return layout.figure


def looks_of(chart: Chart, algorithms: Sequence[str], baseline: str = "") -> dict[str, Look]:
    """Return the looks of a chart's series in order: of algorithms by name, of others by position."""
    series = [str(name) for name in pd.unique(chart.data[chart.series])]
    of_position = {name: look(n) for n, name in enumerate(series)}
    study = looks(algorithms, baseline) if chart.series == "algorithm" else of_position
    return {name: study.get(name, REFERENCE) for name in (*study, *series) if name in series}


def _form(chart: Chart, look_of: Looks) -> tuple[Panel, int, float, float, float]:
    """Return how panels are drawn, how many side by side, their height (0: square), and the room left and right."""
    panels = [rows for _, rows in chart.panels()]
    match chart:
        case Lines():
            few = len(panels) <= FEW
            names = [title(chart.series, name) for name in look_of] if few and len(look_of) <= MOST else []
            draw_panel = partial(_lines, chart, look_of, short_labels(names))
            high = max(HIGH, STEP * (len(names) - 1)) if few else LOW
            return draw_panel, 2 if few else 4, high, LEFT, room(names) if names else 0.0
        case Scatter():
            return partial(_scatter, chart, look_of), 3, 0.0, LEFT, 0.0
        case Rows():
            most = max(map(len, panels))
            return partial(_rows, chart, look_of), 3, ROW * (most + 0.5), _room(chart.data[chart.series]), 0.0
        case Bars():
            of = chart.data[chart.rows]
            return partial(_bars, chart, look_of), 2, ROW * (of.nunique() + 0.5), _room(of), 0.0
    raise ValueError(f"there is no figure of {chart.name}, a chart of the kind {chart.kind}")


def _room(names: "pd.Series[str]") -> float:
    return max(text_width(name, SMALL) for name in _short(names.unique().tolist())) + 8


def _short(names: Sequence[str]) -> list[str]:
    return shortened(names, MOST_NAME, SMALL)


def _keys(chart: Chart, look_of: Looks) -> list[Key]:
    texts = {name: title(chart.series, name) for name in look_of}
    match chart:
        case Bars():
            return [(texts[name], Patch(edgecolor=INK, facecolor=look.colour)) for name, look in look_of.items()]
        case Lines():
            return [(texts[name], Line2D([], [], **(look.line | look.mark))) for name, look in look_of.items()]
        case Scatter():
            return [(texts[name], Line2D([], [], linestyle="none", **look.mark)) for name, look in look_of.items()]
    return []  # names stand beside their rows


def _scale(axes: Axes, axis: Axis, values: Array, which: str) -> tuple[float, float]:
    """Set the scale, the limits and the ticks of an axis, and return its limits."""
    finite = values[np.isfinite(values) & ((values > 0) | (not axis.log))]
    low, high = axis.limits or ((float(finite.min()), float(finite.max())) if len(finite) else (1.0, 10.0))
    if axis.log:
        room = (high / low) ** 0.04 if low < high else 2.0
        low, high = low / room, high * room
    elif axis.limits is None:
        room = 0.04 * (high - low) or 0.5
        low, high = low - room, high + room
    axes.set(**{f"{which}scale": "log" if axis.log else "linear"})
    ticks = axes.xaxis if which == "x" else axes.yaxis
    if axis.log:
        decades = np.arange(np.ceil(np.log10(low)), np.floor(np.log10(high)) + 1)
        every = -(-len(decades) // 5) if len(decades) > 1 else 1
        places = 10.0 ** decades[::every] if len(decades) > 1 else np.array([low * room, high / room])
        ticks.set_ticks(places, [_power(place) for place in places.tolist()])
        ticks.set_minor_formatter(NullFormatter())
    else:
        ticks.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        ticks.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.set(**{f"{which}lim": (high, low) if axis.falls else (low, high)})
    return low, high


def _power(value: float) -> str:
    """Return a number of a log axis: outside of 0.01 … 10,000 as a power of ten.

    >>> _power(100.0), _power(1e-8)
    ('100', '1e−8')
    """
    small, large = 0.009, 20_000
    return number(value) if small < value < large else f"1e{number(round(np.log10(value)))}"


def _known(chart: Chart) -> Chart:
    """Return a chart, of lines without what is beyond the end of their data; a reference ends with the longest."""
    if not isinstance(chart, Lines) or not chart.end:
        return chart
    ends = chart.data[chart.end]
    x = chart.data[chart.x.column]
    return replace(chart, data=chart.data[x <= SAME * ends.fillna(ends.max())])


def _lines(chart: Lines, look_of: Looks, labels: Mapping[str, str], axes: Axes, rows: pd.DataFrame) -> None:
    every_x = chart.data[chart.x.column].to_numpy(float)
    longest = float(chart.data[chart.end].max()) if chart.end else np.nan
    goal = every_x.min() if chart.x.falls else every_x.max()
    banded = chart.band if rows[chart.series].nunique() <= MANY else None
    _scale(axes, chart.x, np.append(every_x, longest), "x")
    _scale(axes, chart.y, rows[[chart.y.column, *(banded or ())]].to_numpy(float), "y")
    by_series = dict(list(rows.sort_values(chart.x.column).groupby(chart.series)))
    ends = []
    cross: Properties = {"marker": "x", "markersize": 4.0, "markeredgewidth": 1.0, "clip_on": False, "label": "_cross"}
    for position, (name, its) in enumerate(look_of.items()):
        if name not in by_series:
            continue
        of = by_series[name].replace(np.inf, np.nan)
        x, y = (of[axis.column].to_numpy(float) for axis in (chart.x, chart.y))
        if banded:
            low, high = (of[column].to_numpy(float) for column in banded)
            axes.fill_between(x, low, high, color=its.colour, alpha=0.16, linewidth=0)
        end = float(of[chart.end].iloc[0]) if chart.end else np.nan
        until = longest if np.isnan(end) else end
        if chart.stepped and until > x[-1]:
            x, y = np.append(x, until), np.append(y, y[-1])
        there = np.flatnonzero(np.isfinite(y))
        if not len(there):
            continue
        style = "steps-post" if chart.stepped else "default"
        marks = (MARKS * (position + 0.5) / len(look_of), MARKS)
        above = 3.0 if its.strong else 2.0
        axes.plot(x, y, drawstyle=style, markevery=marks, label=name, zorder=above, **(its.line | its.mark))
        last = there[0 if chart.x.falls else -1]
        ends.append(Label(labels.get(title(chart.series, name), ""), its, x[last], y[last]))
        if not np.isnan(end) or (not chart.end and x[last] != goal):
            axes.plot(x[last], y[last], color=its.colour, zorder=above, **cross)
    if labels:
        write_labels(axes, ends)


def _scatter(chart: Scatter, look_of: Looks, axes: Axes, rows: pd.DataFrame) -> None:
    columns = [chart.x.column, chart.y.column]
    for axis, which in ((chart.x, "x"), (chart.y, "y")):
        low, high = _scale(axes, axis, chart.data[columns].to_numpy(float), which)
    axes.plot([low, high], [low, high], color=FAINT, linewidth=1.0, zorder=0)
    for name, of in rows.groupby(chart.series, sort=False):
        x, y = of[columns].clip(upper=high).to_numpy(float).T
        axes.plot(x, y, linestyle="none", clip_on=False, label=str(name), **(look_of[str(name)].mark | {"ms": 3.0}))


def _rows(chart: Rows, look_of: Looks, axes: Axes, rows: pd.DataFrame) -> None:
    bars = [(ends, width) for ends, width in ((chart.whisker, 0.7), (chart.bar, 2.0)) if ends]
    columns = [chart.x.column, *(column for ends, _ in bars for column in ends)]
    _scale(axes, chart.x, rows[columns].to_numpy(float), "x")
    names = rows[chart.series].to_list()
    for y, (name, of) in enumerate(zip(names, rows[columns].to_dict("records"), strict=True)):
        for (low, high), width in bars:
            axes.plot([of[low], of[high]], [y, y], color=look_of[name].colour, linewidth=width)
        axes.plot([of[chart.x.column]], [y], linestyle="none", label=name, **look_of[name].mark)
    for level, (first, last) in enumerate(chart.joined(rows)):
        at = [1.02 + 0.03 * level] * 2, [first - 0.3, last + 0.3]
        axes.plot(*at, color=INK, linewidth=2.0, clip_on=False, transform=axes.get_yaxis_transform())
    _name_rows(axes, names)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), _short(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _bars(chart: Bars, look_of: Looks, axes: Axes, rows: pd.DataFrame) -> None:
    table = chart.table(rows)
    lengths: Array = np.nan_to_num(table.to_numpy(float))
    totals = lengths.sum(axis=1)
    starts = np.cumsum(lengths, axis=1) - lengths
    for n, part in enumerate(table.columns):
        look: Properties = {"facecolor": look_of[part].colour, "edgecolor": INK, "linewidth": 0.5}
        axes.barh(range(len(table)), lengths[:, n], 0.72, starts[:, n], label=part, **look)
    for y, total in enumerate(totals.tolist()):
        axes.text(total + 0.015 * totals.max(), y, number(total), va="center_baseline", fontsize=SMALL)
    _scale(axes, replace(chart.x, limits=(0, 1.28 * (totals.max() or 1.0))), totals, "x")
    _name_rows(axes, list(table.index))


@dataclass(frozen=True)
class Layout:
    """A figure with title and key, the height of its head in points, and panels that are placed below that."""

    figure: Figure
    head: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with head and foot, in points."""
        width, height = self.figure.get_size_inches()
        return 72 * float(width), 72 * float(height)

    def panel(self, left: float, top: float, width: float, height: float, title: str = "") -> Axes:
        """Add a panel; its frame is where it is said to be, its labels are outside, its title is just above."""
        whole_width, whole_height = self.size
        bottom = 1 - (self.head + top + height) / whole_height
        axes = self.figure.add_axes((left / whole_width, bottom, width / whole_width, height / whole_height))
        axes.tick_params(labelsize=SMALL, width=0.6, length=2.5, pad=2, color=INK)
        axes.tick_params(which="minor", width=0.4, length=1.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
        if title:
            text = shortened([title], min(width + 14, whole_width - left - 1), SIZE)[0]
            axes.set_title(text, loc="left", fontsize=SIZE, pad=3)
        return axes

    def write(self, x: float, y: float, text: str, **properties: Any) -> Text:
        """Write a text at a point of the body."""
        width, height = self.size
        return self.figure.text(x / width, 1 - (self.head + y) / height, text, **({"fontsize": SIZE} | properties))


def new_layout(
    width: float, height: float, *, title: str = "", keys: Sequence[Key] = (), partial: bool = False
) -> Layout:
    """Return a layout without panels, of a width and a height of its body in points.

    The title and a warning of partial results are in the head, the keys in the foot. Texts are shortened if need be.
    """
    heads = [(text, weight) for text, weight in ((title, "normal"), (PARTIAL * partial, "bold")) if text]
    head = LINE * len(heads)
    room = width - 8
    names = shortened([text for text, _ in keys], min(room, 230.0) - HANDLE - 3 * GAP)
    widest = max(map(text_width, names), default=0.0) + HANDLE + 3 * GAP
    columns = max(1, min(len(keys), int(room // widest)))
    lines = -(-len(keys) // columns)
    foot = LINE * lines + 3 if keys else 0
    figure = Figure(figsize=(width / 72, (head + height + foot) / 72))
    layout = Layout(figure, head)
    for line, (text, weight) in enumerate(heads):
        layout.write(4, line * LINE + 2 - head, shortened([text], room)[0], weight=weight, va="top")
    if keys:
        figure.legend(
            [artist for _, artist in keys],
            ["?"] * len(keys),  # given here, a name that begins with _ would be left out
            loc="lower center",
            bbox_to_anchor=(0.5, 2 / (head + height + foot)),
            ncols=-(-len(keys) // lines),
        )
        for shown, name in zip(figure.legends[0].get_texts(), names, strict=True):
            shown.set_text(name)
    return layout
