"""Functions: median Δf, ranks and decades gained over a baseline on each of them, as a table and heat maps."""

from collections.abc import Iterator
from functools import partial as bind

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import COLUMN, PAGE, column_names, new_layout
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import SMALL, Properties, styled, text_width
from sacma.analysis.section import Drawing, Findings, Report, Section, by_dimension, of_all, of_one
from sacma.analysis.sections.ranks import BUDGETS, are_compared
from sacma.analysis.table_format import Block, FormattedTable, Head, number_rows
from sacma.analysis.tables import function_ranks, gains
from sacma.analysis.trials import OF_TARGET, UNTIL_TARGET
from sacma.coco.function_names import function_title
from sacma.coco.suites import SUITES

PIECE = """
{% if scope %}<p class="caption">Over what all algorithms have: see <a href="#data">Data</a>.</p>
{% endif %}
{% if values.charted %}<div class="controls">
<label>dimension <select id="functions-dimension"></select></label>
<label>after <select id="functions-budget"></select></label>
<label>show <select id="functions-show"><option value="median">median Δf, log₁₀</option>\
{% if values.ranked %}<option value="rank" selected>rank</option><option value="gain">decades gained</option>\
{% endif %}</select></label>
{% if values.ranked %}<label>over <select id="functions-baseline"></select></label>
{% endif %}</div>
<div class="controls" id="functions-algorithms"></div>
<div class="scroll" id="functions-table" tabindex="0" role="region" aria-label="functions and algorithms"></div>
<p class="caption">{% if values.ranked %}Algorithms from the lowest mean rank on, among those and over the functions
and instances that are chosen; the best of a function is bold. A decade gained is ten times closer to the optimum, below
0 is behind. As heat maps, with the budgets to the target: <a href="figures/index.html">figures</a>. {% endif %}\
{% if frames.gains|length %}Gains over
{{ baseline }} with Wilcoxon's rank-sum test of the trials, corrected by Holm over functions:
<a href="{{ files.gains.csv }}">csv</a>; f{% else %}F{% endif %}ewest evaluations to the target by function:
<a href="{{ files.evaluations_to_target.csv }}">csv</a></p>
{% endif %}
<details><summary>Median Δf of every function, all algorithms and instances</summary>
{% for each in tables %}{{ table(each) }}{% endfor %}
</details>
"""

CELL = 11.0  # height of a cell, in points
WIDEST, NARROWEST = 56.0, 20.0  # width of a cell, in points

PLACE = ("algorithm", "dimension", "function")

MOST_DECADES = 9.0  # at which the colours of decades end


def _gains(findings: Findings) -> pd.DataFrame:
    comparison, best = findings.comparison, findings.best
    of_target = best[best["scenario"].isin(OF_TARGET)]
    return gains(of_target, comparison.baseline, comparison.compared.overlap.shares)


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield Δf_med by dimension and function, at the target and at the largest fixed budget."""
    scenarios = {"target": (UNTIL_TARGET, BUDGETS), "budget": (report.comparison.fixed_budgets[-1], "")}
    for slug, (scenario, explained) in scenarios.items():
        medians = report.findings["median_delta_f"]
        medians = medians[medians["scenario"] == scenario]
        algorithms = list(medians["algorithm"].unique())
        blocks = []
        for D, group in by_dimension(medians):
            table = group.pivot(index="function", columns="algorithm", values="median_delta_f")
            table = table.reindex(index=group["function"].unique(), columns=algorithms).rename(index=lambda f: f"f{f}")
            header = ((Head(f"{D}-D"), *map(Head, algorithms)),)
            blocks.append(Block(header, number_rows(table, ".1e", best="row")))
        caption = f"Best Δf of the median trial after {scenario} evaluations, the lowest is bold. {explained}"
        if blocks:
            yield FormattedTable(f"median_at_{slug}", "Median Δf", caption, tuple(blocks))


def _figures(report: Report) -> Iterator[Drawing]:
    if not are_compared(report.findings):
        return
    gained, baseline = report.findings["gains"], report.comparison.baseline
    ranks = report.findings["function_ranks"]
    for scenario, slug in ((UNTIL_TARGET, "target"), (OF_TARGET[0], "third")):
        for name, table, column in (("ranks", ranks, "rank"), ("decades", gained, "decades")):
            for D, cells in by_dimension(table[table["scenario"] == scenario]):
                if not np.isfinite(cells[column].to_numpy(dtype=np.float64, na_value=np.nan)).any():
                    continue
                make = bind(heatmap, cells, column, dimension=D, budget=scenario, baseline=baseline, **report.look)
                yield Drawing(f"{name}_{slug}_{D:02d}D", "", f"{name}, {D}-D, {scenario}", make)


def _written(value: float, column: str) -> str:
    """Return a rank, or decades with their sign: light and dark alone do not tell gain from loss without colour."""
    if not np.isfinite(value):
        return "–"
    decades = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 0.05 else "0"  # noqa: PLR2004 rounds to 0
    return f"{value:.3g}" if column == "rank" else decades


def heatmap(
    cells: pd.DataFrame,
    column: str,
    *,
    dimension: int,
    budget: str = "",
    baseline: str = "",
    algorithms: Names = None,
    partial: bool = False,
) -> Figure:
    """Draw the rank of each algorithm on each function, the better the darker, or the decades of median Δf gained.

    ``cells`` are of one budget: columns algorithm, dimension, function and the one that is shown, ``rank``, 1 the
    best, or ``decades``: log₁₀ of the baseline's median Δf minus that of the algorithm's, positive where the algorithm
    is better. NaN is an empty cell.
    """
    these = rows(cells, [*PLACE, column], unique=PLACE, dimension=dimension)
    shown = list(looks_of(cells, these, algorithms))
    table = these.pivot(index="function", columns="algorithm", values=column).sort_index()
    values = table[shown].to_numpy(dtype=np.float64, na_value=np.nan)
    known = values[np.isfinite(values)]
    if not len(known):
        raise ValueError(f"nothing to draw: no {column} is known")
    functions = [function_title(int(function)) for function in table.index]
    left = max(text_width(function, SMALL) for function in functions) + 8
    cell = min(WIDEST, max(NARROWEST, (PAGE - left - 6) / len(shown)))
    width = max(COLUMN, left + cell * len(shown) + 6)
    names = column_names(shown, cell)
    above = names.height + 1
    if column == "rank":
        kind, scheme, limits = "rank by median Δf", "Blues_r", (1, max(2.0, known.max()))
    else:
        most = min(MOST_DECADES, max(1.0, np.abs(known).max()))
        kind, scheme, limits = f"decades of median Δf gained over {baseline}", "PuOr", (-most, most)
    title = ", ".join(filter(None, (kind, f"{dimension}-D", budget)))
    with styled():
        layout = new_layout(width, above + CELL * len(table) + 6, title=title, partial=partial)
        axes = layout.panel(left, above, cell * len(shown), CELL * len(table))
        norm, colours = Normalize(*limits), mpl.colormaps[scheme]
        axes.pcolormesh(np.ma.masked_invalid(values), cmap=colours, norm=norm, edgecolors="white", linewidth=0.6)
        for i, j in np.ndindex(values.shape):
            value = float(values[i, j])
            red, green, blue, _ = colours(norm(value))
            dark = np.isfinite(value) and 0.299 * red + 0.587 * green + 0.114 * blue < 0.5  # noqa: PLR2004 the middle
            place: Properties = {"ha": "center", "va": "center_baseline"}
            colour = "white" if dark else "black"
            axes.text(j + 0.5, i + 0.5, _written(value, column), fontsize=SMALL, color=colour, **place)
        groups = [group for suite in SUITES.values() for group in suite.groups.values()]
        for start in {sum(table.index < group.start) for group in groups} - {0, len(table)}:
            axes.axhline(start, color="black", linewidth=1.0)
        axes.set_ylim(len(table), 0)
        axes.set_yticks(np.arange(len(table)) + 0.5, functions)
        axes.set_xticks(np.arange(len(shown)) + 0.5, names.texts, rotation=names.rotation)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        return layout.figure


SECTION = Section(
    key="functions",
    title="Functions",
    frames={
        "best_delta_f": of_one(lambda findings: findings.best),
        "evaluations_to_target": of_all(lambda findings: findings.comparison.to_target),
        "median_delta_f": of_one(lambda findings: findings.comparison.with_empty_cells(findings.medians)),
        "function_ranks": of_all(lambda findings: function_ranks(findings.shared_medians)),
        "gains": of_all(_gains),
    },
    tables=_tables,
    figures=_figures,
    piece=PIECE,
    values=lambda report: {"ranked": are_compared(report.findings), "charted": not report.findings.best.empty},
)
