"""Convergence: the best Δf over evaluations on every function, as medians and quartiles over trials."""

from collections.abc import Iterator, Mapping
from functools import partial as bind
from typing import cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.comparison import MANY
from sacma.analysis.figures.curve import Floats, draw_curve, mark_places, thinned
from sacma.analysis.figures.grid import HEIGHT, WIDTH, function_grid
from sacma.analysis.figures.layout import guide, line_key, without_data
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import Look, number, styled
from sacma.analysis.section import Drawing, Findings, Json, Report, Section, by_dimension, of_one, rounded
from sacma.analysis.trials import convergence_curves

PIECE = """
<p class="caption of-all-instances" hidden>Of all instances, whatever is chosen.</p>
<div class="controls">
<label>dimension <select id="convergence-dimension"></select></label>
<label>function <select id="convergence-function"></select></label>
<label><input type="checkbox" id="convergence-band" checked> quartiles</label>
</div>
<div class="controls" id="convergence-algorithms"></div>
<div class="chart" id="convergence-chart"></div>
<div class="readout" id="convergence-readout" aria-live="off"></div>
<p class="caption">Best Δf of the median trial and of the quartiles over evaluations; drag to enlarge, double-click to
go back. <a href="{{ files.convergence.csv }}">csv</a>; all functions of a dimension as one figure:
<a href="figures/index.html">figures</a></p>
"""

VALUES = ("lower_quartile", "median", "upper_quartile")
COLUMNS = ("algorithm", "dimension", "function", "evaluations_per_dimension", *VALUES)

TARGET = 1e-8  # COCO's final target: what is below counts as this
START = 0.04
"""Share of the evaluations that may lie above the panel: shown in full, random points would leave all else flat."""

MOST_OF_MANY = 41  # points of a chart's curve of many algorithms
PARTS, PARTS_OF_MANY = 2000, 200  # of a decade of Δf, in the data of a chart

MARKS = 2  # markers on a curve
BAND = 0.16  # opacity of the quartiles
MOST_OF_BAND = 30  # points of an edge of a band


def _figures(report: Report) -> Iterator[Drawing]:
    for D, curves in by_dimension(report.findings["convergence"]):
        make = bind(convergence, curves, dimension=D, target=report.comparison.target, **report.look)
        yield Drawing(f"convergence_{D:02d}D", "", f"convergence, {D}-D", make)


def _chart(findings: Findings) -> Json:
    """Return by dimension the numbers of evaluations, and by function and algorithm quartile, median, quartile.

    These are in whole parts of a decade, each less the one before it, None where it is not known. Of many algorithms
    at fewer evaluations and in larger parts: all quartiles would be half of the page.
    """
    many = len(findings.comparison.names) > MANY
    parts = PARTS_OF_MANY if many else PARTS
    dimensions: Json = {}
    for D, of_dimension in by_dimension(findings["convergence"]):
        x = np.unique(of_dimension["evaluations_per_dimension"])
        if many:
            x = x[np.unique(np.linspace(0, len(x) - 1, MOST_OF_MANY).round().astype(int))]
        functions: dict[str, Json] = {str(function): {} for function in sorted(of_dimension["function"].unique())}
        for (function, name), curve in of_dimension.groupby(["function", "algorithm"], sort=False):
            at = curve.set_index("evaluations_per_dimension").reindex(x)
            logs = np.log10(at[list(VALUES)].to_numpy(float))
            functions[str(function)][str(name)] = [_changes(column, parts) for column in logs.T]
        dimensions[str(D)] = {"x": rounded(x, 5), "functions": functions}
    return {"parts": parts, "dimensions": dimensions}


def _changes(logs: Floats, parts: int) -> list[int | None]:
    """Return by how many parts of a decade each value differs from the last before it that is known."""
    known = np.isfinite(logs)
    changes = iter(np.diff(np.rint(parts * logs[known]), prepend=0).astype(int).tolist())
    return [next(changes) if there else None for there in known]


def convergence(
    curves: pd.DataFrame, *, dimension: int, algorithms: Names = None, target: float = TARGET, partial: bool = False
) -> Figure:
    """Draw log₁₀ Δf over evaluations/D, a small panel a function: medians as lines, quartiles as bands.

    Panels end above at the largest Δf after 4 % of the evaluations; where curves begin higher they come from above.

    Columns of ``curves`` are algorithm, dimension, function, evaluations_per_dimension, lower_quartile, median and
    upper_quartile of Δf, which counts as the target below it. Points whose median is NaN or infinite are left out.
    """
    these = _these(curves, target, dimension)
    with styled():
        look_of = looks_of(curves, these, algorithms)
        keys = [line_key(name, look) for name, look in look_of.items()]
        labels = {"title": f"{dimension}-D", "x": "true evaluations / D", "y": "log₁₀ Δf"}
        by_function = {cast("int", function): rows for function, rows in these.groupby("function", observed=True)}
        figure, panels = function_grid(list(by_function), **labels, keys=keys, partial=partial)
        limits = (0.0, float(these["evaluations_per_dimension"].max()) or 1.0)
        for function, axes in panels.items():
            _panel(axes, by_function[function], look_of, limits)
        return figure


def _these(curves: pd.DataFrame, target: float, dimension: int) -> pd.DataFrame:
    """Return the rows of a dimension by evaluations, with log₁₀ Δf."""
    if not target > 0:
        raise ValueError(f"the target is {target}; on a log scale it must be positive")
    found = rows(curves, COLUMNS, unique=("algorithm", "function", "evaluations_per_dimension"), dimension=dimension)
    found = found.sort_values(["function", "evaluations_per_dimension"], kind="stable")
    values = found[list(VALUES)].to_numpy(dtype=np.float64, na_value=np.nan)
    if not np.isfinite(values).any():
        raise ValueError(f"nothing to draw: of dimension {dimension} no Δf is known")
    found[list(VALUES)] = np.log10(np.maximum(values, target))
    return found


def _panel(axes: Axes, these: pd.DataFrame, look_of: Mapping[str, Look], limits: tuple[float, float]) -> None:
    """Draw the rows of one function."""
    values = these[list(VALUES)].to_numpy(np.float64)
    finite = np.isfinite(values)
    if not finite.any():
        without_data(axes)
        return
    late = finite & (these["evaluations_per_dimension"].to_numpy() >= START * limits[1])[:, None]
    low, high = float(values[finite].min()), float(values[late if late.any() else finite].max())
    margin = 0.04 * (high - low) if high > low else 0.5
    low, high = low - margin, high + margin
    by_algorithm = dict(list(these.groupby("algorithm", observed=True)))
    for position, (name, look) in enumerate(look_of.items()):
        if name not in by_algorithm:
            continue
        of = by_algorithm[name]
        x, lower, median, upper = (of[c].to_numpy(np.float64) for c in COLUMNS[3:])
        scale = WIDTH / limits[1], HEIGHT / (high - low)
        _band(axes, x, lower, np.minimum(upper, high), look=look, scale=scale)
        known = np.isfinite(median)
        if known.any():
            x, median = x[known], median[known]
            on_paper = scale[0] * x, scale[1] * median
            places = mark_places(WIDTH, position, len(look_of), MARKS)
            draw_curve(axes, x, median, on_paper=on_paper, marks_at=places, look=look, label=name)
    axes.set(xlim=limits, ylim=(low, high))
    axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 2.5, 5, 10]))
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


SECTION = Section(
    key="convergence",
    title="Convergence",
    frames={
        "convergence": of_one(
            lambda findings: convergence_curves(findings.comparison.compared.trials, findings.comparison.budget)
        )
    },
    figures=_figures,
    chart=_chart,
    piece=PIECE,
)
