"""Final values: the best Δf of every trial at the end of the common budget."""

from collections.abc import Iterator
from functools import partial as bind

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.figures.grid import function_grid
from sacma.analysis.figures.layout import guide, mark_key, without_data
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import number, styled
from sacma.analysis.section import Drawing, Findings, Report, Section, by_dimension, of_one
from sacma.types import Array

PIECE = """
<div class="controls">
<label>dimension <select id="final-dimension"></select></label>
<label>function <select id="final-function"></select></label>
</div>
<div class="chart strips" id="final-chart"></div>
<p class="caption">Best Δf of each trial after {{ values.budget }} evaluations, a point a trial, and a bar at the
median. Quartiles, best and worst: <a href="{{ files.final_values.csv }}">csv</a>; of every trial and budget:
<a href="{{ files.best_delta_f.csv }}">csv</a>; all functions as figures: <a href="figures/index.html">figures</a></p>
"""

KEYS = ["algorithm", "dimension", "function"]
COLUMNS = (*KEYS, "delta_f")
QUANTILES = {"best": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "worst": 1.0}
SPREAD = 0.5  # of the room of an algorithm that its points are spread over


def final_deltas(findings: Findings) -> pd.DataFrame:
    """Return the best Δf of each trial at the largest fixed budget, where it is known and some point was evaluated."""
    last = findings.best[findings.best["scenario"] == findings.comparison.fixed_budgets[-1]]
    known: pd.DataFrame = last[np.isfinite(last["delta_f"].to_numpy(float))]
    return known


def quantiles(best: pd.DataFrame) -> pd.DataFrame:
    """Return quantiles, on the log scale, of the best Δf over the trials of each algorithm, dimension and function.

    Columns are algorithm, dimension, function, trials, best, lower_quartile, median, upper_quartile and worst.
    """
    logs = best.assign(log=np.log10(best["delta_f"].to_numpy(float))).groupby(KEYS, sort=False)["log"]
    found = {name: 10.0 ** logs.quantile(share) for name, share in QUANTILES.items()}
    return pd.DataFrame({"trials": logs.size(), **found}).reset_index()


def _figures(report: Report) -> Iterator[Drawing]:
    for D, best in by_dimension(report.findings.once(final_deltas)):
        yield Drawing(
            f"final_values_{D:02d}D",
            "",
            f"final values, {D}-D",
            bind(final_values, best[list(COLUMNS)], dimension=D, **report.look),
        )


def final_values(best: pd.DataFrame, *, dimension: int, algorithms: Names = None, partial: bool = False) -> Figure:
    """Draw log₁₀ Δf of every trial, a small panel a function, algorithms beside one another, with bars at medians.

    Columns of ``best`` are algorithm, dimension, function and delta_f; there is a row for each trial.
    """
    these = rows(best, COLUMNS, dimension=dimension)
    these = these.assign(log=np.log10(these["delta_f"].to_numpy(float)))
    these = these[np.isfinite(these["log"].to_numpy(float))].sort_values(["function", "log"])
    if these.empty:
        raise ValueError(f"nothing to draw: of dimension {dimension} no Δf is known")
    with styled():
        look_of = looks_of(best, these, algorithms)
        keys = [mark_key(name, look) for name, look in look_of.items()]
        functions = [int(function) for function in these["function"].unique()]
        labels = {"title": f"{dimension}-D", "x": "", "y": "log₁₀ Δf"}
        figure, panels = function_grid(functions, **labels, keys=keys, partial=partial)
        for function, axes in panels.items():
            of_function = these[these["function"] == function]
            if of_function.empty:
                without_data(axes)
                continue
            for position, (name, look) in enumerate(look_of.items()):
                y = of_function.loc[of_function["algorithm"] == name, "log"].to_numpy(np.float64)
                if len(y):
                    x = position + SPREAD * (spread(len(y)) - 0.5)
                    style = look.mark | {"markersize": 2.4, "markeredgewidth": 0.2}
                    axes.plot(x, y, linestyle="none", label=name, **style)
                    axes.hlines(np.median(y), position - 0.4, position + 0.4, color=look.colour, linewidth=1.4)
            axes.set_xlim(-0.7, len(look_of) - 0.3)
            axes.set_xticks([])
            axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 4, 10]))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
            guide(axes, "y")
        return figure


def spread(points: int) -> Array:
    """Return places in 0 … 1 for points in their order, such that neighbours are apart.

    >>> spread(4).round(2).tolist()
    [0.0, 0.62, 0.24, 0.85]
    """
    golden = np.float64((5**0.5 - 1) / 2)
    return np.arange(points, dtype=np.float64) * golden % 1


SECTION = Section(
    key="final_values",
    title="Final values",
    frames={"final_values": of_one(lambda findings: quantiles(final_deltas(findings)))},
    figures=_figures,
    piece=PIECE,
    values=lambda report: {"budget": report.comparison.fixed_budgets[-1]},
    shown=lambda findings: not findings["final_values"].empty,
)
