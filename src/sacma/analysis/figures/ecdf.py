"""Figure 3 of the paper: which share of targets was reached after how many evaluations, by group of functions."""

from collections.abc import Sequence
from numbers import Integral

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from sacma.analysis.figures.curve import Floats, draw_curve, mark_places, stairs
from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import PAGE, guide, line_key, new_sheet, without_data
from sacma.analysis.figures.style import Look, Properties, looks, number, styled
from sacma.coco.function_names import BEST_2009
from sacma.coco.suites import BBOB

COLUMNS = ("algorithm", "dimension", "group", "functions", "evaluations_per_dimension", "proportion")

LEFT, BETWEEN, ABOVE = 32.0, 24.0, 26.0
"""Room left of the panels, between them and above each, in points."""

WIDTH, HEIGHT = (PAGE - LEFT - BETWEEN - 10) / 2, 150.0
"""Of a panel, in points."""

MARKS = 3
"""Markers on a curve."""

MOST_CORNERS = 120
"""Of a curve: each step has two."""

REFERENCE_LINE: Properties = {"color": "#A6A6A6", "linewidth": 3.2, "linestyle": "-", "zorder": 1.5}
"""Broad and grey, behind all others."""


def ecdf(
    proportions: pd.DataFrame, *, dimension: int, algorithms: Sequence[str] | None = None, partial: bool = False
) -> Figure:
    """Draw the empirical distribution functions of one dimension in six panels: bbob's groups of functions and all.

    Args:
        proportions: columns algorithm ("best 2009" is the reference), dimension, group (a name in
            ``sacma.coco.suites.BBOB.groups``), functions (which, as a text, or how many),
            evaluations_per_dimension and proportion, of targets reached by then. Rows with NaN are left out.
        dimension: D.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is no such row, or the table does not say what is drawn.
    """
    these = rows(proportions, COLUMNS, unique=("algorithm", "group", "evaluations_per_dimension"), dimension=dimension)
    unknown = set(these["group"]) - set(BBOB.groups)
    if unknown:
        raise ValueError(f"there is no group {min(map(str, unknown))!r}; groups are {', '.join(BBOB.groups)}")
    study = in_order(proportions, algorithms)
    these = these[these["evaluations_per_dimension"] > 0].dropna(subset=["proportion"])
    if these.empty:
        raise ValueError(f"nothing to draw: no proportion in {dimension}-D is known")
    if not these["proportion"].between(0, 1).all():
        raise ValueError("a proportion is not within 0 … 1")
    limits = _limits(these["evaluations_per_dimension"])
    there = set(these["algorithm"])
    drawn = [name for name in study if name in there]
    curves = dict(list(these.sort_values("evaluations_per_dimension").groupby(["group", "algorithm"], observed=True)))
    with styled():
        look_of = looks(study)
        keys = [line_key(name, look_of[name]) for name in drawn]
        keys += [(BEST_2009, Line2D([], [], **REFERENCE_LINE))] if BEST_2009 in there else []
        body = 3 * (ABOVE + HEIGHT) + 24
        sheet = new_sheet(PAGE, body, title=f"{dimension}-D", keys=keys, partial=partial)
        for n, group in enumerate(BBOB.groups):
            row, column = divmod(n, 2)
            functions = these.loc[these["group"] == group, "functions"]
            title = group if functions.empty else f"{group} ({_which(functions.iloc[0])})"
            place = (LEFT + column * (WIDTH + BETWEEN), ABOVE - 10 + row * (ABOVE + HEIGHT))
            axes = sheet.panel(*place, WIDTH, HEIGHT, title)
            if functions.empty:
                without_data(axes)
                continue
            if (group, BEST_2009) in curves:
                axes.plot(*_corners(curves[group, BEST_2009]), label=BEST_2009, **REFERENCE_LINE)
            for position, name in enumerate(drawn):
                if (group, name) in curves:
                    places = mark_places(WIDTH, position, len(drawn), MARKS)
                    of = curves[group, name]
                    _draw(axes, of, limits=limits, marks_at=places, look=look_of[name], label=name)
            _frame(axes, limits)
        sheet.write(8, (body - 24) / 2, "proportion of targets", rotation=90, va="center", ha="center")
        sheet.write(LEFT + WIDTH + BETWEEN / 2, body - 8, "true evaluations / D", ha="center", va="center")
        return sheet.figure


def _limits(budgets: "pd.Series[float]") -> tuple[float, float]:
    low, high = float(budgets.min()), float(budgets.max())
    return (low, high) if low < high else (low / 2, high * 2)


def _corners(curve: pd.DataFrame) -> tuple[Floats, Floats]:
    x, y = (curve[column].to_numpy(np.float64) for column in ("evaluations_per_dimension", "proportion"))
    return stairs(x, y)


def _draw(
    axes: Axes, curve: pd.DataFrame, *, limits: tuple[float, float], marks_at: Floats, look: Look, label: str
) -> None:
    x, y = _corners(curve)
    u = WIDTH * np.log(x / limits[0]) / np.log(limits[1] / limits[0])
    draw_curve(axes, x, y, on_paper=(u, HEIGHT * y), marks_at=marks_at, look=look, most=MOST_CORNERS, label=label)


def _frame(axes: Axes, limits: tuple[float, float]) -> None:
    axes.set_xscale("log")
    axes.set(xlim=limits, ylim=(0, 1))
    decades = [10.0**e for e in range(-12, 13) if limits[0] <= 10.0**e <= limits[1]]
    ticks = decades if len(decades) > 1 else [limits[0], limits[1]]
    axes.set_xticks(ticks, [number(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(limits)  # which ticks have widened
    axes.set_yticks(np.linspace(0, 1, 6))
    guide(axes)


def _which(functions: object) -> str:
    return f"{functions} functions" if isinstance(functions, Integral) else str(functions)
