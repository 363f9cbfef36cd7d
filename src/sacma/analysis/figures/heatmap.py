"""A cell a function and algorithm: ranks, and decades of Δf gained over a baseline; each with its number."""

from collections.abc import Callable, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure

from sacma.analysis.figures.curve import Floats
from sacma.analysis.figures.rows import in_order, rows
from sacma.analysis.figures.layout import COLUMN, PAGE, column_names, new_sheet
from sacma.analysis.figures.style import SMALL, Properties, styled, text_width
from sacma.coco.function_names import function_title
from sacma.coco.suites import SUITES

CELL = 11.0
"""Height of a cell, in points."""

WIDEST, NARROWEST = 56.0, 20.0
"""Width of a cell, in points."""

MOST_DECADES = 9.0
"""At which the colours of decades end."""


def rank_heatmap(
    cells: pd.DataFrame,
    *,
    dimension: int,
    budget: str = "",
    algorithms: Sequence[str] | None = None,
    partial: bool = False,
) -> Figure:
    """Draw the rank of each algorithm on each function, the better the darker.

    Args:
        cells: of one budget, columns algorithm, dimension, function and rank, 1 the best. NaN is an empty cell.
        dimension: D.
        budget: in the title.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is no such row, or two are of the same cell.
    """
    return _heatmap(
        cells,
        "rank",
        dimension=dimension,
        title=f"rank by median Δf, {dimension}-D{_after(budget)}",
        colours=mpl.colormaps["Blues_r"],
        scale=lambda values: Normalize(1, max(2.0, float(values.max()))),
        write=lambda value: f"{value:.3g}",
        algorithms=algorithms,
        partial=partial,
    )


def decades_heatmap(
    cells: pd.DataFrame,
    *,
    dimension: int,
    baseline: str,
    budget: str = "",
    algorithms: Sequence[str] | None = None,
    partial: bool = False,
) -> Figure:
    """Draw how many decades of median Δf each algorithm gained over a baseline on each function.

    Args:
        cells: of one budget, columns algorithm, dimension, function and decades: log₁₀ of the baseline's median Δf
            minus that of the algorithm's, positive where the algorithm is better. NaN is an empty cell.
        dimension: D.
        baseline: name of the algorithm that others are held against.
        budget: in the title.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is no such row, or two are of the same cell.
    """

    def scale(values: Floats) -> Normalize:
        most = min(MOST_DECADES, max(1.0, float(np.abs(values).max())))
        return Normalize(-most, most)

    return _heatmap(
        cells,
        "decades",
        dimension=dimension,
        title=f"decades of median Δf gained over {baseline}, {dimension}-D{_after(budget)}",
        colours=mpl.colormaps["PuOr"],
        scale=scale,
        write=_signed,
        algorithms=algorithms,
        partial=partial,
    )


def _after(budget: str) -> str:
    return f", {budget}" if budget else ""


def _signed(value: float) -> str:
    """The sign is always there: light and dark alone do not tell gain from loss in print without colour."""
    return f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 0.05 else "0"  # noqa: PLR2004 rounds to 0


def _heatmap(
    cells: pd.DataFrame,
    column: str,
    *,
    dimension: int,
    title: str,
    colours: Colormap,
    scale: Callable[[Floats], Normalize],
    write: Callable[[float], str],
    algorithms: Sequence[str] | None,
    partial: bool,
) -> Figure:
    unique = ("algorithm", "function")
    these = rows(cells, ["algorithm", "dimension", "function", column], unique=unique, dimension=dimension)
    shown = [name for name in in_order(cells, algorithms) if (these["algorithm"] == name).any()]
    table = these.pivot(index="function", columns="algorithm", values=column).sort_index()
    values = table[shown].to_numpy(dtype=np.float64, na_value=np.nan)
    known = values[np.isfinite(values)]
    if not len(known):
        raise ValueError(f"nothing to draw: no {column} in {dimension}-D is known")
    functions = [function_title(int(function)) for function in table.index]
    left = max(text_width(function, SMALL) for function in functions) + 8
    cell = min(WIDEST, max(NARROWEST, (PAGE - left - 6) / len(shown)))
    width = max(COLUMN, left + cell * len(shown) + 6)
    names = column_names(shown, cell)
    above = names.height + 1
    with styled():
        sheet = new_sheet(width, above + CELL * len(table) + 6, title=title, partial=partial)
        axes = sheet.panel(left, above, cell * len(shown), CELL * len(table))
        norm = scale(known)
        shades = np.ma.masked_invalid(values)
        axes.pcolormesh(shades, cmap=colours, norm=norm, edgecolors="white", linewidth=0.6)
        for i, j in np.ndindex(values.shape):
            value = float(values[i, j])
            red, green, blue, _ = colours(norm(value))
            dark = np.isfinite(value) and 0.299 * red + 0.587 * green + 0.114 * blue < 0.5  # noqa: PLR2004 the middle
            text = write(value) if np.isfinite(value) else "–"
            place: Properties = {"ha": "center", "va": "center_baseline"}
            axes.text(j + 0.5, i + 0.5, text, fontsize=SMALL, color="white" if dark else "black", **place)
        groups = [group for suite in SUITES.values() for group in suite.groups.values()]
        for start in {sum(table.index < group.start) for group in groups} - {0, len(table)}:
            axes.axhline(start, color="black", linewidth=1.0)
        axes.set_ylim(len(table), 0)
        axes.set_yticks(np.arange(len(table)) + 0.5, functions)
        axes.set_xticks(np.arange(len(shown)) + 0.5, names.texts, rotation=names.rotation)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        return sheet.figure
