"""Mean ranks beside the paper's: a panel a dimension, a row a reading."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import LINE, PAGE, guide, mark_key, new_layout
from sacma.analysis.figures.rows import rows
from sacma.analysis.figures.style import FAINT, SIZE, looks, styled
from sacma.analysis.paper.published import ALGORITHMS
from sacma.analysis.tables import PLACE
from sacma.analysis.trials import THIRD_OF_IT

LEFT, BETWEEN, ABOVE, BELOW = 34.0, 22.0, 28.0, 16.0
"""Room left of the panels, between them, above each row and below it, in points."""

MARGIN = 0.25  # of the axes beyond the mean ranks


def ranks_beside(beside: pd.DataFrame, *, partial: bool = False) -> Figure:
    """Draw our mean ranks over the paper's, columns as of ``paper_mean_ranks``; on the diagonal they are equal.

    Open markers are of the smaller budget, a third of #FE_t.
    """
    these = rows(beside, [*PLACE, "algorithm", "reading", "paper", "ours"], unique=["reading", *PLACE, "algorithm"])
    dimensions, readings = sorted(these["dimension"].unique()), list(these["reading"].unique())
    lowest, highest = (float(of(these[["paper", "ours"]].to_numpy())) for of in (np.min, np.max))
    limits = lowest - MARGIN, highest + MARGIN
    width = (PAGE - LEFT - 6 - (len(dimensions) - 1) * BETWEEN) / max(len(dimensions), 3)
    row = ABOVE + width + BELOW
    look = looks(ALGORITHMS)
    shown = [name for name in ALGORITHMS if (these["algorithm"] == name).any()]
    with styled():
        body = len(readings) * row + LINE
        layout = new_layout(PAGE, body, keys=[mark_key(name, look[name]) for name in shown], partial=partial)
        for line, reading in enumerate(readings):
            layout.write(LEFT, line * row + 2, f"Ours, {reading}", va="top")
            for column, dimension in enumerate(dimensions):
                place = LEFT + column * (width + BETWEEN), line * row + ABOVE, width, width
                axes = layout.panel(*place, f"{dimension}-D")
                axes.plot(limits, limits, color=FAINT, linewidth=1.0, zorder=0)
                guide(axes)
                axes.set(xlim=limits, ylim=limits, xticks=range(1, 7), yticks=range(1, 7), aspect="equal")
                axes.set(xlim=limits, ylim=limits)
                there = these[(these["reading"] == reading) & (these["dimension"] == dimension)]
                for point in there.to_dict("records"):
                    mark = look[point["algorithm"]].mark
                    if point["scenario"] == THIRD_OF_IT:
                        mark |= {"markerfacecolor": "white", "markeredgecolor": mark["color"], "markeredgewidth": 0.9}
                    axes.plot(point["paper"], point["ours"], linestyle="none", clip_on=False, **mark)
        middle = LEFT + (PAGE - LEFT) / 2
        layout.write(middle, body - LINE / 2, "the paper's mean rank", ha="center", va="center", fontsize=SIZE)
        layout.write(8, (body - LINE) / 2, "our mean rank", rotation=90, ha="center", va="center", fontsize=SIZE)
        return layout.figure
