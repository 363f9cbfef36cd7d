"""Mean ranks with intervals, over budgets or dimensions."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import LINE, PAGE, guide, mark_key, new_sheet
from sacma.analysis.figures.style import FAINT, SMALL, Look, looks, shortened, styled

COLUMNS = ("scenario", "dimension", "algorithm", "mean_rank", "low", "high")

LEFT, ABOVE = 32.0, 18.0
"""Room left of a panel and above it, in points."""

HEIGHT = 84.0
"""Of a panel, in points."""

SHARE = 0.76
"""Of the distance of two places on the axis that algorithms spread over."""


def mean_rank_panels(
    ranks: pd.DataFrame,
    *,
    over: Literal["scenario", "dimension"] = "scenario",
    algorithms: Sequence[str] | None = None,
    partial: bool = False,
) -> Figure:
    """Draw mean ranks as markers with whiskers for their intervals, the best at the top.

    Args:
        ranks: columns scenario (such as a budget, as text, in order), dimension, algorithm, mean_rank, low and high.
            Rows without a mean rank are left out; low and high may be NaN.
        over: what is along the axis; there is a panel for each of the other.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there are no rows, or the table does not say what is drawn.
    """
    these = rows(ranks, COLUMNS, unique=COLUMNS[:3]).dropna(subset=["mean_rank"])
    if these.empty:
        raise ValueError("nothing to draw: no mean rank is known")
    other = "dimension" if over == "scenario" else "scenario"
    places, panels = (_values(these, column) for column in (over, other))
    shown = [name for name in in_order(ranks, algorithms) if (these["algorithm"] == name).any()]
    width = PAGE - LEFT - 6
    body = len(panels) * (ABOVE + HEIGHT) + LINE
    with styled():
        look_of = looks(in_order(ranks, algorithms))
        sheet = new_sheet(PAGE, body, keys=[mark_key(name, look_of[name]) for name in shown], partial=partial)
        names = shortened([_said(over, place) for place in places], width / len(places) - 6, SMALL)
        for n, panel in enumerate(panels):
            top = n * (ABOVE + HEIGHT) + ABOVE - 4
            axes = sheet.panel(LEFT, top, width, HEIGHT, _said(other, panel))
            of_panel = these[these[other] == panel]
            for position, name in enumerate(shown):
                of = of_panel[of_panel["algorithm"] == name]
                shift = SHARE * ((position + 0.5) / len(shown) - 0.5)
                x = np.array([places.index(place) for place in of[over]], dtype=np.float64) + shift
                _draw(axes, x, of, look_of[name], name)
            axes.set_xlim(-0.5, len(places) - 0.5)
            axes.set_xticks(range(len(places)), names if n == len(panels) - 1 else [""] * len(places))
            axes.tick_params(axis="x", length=0)
            for edge in range(1, len(places)):
                axes.axvline(edge - 0.5, color=FAINT, linewidth=0.6)
            _ranks(axes, of_panel)
        sheet.write(8, (body - LINE) / 2, "mean rank", rotation=90, va="center", ha="center")
        return sheet.figure


def _values(table: pd.DataFrame, column: str) -> list[object]:
    """Dimensions ascending, scenarios in their order."""
    values = list(pd.unique(table[column]))
    return sorted(values) if column == "dimension" else values


def _said(column: str, value: object) -> str:
    return f"{value}-D" if column == "dimension" else str(value)


def _draw(
    axes: Axes, x: "np.ndarray[tuple[int], np.dtype[np.float64]]", of: pd.DataFrame, look: Look, name: str
) -> None:
    mean, low, high = (of[column].to_numpy(np.float64, na_value=np.nan) for column in COLUMNS[3:])
    axes.vlines(x, low, high, color=look.colour, linewidth=1.1, label=f"{name}: interval")
    axes.plot(x, mean, linestyle="none", markersize=5, label=name, **look.mark)


def _ranks(axes: Axes, of_panel: pd.DataFrame) -> None:
    values = of_panel[["mean_rank", "low", "high"]].to_numpy(np.float64)
    low, high = np.floor(np.nanmin(values)), np.ceil(np.nanmax(values))
    axes.set_ylim(high + 0.25, low - 0.25)
    step = max(1, int(-(-(high - low) // 6)))
    axes.set_yticks(np.arange(low, high + 1, step))
    guide(axes, "y")
