"""What adaptive algorithms did in one trial: errors of their models, and the generations they trusted them with."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sacma.analysis.figures.curve import stairs
from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import PAGE, Key, guide, new_sheet
from sacma.analysis.figures.style import INK, Properties, styled

COLUMNS = ("algorithm", "restart", "true_evaluations", "model_generations", "error", "smoothed_error")

PANELS = 3
"""Algorithms beside one another."""

LEFT, BETWEEN, ABOVE = 34.0, 18.0, 20.0
"""Room left of the panels, between them and above each, in points."""

LOW, HIGH = 62.0, 92.0
"""Height of the panels of g_m and of errors, in points."""

DOTS: Properties = {"linestyle": "none", "marker": ".", "markersize": 2.6, "color": "#7F7F7F", "markeredgewidth": 0}
SMOOTHED: Properties = {"color": "#0072B2", "linewidth": 1.2}
STEPS: Properties = {"color": INK, "linewidth": 0.8}
RESTART: Properties = {"color": "#D55E00", "linewidth": 0.8, "linestyle": (0, (3, 2))}


def evolution(
    generations: pd.DataFrame, *, title: str = "", algorithms: Sequence[str] | None = None, partial: bool = False
) -> Figure:
    """Draw g_m, ε and ε_s over the true evaluations of one trial, an algorithm a column.

    g_m is decided in a true-evaluated generation and holds up to the next. Model-evaluated generations, which make no
    true evaluation and decide nothing, may be among the rows or not.

    Args:
        generations: in their order, columns algorithm, restart, true_evaluations, model_generations (g_m), error (ε)
            and smoothed_error (ε_s), NaN where there is none.
        title: of which trial.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there are no rows, or the table does not say what is drawn.
    """
    these = rows(generations, COLUMNS)
    shown = [name for name in in_order(these, algorithms) if (these["algorithm"] == name).any()]
    true = {name: _true_evaluated(these[these["algorithm"] == name], name) for name in shown}
    columns = min(PANELS, len(shown))
    lines = -(-len(shown) // columns)
    height = ABOVE + LOW + 10 + HIGH + 14
    body = lines * height + 14
    with styled():
        sheet = new_sheet(PAGE, body, title=title, keys=_keys(true), partial=partial)
        width = (PAGE - LEFT - (columns - 1) * BETWEEN - 10) / columns
        most = max(int(of["model_generations"].max()) for of in true.values())
        end = max(int(of["true_evaluations"].max()) for of in true.values())
        for n, name in enumerate(shown):
            row, column = divmod(n, columns)
            left, top = LEFT + column * (width + BETWEEN), row * height + ABOVE - 4
            above = sheet.panel(left, top, width, LOW, name)
            below = sheet.panel(left, top + LOW + 10, width, HIGH)
            _generations(above, true[name], max(1, most))
            _errors(below, true[name])
            for axes in (above, below):
                axes.set_xlim(0, end)
                axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
                for start in _restarts(true[name]):
                    axes.axvline(start, zorder=1.9, **RESTART)
                guide(axes, "y")
            above.tick_params(axis="x", labelbottom=False)
            for axes in (above, below):
                axes.tick_params(axis="y", labelleft=column == 0)
            if column == 0:
                sheet.write(8, top + LOW / 2, "gₘ", rotation=90, va="center", ha="center")
                sheet.write(8, top + LOW + 10 + HIGH / 2, "error ε", rotation=90, va="center", ha="center")
        sheet.write(LEFT + (PAGE - LEFT) / 2, body - 8, "true evaluations", ha="center", va="center")
        return sheet.figure


def _true_evaluated(generations: pd.DataFrame, name: str) -> pd.DataFrame:
    evaluations = generations["true_evaluations"].to_numpy(np.int64)
    steps = np.diff(evaluations, prepend=0)
    if (steps < 0).any():
        raise ValueError(f"true evaluations of {name} go down; rows must be of one trial, in their order")
    if not (steps > 0).any():
        raise ValueError(f"nothing to draw: {name} made no true evaluation")
    return generations[steps > 0]


def _restarts(generations: pd.DataFrame) -> list[float]:
    """Evaluations at which a restart had made its first generation."""
    first = generations["restart"].diff() > 0
    return [float(value) for value in generations.loc[first, "true_evaluations"]]


def _keys(true: dict[str, pd.DataFrame]) -> list[Key]:
    keys: list[Key] = [
        ("generations left to the model, gₘ", Line2D([], [], **STEPS)),
        ("error ε of one model", Line2D([], [], **(DOTS | {"markersize": 5}))),
        ("smoothed error εₛ", Line2D([], [], **SMOOTHED)),
    ]
    if any(_restarts(of) for of in true.values()):
        keys.append(("restart", Line2D([], [], **RESTART)))
    return keys


def _generations(axes: Axes, true: pd.DataFrame, most: int) -> None:
    x, g = stairs(true["true_evaluations"].to_numpy(np.float64), true["model_generations"].to_numpy(np.float64))
    axes.plot(x, g, label="g_m", **STEPS)
    axes.set_ylim(0, most + 0.3)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def _errors(axes: Axes, true: pd.DataFrame) -> None:
    x = true["true_evaluations"].to_numpy(np.float64)
    axes.plot(x, true["error"].to_numpy(np.float64, na_value=np.nan), label="error", **DOTS)
    smoothed = true["smoothed_error"].to_numpy(np.float64, na_value=np.nan)
    there = np.isfinite(smoothed)
    axes.plot(x[there], smoothed[there], label="smoothed error", **SMOOTHED)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
