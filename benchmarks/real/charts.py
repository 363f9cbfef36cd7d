"""Charts of the page: mean rank over the budget, and data profiles. An optimizer looks the same in all of them.

Narrow charts are as wide as a column, for phones.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.figures.draw import COLUMN
from sacma.analysis.figures.style import FAINT, SIZE, Properties, looks, styled

from .optimizers import OPTIMIZERS
from .statistics import BUDGETS

HEIGHT_OF_A_LINE = 1.25 * SIZE / 72  # inches


def ranks_chart(means: pd.DataFrame, half: str, *, narrow: bool = False) -> Figure:
    """Draw the mean rank of each optimizer over the budget; the best is at the top, names at the ends of lines."""
    here = means[means["half"] == half]
    with styled():
        figure = Figure(figsize=(COLUMN / 72 if narrow else 5.4, 3.6), layout="constrained")
        axes = figure.subplots()
        ends = {}
        for name, look in looks(OPTIMIZERS).items():
            line = here[here["optimizer"] == name].sort_values("budget")
            if line.empty:
                continue
            axes.plot(line["budget"], line["mean_rank"], **look.line, **_marked(look.mark))
            ends[name] = (float(line["budget"].iloc[-1]), float(line["mean_rank"].iloc[-1]), look.colour)
        budgets = [budget for budget in BUDGETS if budget in set(here["budget"])]
        _over_budget(axes, budgets)
        axes.set(ylabel="mean rank (1 is best)", xlim=(budgets[0] / 1.1, budgets[-1] * 1.05))
        axes.invert_yaxis()
        _name_ends(axes, ends, 1.07 if narrow else 1.02)
    return figure


def profiles_chart(profiles: dict[float, pd.DataFrame], half: str, *, narrow: bool = False) -> Figure:
    """Draw the share of runs that came near the best value, over evaluations a dimension, an accuracy a panel.

    Narrow, the panels are one above the other.
    """
    with styled():
        lines, columns = (len(profiles), 1) if narrow else (1, len(profiles))
        figure = Figure(figsize=(COLUMN / 72, 2.6 * lines + 0.8) if narrow else (6.6, 3.4), layout="constrained")
        panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        for axes, (accuracy, table) in zip(panels.flat, profiles.items(), strict=True):
            here = table[table["half"] == half]
            for name, look in looks(OPTIMIZERS).items():
                curve = here[here["optimizer"] == name]
                if not curve.empty:
                    axes.step(curve["evaluations"], curve["share"], where="post", label=name, **look.line)
            _over_budget(axes, [budget for budget in BUDGETS if budget <= here["evaluations"].max()])
            axes.set(ylim=(0, 1), xlim=(2, None), title=f"{1 - accuracy:.4g} of the way to the best")
            axes.label_outer()
        for axes in panels[:, 0]:
            axes.set_ylabel("share of runs")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2 if narrow else 4)
    return figure


def _marked(mark: Properties) -> Properties:
    return {key: value for key, value in mark.items() if key != "color"}


def _over_budget(axes: Axes, budgets: Sequence[float]) -> None:
    axes.set(xscale="log", xlabel="evaluations / D")
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    axes.minorticks_off()
    axes.grid(color=FAINT, linewidth=0.5)


def _name_ends(axes: Axes, ends: dict[str, tuple[float, float, str]], beside: float) -> None:
    """Write names right of the ends of lines, as far apart as they are high; ``beside`` is in widths of the axes.

    Names of lines that end before the last budget stand in the chart.
    """
    last = max(end for end, _, _ in ends.values())
    for name in [name for name, (end, _, _) in ends.items() if end < last]:
        end, rank, colour = ends.pop(name)
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85}
        axes.annotate(name, (end, rank), (5, 0), textcoords="offset points", va="center", color=colour, bbox=behind)
    top, bottom = sorted(axes.get_ylim())
    height = (bottom - top) * HEIGHT_OF_A_LINE / 2.9
    names = sorted(ends, key=lambda name: ends[name][1])
    places = np.array([ends[name][1] for name in names])
    for _ in range(200):  # push neighbours apart
        for upper in range(len(places) - 1):
            if (lacking := height - (places[upper + 1] - places[upper])) > 0:
                places[upper] -= lacking / 2
                places[upper + 1] += lacking / 2
    for name, place in zip(names, places, strict=True):
        end, rank, colour = ends[name]
        axes.annotate(
            name,
            (end, rank),
            (beside, place),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 1, "shrinkB": 3},
        )
