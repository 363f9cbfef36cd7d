"""How Δf comes down with evaluations, on every function: medians and quartiles over trials."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.figures.curve import Floats, draw_curve, mark_places, thinned
from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import PAGE, guide, line_key, new_sheet, without_data
from sacma.analysis.figures.style import Look, looks, number, styled
from sacma.coco.function_names import function_title

VALUES = ("lower_quartile", "median", "upper_quartile")
COLUMNS = ("algorithm", "dimension", "function", "evaluations_per_dimension", *VALUES)

TARGET = 1e-8
"""COCO's final target: what is below counts as this."""

PANELS = 4
"""Beside one another."""

LEFT, BETWEEN, ABOVE, BELOW = 32.0, 24.0, 20.0, 28.0
"""Room left of the panels, between them, above each and below the last, in points."""

WIDTH, HEIGHT = (PAGE - LEFT - (PANELS - 1) * BETWEEN - 6) / PANELS, 78.0
"""Of a small panel, in points."""

START = 0.04
"""Which share of the evaluations may lie above the panel: random points are so bad that all else would be flat."""

BAND = 0.16
"""Opacity of the quartiles."""

MOST_OF_BAND = 30
"""Points of an edge of a band."""


def convergence(
    curves: pd.DataFrame,
    *,
    dimension: int,
    algorithms: Sequence[str] | None = None,
    target: float = TARGET,
    partial: bool = False,
) -> Figure:
    """Draw log₁₀ Δf over evaluations/D, a small panel a function: medians as lines, quartiles as bands.

    Panels end above at the largest Δf after 4 % of the evaluations; where curves begin higher they come from above.

    Args:
        curves: columns algorithm, dimension, function, evaluations_per_dimension, lower_quartile, median and
            upper_quartile of Δf. Points with a median that is NaN or infinite are left out.
        dimension: D.
        algorithms: of the study, in its order.
        target: Δf below it counts as this.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is no such row, or the table does not say what is drawn.
    """
    these = _these(curves, target, dimension=dimension)
    functions = sorted(pd.unique(these["function"]))
    columns = min(PANELS, len(functions))
    lines = -(-len(functions) // columns)
    body = lines * (ABOVE + HEIGHT) + BELOW
    with styled():
        look_of = _present(looks(in_order(curves, algorithms)), these)
        keys = [line_key(name, look) for name, look in look_of.items()]
        width = PAGE if columns == PANELS else LEFT + columns * (WIDTH + BETWEEN)
        sheet = new_sheet(width, body, title=f"{dimension}-D", keys=keys, partial=partial)
        limits = (0.0, float(these["evaluations_per_dimension"].max()) or 1.0)
        by_function = dict(list(these.groupby("function", observed=True)))
        for n, function in enumerate(functions):
            row, column = divmod(n, columns)
            place = (LEFT + column * (WIDTH + BETWEEN), ABOVE - 5 + row * (ABOVE + HEIGHT))
            axes = sheet.panel(*place, WIDTH, HEIGHT, function_title(int(function)))
            _panel(axes, by_function[function], look_of, limits=limits, size=(WIDTH, HEIGHT), marks=2)
            if n + columns < len(functions):
                axes.tick_params(axis="x", labelbottom=False)
        sheet.write(8, (body - BELOW) / 2, "log₁₀ Δf", rotation=90, va="center", ha="center")
        sheet.write(width / 2, body - 8, "true evaluations / D", ha="center", va="center")
        return sheet.figure


def convergence_on(
    curves: pd.DataFrame,
    *,
    function: int,
    dimension: int,
    algorithms: Sequence[str] | None = None,
    target: float = TARGET,
    partial: bool = False,
) -> Figure:
    """Draw log₁₀ Δf over evaluations/D on one function: medians as lines, quartiles as bands.

    Args:
        curves: as for ``convergence``.
        function: f.
        dimension: D.
        algorithms: of the study, in its order.
        target: Δf below it counts as this.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is no such row, or the table does not say what is drawn.
    """
    these = _these(curves, target, function=function, dimension=dimension)
    with styled():
        look_of = _present(looks(in_order(curves, algorithms)), these)
        keys = [line_key(name, look) for name, look in look_of.items()]
        width, height = PAGE - LEFT - 14, 230.0
        title = f"{function_title(function)}, {dimension}-D"
        sheet = new_sheet(PAGE, height + 40, title=title, keys=keys, partial=partial)
        axes = sheet.panel(LEFT + 4, 6, width, height)
        limits = (0.0, float(these["evaluations_per_dimension"].max()) or 1.0)
        _panel(axes, these, look_of, limits=limits, size=(width, height), marks=4)
        axes.set_xlabel("true evaluations / D")
        axes.set_ylabel("log₁₀ Δf")
        return sheet.figure


def _these(curves: pd.DataFrame, target: float, **where: int) -> pd.DataFrame:
    """Rows, by evaluations, with log₁₀ Δf."""
    if not target > 0:
        raise ValueError(f"the target is {target}; on a log scale it must be positive")
    found = rows(curves, COLUMNS, unique=("algorithm", "function", "evaluations_per_dimension"), **where)
    found = found.sort_values(["function", "evaluations_per_dimension"], kind="stable")
    values = found[list(VALUES)].to_numpy(dtype=np.float64, na_value=np.nan)
    if not np.isfinite(values).any():
        raise ValueError(f"nothing to draw: of {', '.join(f'{k} {v}' for k, v in where.items())} no Δf is known")
    found[list(VALUES)] = np.log10(np.maximum(values, target))
    return found


def _present(look_of: Mapping[str, Look], these: pd.DataFrame) -> dict[str, Look]:
    there = set(these["algorithm"])
    return {name: look for name, look in look_of.items() if name in there}


def _panel(
    axes: Axes,
    these: pd.DataFrame,
    look_of: Mapping[str, Look],
    *,
    limits: tuple[float, float],
    size: tuple[float, float],
    marks: int,
) -> None:
    """Draw the rows of one function into a panel of a given size in points."""
    values = these[list(VALUES)].to_numpy(np.float64)
    finite = values[np.isfinite(values)]
    if not len(finite):
        without_data(axes)
        return
    low, high = float(finite.min()), float(finite.max())
    later = values[these["evaluations_per_dimension"] >= START * limits[1]]
    if np.isfinite(later).any():
        high = float(later[np.isfinite(later)].max())
    margin = 0.04 * (high - low) if high > low else 0.5
    low, high = low - margin, high + margin
    by_algorithm = dict(list(these.groupby("algorithm", observed=True)))
    for position, (name, look) in enumerate(look_of.items()):
        if name not in by_algorithm:
            continue
        of = by_algorithm[name]
        x, lower, median, upper = (of[c].to_numpy(np.float64) for c in COLUMNS[3:])
        scale = size[0] / limits[1], size[1] / (high - low)
        _band(axes, x, lower, np.minimum(upper, high), look=look, scale=scale)
        known = np.isfinite(median)
        if known.any():
            x, median = x[known], median[known]
            on_paper = scale[0] * x, scale[1] * median
            places = mark_places(size[0], position, len(look_of), marks)
            draw_curve(axes, x, median, on_paper=on_paper, marks_at=places, look=look, label=name)
    axes.set(xlim=limits, ylim=(low, high))
    axes.xaxis.set_major_locator(MaxNLocator(3 if size[0] < PAGE / 2 else 8, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 4, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    guide(axes)


def _band(axes: Axes, x: Floats, lower: Floats, upper: Floats, *, look: Look, scale: tuple[float, float]) -> None:
    """Draw the area between two curves; ``scale`` is in points, of one evaluation/D and of one decade."""
    there = np.isfinite(lower) & np.isfinite(upper)
    if there.any():
        x, lower, upper = x[there], lower[there], upper[there]
        below, above = (thinned(scale[0] * x, scale[1] * y, most=MOST_OF_BAND) for y in (lower, upper))
        corners = np.concatenate([x[below], x[above][::-1]]), np.concatenate([lower[below], upper[above][::-1]])
        axes.fill(*corners, color=look.colour, alpha=BAND, linewidth=0, zorder=1.8)
