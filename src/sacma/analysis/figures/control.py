"""Figure 2 of the paper: how often adaptive algorithms asked f instead of their model."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.figure import Figure

from sacma.analysis.figures.curve import Floats
from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import COLUMN, LINE, PAGE, column_names, guide, new_sheet
from sacma.analysis.figures.style import INK, SMALL, looks, number, styled
from sacma.coco.function_names import function_title

COLUMNS = (
    *("algorithm", "dimension", "function", "instance"),
    *("true_generations", "model_generations", "control_frequency"),
)

LEFT, TOP, HEIGHT = 42.0, 8.0, 150.0
"""Room left of the panel and above it, and its height, in points."""

WIDEST = 80.0
"""Of the place of an algorithm, in points."""

ROOMY = 60.0
"""From here on there is room below a box to say of how many trials, in points."""

LINEAR_UP_TO = 20.0
"""How many times the smallest the largest ratio may be on a linear axis, where boxes are as long as they seem."""


MANY = 1000.0
"""How many times the smallest the largest ratio is when the axis has numbers at powers of ten only."""


def control_frequency(
    trials: pd.DataFrame,
    *,
    function: int,
    dimension: int,
    algorithms: Sequence[str] | None = None,
    partial: bool = False,
) -> Figure:
    """Draw the control frequency of the trials on one problem as box plots, with a dot a trial beside each box.

    Boxes go from quartile to quartile, whiskers to the farthest trial within 1.5 times that distance. The ratio of a
    trial without model-evaluated generations is infinite: such trials are counted below the box, and no part of it.

    Args:
        trials: columns algorithm, dimension, function, instance, true_generations, model_generations and
            control_frequency, the ratio of these.
        function: f.
        dimension: D.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there are no such trials, or their table does not say what is drawn.
    """
    these = rows(trials, COLUMNS, function=function, dimension=dimension)
    look_of = looks(in_order(trials, algorithms))
    ratios = {name: _ratios(these[these["algorithm"] == name]) for name in look_of}
    ratios = {name: of for name, of in ratios.items() if len(of)}
    never = {name: int(np.isinf(of).sum()) for name, of in ratios.items()}
    width = max(COLUMN, min(PAGE, LEFT + WIDEST * len(ratios) + 8))
    cell = (width - LEFT - 8) / len(ratios)
    names = column_names(list(ratios), cell)
    below = TOP + HEIGHT + names.height
    title = f"{function_title(function)}, {dimension}-D"
    with styled():
        sheet = new_sheet(width, below + 2.4 * LINE, title=title, partial=partial)
        axes = sheet.panel(LEFT, TOP, width - LEFT - 8, HEIGHT)
        for x, (name, of) in enumerate(ratios.items()):
            finite = np.sort(of[np.isfinite(of)])
            _box(axes, x, finite)
            axes.plot(_beside(x, len(finite)), finite, linestyle="none", ms=3.8, label=name, **look_of[name].mark)
            if never[name]:
                note = f"{never[name]} of {len(of)}: ∞" if cell >= ROOMY else f"{never[name]}×∞"
                place = LEFT + (x + 0.5) * cell, below + 0.6 * LINE
                sheet.write(*place, note, ha="center", va="center", fontsize=SMALL)
        if any(never.values()):
            why = "∞: trials without a model-evaluated generation"
            sheet.write(LEFT, below + 1.7 * LINE, why, va="center", fontsize=SMALL)
        axes.set_xlim(-0.5, len(ratios) - 0.5)
        axes.set_xticks(range(len(ratios)), names.texts, rotation=names.rotation)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("true / model generations")
        all_ratios = np.concatenate(list(ratios.values()))
        _scale(axes, all_ratios[np.isfinite(all_ratios)])
        guide(axes, "y")
        return sheet.figure


def _ratios(trials: pd.DataFrame) -> Floats:
    """Control frequencies, infinite where the model evaluated no generation."""
    ratio = trials["control_frequency"].to_numpy(dtype=np.float64, na_value=np.nan)
    never = trials["model_generations"].to_numpy() == 0
    wrong = ~never & ~(np.isfinite(ratio) & (ratio >= 0))
    if wrong.any():
        row = trials[wrong].iloc[0]
        raise ValueError(
            f"the control frequency of {row['algorithm']} on instance {row['instance']} is {row['control_frequency']} "
            f"with {row['model_generations']} model-evaluated generations; it must be the ratio of two numbers"
        )
    return np.where(never, np.inf, ratio)


def _box(axes: Axes, x: float, values: Floats) -> None:
    if len(values):
        line = {"color": INK, "linewidth": 0.8}
        axes.bxp(
            boxplot_stats(values),
            positions=[x - 0.12],
            widths=0.36,
            showfliers=False,  # each trial has its dot
            manage_ticks=False,
            boxprops=line,
            whiskerprops=line,
            capprops=line,
            medianprops={"color": INK, "linewidth": 1.8},
        )


def _beside(x: float, n: int) -> Floats:
    """Where the dots of sorted values stand: right of the box, each beside the one before, in a zigzag of three."""
    places: Floats = x + 0.2 + 0.07 * (np.arange(n, dtype=np.float64) % 3)
    return places


def _scale(axes: Axes, ratios: Floats) -> None:
    """From 0, or on a log axis where a few large ratios would squeeze the rest."""
    if len(ratios) and ratios.min() > 0 and ratios.max() > LINEAR_UP_TO * ratios.min():
        axes.set_yscale("log")
        axes.set_ylim(ratios.min() / 1.3, ratios.max() * 1.3)
        low, high = axes.get_ylim()
        digits = (1, 2, 5) if high < MANY * low else (1,)
        ticks = [d * 10.0**e for e in range(-9, 10) for d in digits if low <= d * 10.0**e <= high]
        axes.set_yticks(ticks, [number(tick) for tick in ticks])
        axes.set_yticks([], minor=True)
    else:
        axes.set_ylim(0, 1.08 * (ratios.max() if len(ratios) and ratios.max() > 0 else 1))
