"""Where the CPU time goes: milliseconds a true evaluation, by what they were spent on."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import LINE, PAGE, new_sheet
from sacma.analysis.figures.style import INK, SMALL, Properties, number, shortened, styled, text_width

COLUMNS = ("algorithm", "dimension", "part", "seconds_per_evaluation")

PARTS: Mapping[str, Properties] = {
    "objective": {"facecolor": "#000000", "hatch": ""},
    "fit": {"facecolor": "#0072B2", "hatch": ""},
    "predict": {"facecolor": "#E69F00", "hatch": "////"},
    "strategy": {"facecolor": "#F5F5F5", "hatch": ""},
    "other": {"facecolor": "#FFFFFF", "hatch": "xxx"},
}
"""From the left. Neighbours differ in lightness or hatching."""

BAR, THICK = 12.0, 0.72
"""From one bar to the next, in points, and which share of it is bar."""

MOST_NAME = 110.0
"""Of the width of a name, in points."""

ABOVE, BELOW, BETWEEN = 16.0, 16.0, 16.0
"""Room above each panel, below it and between two, in points."""

TOTAL = 1.28
"""How much longer the axis is than the longest bar, for the number at its end."""


def cpu_time(parts: pd.DataFrame, *, algorithms: Sequence[str] | None = None, partial: bool = False) -> Figure:
    """Draw CPU milliseconds a true evaluation as stacked bars, a panel a dimension with a scale of its own.

    Args:
        parts: columns algorithm, dimension, part (objective, fit, predict, strategy or other) and
            seconds_per_evaluation. A part that is not there, NaN or, by the resolution of clocks, negative, is none.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there are no rows, or the table does not say what is drawn.
    """
    these = rows(parts, COLUMNS, unique=COLUMNS[:3])
    unknown = set(these["part"]) - set(PARTS)
    if unknown:
        raise ValueError(f"there is no part {min(map(str, unknown))!r} of CPU time; parts are {', '.join(PARTS)}")
    shown = [name for name in in_order(these, algorithms) if (these["algorithm"] == name).any()]
    dimensions = sorted(pd.unique(these["dimension"]))
    columns = min(2, len(dimensions))
    lines = -(-len(dimensions) // columns)
    height = BAR * len(shown) + 2
    names = shortened(shown, MOST_NAME, SMALL)
    left = max(text_width(name, SMALL) for name in names) + 8
    width = (PAGE - left - 8 - (columns - 1) * BETWEEN) / columns
    with styled():
        keys = [(part, Patch(edgecolor=INK, **look)) for part, look in PARTS.items()]
        body = lines * (ABOVE + height + BELOW) + LINE
        sheet = new_sheet(PAGE, body, keys=keys, partial=partial)
        for n, dimension in enumerate(dimensions):
            row, column = divmod(n, columns)
            place = (left + column * (width + BETWEEN), row * (ABOVE + height + BELOW) + ABOVE - 2)
            axes = sheet.panel(*place, width, height, f"{dimension}-D")
            table = these[these["dimension"] == dimension].pivot(
                index="algorithm", columns="part", values="seconds_per_evaluation"
            )
            _bars(axes, 1e3 * table.reindex(index=shown, columns=list(PARTS)))
            axes.set_yticks(range(len(shown)), names if column == 0 else [])
        text = "CPU milliseconds per true evaluation"
        sheet.write(left + (PAGE - left) / 2, body - LINE / 2, text, ha="center", va="center")
        return sheet.figure


def _bars(axes: Axes, milliseconds: pd.DataFrame) -> None:
    """Draw the bars of one dimension: algorithms × parts."""
    lengths = np.nan_to_num(milliseconds.to_numpy(np.float64), nan=0.0).clip(min=0)
    totals = lengths.sum(axis=1)
    longest = float(totals.max()) or 1.0
    starts = np.cumsum(lengths, axis=1) - lengths
    y = np.arange(len(lengths))
    for n, (part, look) in enumerate(PARTS.items()):
        axes.barh(y, lengths[:, n], THICK, starts[:, n], label=part, edgecolor=INK, linewidth=0.5, **look)
    for n, total in enumerate(totals.tolist()):
        text = number(total) if milliseconds.iloc[n].notna().any() else "no data"
        axes.text(total + 0.015 * longest, n, text, va="center_baseline", fontsize=SMALL)
    axes.set(xlim=(0, TOTAL * longest), ylim=(len(lengths) - 0.5, -0.5))
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.tick_params(axis="y", length=0)
