"""Figure 1 of the paper: from the error of a model to the share of generations that it evaluates."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sacma.analysis.figures.layout import COLUMN, guide, new_sheet
from sacma.analysis.figures.style import look, number, styled
from sacma.strategy.transfer import T1, T2

POINTS = 101


def transfer_functions(steepness: Sequence[float] = (0.5, 2.0, 8.0)) -> Figure:
    """Draw T₁ and T₂ on [0, 1].

    Args:
        steepness: values of k > 0 of T₂; the study has 2.

    Raises:
        ValueError: some k is not positive.
    """
    if not all(k > 0 for k in steepness):
        raise ValueError(f"steepness {', '.join(map(str, steepness))}: each k must be positive")
    x = np.linspace(0, 1, POINTS)
    curves = [("T₁(x)", [T1(value) for value in x.tolist()])]
    curves += [(f"T₂(x; {number(k)})", [T2(value, k) for value in x.tolist()]) for k in steepness]
    with styled():
        keys = [(name, Line2D([], [], **look(n).line)) for n, (name, _) in enumerate(curves)]
        side = COLUMN - 65
        sheet = new_sheet(COLUMN, side + 45, keys=keys)
        axes = sheet.panel(45, 10, side, side)
        for n, (name, y) in enumerate(curves):
            axes.plot(x, y, label=name, **look(n).line)
        axes.set(xlim=(0, 1), ylim=(0, 1), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6))
        axes.set_xlabel("x = 1 − e, of the model's error e")
        axes.set_ylabel("γ(x), share of the largest gₘ")
        guide(axes)
        return sheet.figure
