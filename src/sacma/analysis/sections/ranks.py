"""Mean ranks over functions with intervals, and the test of whether they differ: Table 3 of the paper."""

from collections.abc import Iterator, Sequence
from functools import partial as bind
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import LINE, PAGE, guide, mark_key, new_layout
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import FAINT, SMALL, shortened, styled
from sacma.analysis.section import Drawing, Findings, Report, Section, of_all
from sacma.analysis.table_format import Block, FormattedTable, number_rows, spanning
from sacma.analysis.tables import ALPHA, PLACE, UNTESTED, is_tested, mean_ranks, rank_tests
from sacma.analysis.trials import OF_TARGET, UNTIL_TARGET

BUDGETS = (
    f"{UNTIL_TARGET} of a function is the fewest evaluations after which the median trial of some algorithm is at the "
    "target, or the whole budget."
)
"""Below tables of the paper's scenarios."""

FIXED = "_at_fixed_budgets"  # behind the name of tables that are not of the paper's scenarios

PIECE = """
<div id="ranks-whole">
{% for each in tables %}{{ table(each) }}{% endfor %}
<p class="caption">The tests, also corrected for ties: <a href="{{ files.rank_tests.csv }}">csv</a></p>
</div>
<div id="ranks-chosen" hidden>
<h3>Of what is chosen, at fixed budgets</h3>
<p class="caption">Mean ranks among the chosen algorithms over the chosen functions and instances, 1 is best; the lowest
is bold. Of all of them: <a href="{{ files.mean_ranks.csv }}">csv</a></p>
<div class="scroll" tabindex="0" role="region" aria-label="mean ranks of what is chosen"></div>
</div>
{{ figure("ranks", "Mean ranks with their 95 % bootstrap intervals over functions; an interval is of an algorithm by\
 itself. The table says over how many.") }}
"""

COLUMNS = ("scenario", "dimension", "algorithm", "mean_rank", "low", "high")

LEFT, ABOVE = 32.0, 18.0  # room left of a panel and above it, in points
HEIGHT = 84.0  # of a panel, in points
SHARE = 0.76  # of the distance of two places on the axis that algorithms spread over


def are_compared(findings: Findings) -> bool:
    """Return True where there are mean ranks of several algorithms."""
    return len(findings.comparison.names) > 1 and not findings["mean_ranks"].empty


def by_kind(frame: pd.DataFrame, fixed: Sequence[str]) -> Iterator[tuple[pd.DataFrame, list[str], str]]:
    """Yield the rows of the paper's scenarios, then those of fixed budgets, with their scenarios and ``FIXED``."""
    for scenarios, suffix in ((OF_TARGET, ""), (fixed, FIXED)):
        rows = frame[frame["scenario"].isin(scenarios)] if len(frame) else frame
        if len(rows):
            yield rows, [scenario for scenario in scenarios if scenario in set(rows["scenario"])], suffix


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield the table of the paper's scenarios, and that of fixed budgets."""
    for ranks, scenarios, suffix in by_kind(report.findings["mean_ranks"], report.comparison.fixed_budgets):
        yield mean_ranks_table(ranks, report.findings["rank_tests"], scenarios, suffix)


def mean_ranks_table(
    ranks: pd.DataFrame, tests: pd.DataFrame, scenarios: Sequence[str], suffix: str = ""
) -> FormattedTable:
    """Return mean ranks and the tests of whether they differ, from ``mean_ranks`` and ``rank_tests`` (Table 3).

    The suffix is that of the table's name; with one, scenarios are not the paper's.
    """
    tested = tests.set_index(PLACE)
    stars = {("F_F", place) for place in tested.index[tested["significant"].astype(bool)]}
    dimensions = sorted(ranks["dimension"].unique())
    columns = pd.MultiIndex.from_product([dimensions, scenarios])
    values = ranks.pivot(index="algorithm", columns=PLACE, values="mean_rank")
    body = number_rows(values.reindex(index=ranks["algorithm"].unique(), columns=columns), ".2f", best="column")
    body += number_rows(tested[["F_F"]].reindex(columns).T, ".2f", stars=stars)
    counts = ranks.groupby(PLACE).agg(functions=("functions", "first"), algorithms=("functions", "size"))
    same = counts["algorithms"].min() == counts["algorithms"].max()
    body += number_rows(counts[["functions"] if same else ["functions", "algorithms"]].reindex(columns).T, ".0f")
    thresholds = [f"{value:.2f}" for value in tested["critical_value"].reindex(columns).dropna().sort_values()]
    untested = "" if ranks["functions"].map(is_tested).all() else f"{UNTESTED} "
    critical = " to ".join(dict.fromkeys([*thresholds[:1], *thresholds[-1:]]))
    return FormattedTable(
        f"table_mean_ranks{suffix}",
        f"Mean ranks{suffix.replace('_', ' ')}",
        "Of Δf_med over functions, 1 is best; the lowest is bold. F_F is Iman's and Davenport's statistic, as in the "
        f"paper without a correction for ties, with an asterisk where the ranks differ at the level {ALPHA:g}"
        f"{critical and f' (critical value {critical})'}. {untested}{'' if suffix else BUDGETS}",
        (Block(spanning(("D", "evaluations"), (f"{D}-D" for D in dimensions), scenarios), body),),
    )


def _figures(report: Report) -> Iterator[Drawing]:
    if not are_compared(report.findings):
        return
    ranks = report.findings["mean_ranks"]
    of_target = ranks["scenario"].isin(OF_TARGET)
    if of_target.any():
        make = bind(mean_rank_panels, ranks[of_target], over="dimension", **report.look)
        yield Drawing("mean_ranks_target", "ranks", "at #FE_t/3 and #FE_t, over dimensions", make)
    if not of_target.all():
        make = bind(mean_rank_panels, ranks[~of_target], over="scenario", **report.look)
        yield Drawing("mean_ranks_budgets", "ranks", "at fixed budgets, by dimension", make)


def mean_rank_panels(
    ranks: pd.DataFrame,
    *,
    over: Literal["scenario", "dimension"] = "scenario",
    algorithms: Names = None,
    partial: bool = False,
) -> Figure:
    """Draw mean ranks as markers with whiskers for their intervals, the best at the top.

    Columns of ``ranks`` are scenario (such as a budget, as text, in order), dimension, algorithm, mean_rank, low and
    high. Rows without a mean rank are left out; low and high may be NaN. ``over`` is along the axis; there is a panel
    for each of the other.
    """
    these = rows(ranks, COLUMNS, unique=COLUMNS[:3]).dropna(subset=["mean_rank"])
    if these.empty:
        raise ValueError("nothing to draw: no mean rank is known")
    other = "dimension" if over == "scenario" else "scenario"
    values = {"dimension": sorted(these["dimension"].unique()), "scenario": list(these["scenario"].unique())}
    places, panels = values[over], values[other]
    look_of = looks_of(ranks, these, algorithms)
    width = PAGE - LEFT - 6
    body = len(panels) * (ABOVE + HEIGHT) + LINE
    with styled():
        keys = [mark_key(name, look) for name, look in look_of.items()]
        layout = new_layout(PAGE, body, keys=keys, partial=partial)
        names = shortened([_label(over, place) for place in places], width / len(places) - 6, SMALL)
        for n, panel in enumerate(panels):
            top = n * (ABOVE + HEIGHT) + ABOVE - 4
            axes = layout.panel(LEFT, top, width, HEIGHT, _label(other, panel))
            of_panel = these[these[other] == panel]
            for position, (name, look) in enumerate(look_of.items()):
                of = of_panel[of_panel["algorithm"] == name]
                shift = SHARE * ((position + 0.5) / len(look_of) - 0.5)
                x = np.array([places.index(place) for place in of[over]], dtype=np.float64) + shift
                mean, low, high = (of[column].to_numpy(np.float64, na_value=np.nan) for column in COLUMNS[3:])
                axes.vlines(x, low, high, color=look.colour, linewidth=1.1, label=f"{name}: interval")
                axes.plot(x, mean, linestyle="none", markersize=5, label=name, **look.mark)
            axes.set_xlim(-0.5, len(places) - 0.5)
            axes.set_xticks(range(len(places)), names if n == len(panels) - 1 else [""] * len(places))
            axes.tick_params(axis="x", length=0)
            for edge in range(1, len(places)):
                axes.axvline(edge - 0.5, color=FAINT, linewidth=0.6)
            _limits(axes, of_panel)
        layout.write(8, (body - LINE) / 2, "mean rank", rotation=90, va="center", ha="center")
        return layout.figure


def _label(column: str, value: object) -> str:
    return f"{value}-D" if column == "dimension" else str(value)


def _limits(axes: Axes, of_panel: pd.DataFrame) -> None:
    values = of_panel[["mean_rank", "low", "high"]].to_numpy(np.float64)
    low, high = np.floor(np.nanmin(values)), np.ceil(np.nanmax(values))
    axes.set_ylim(high + 0.25, low - 0.25)
    axes.set_yticks(np.arange(low, high + 1, max(1, int(-(-(high - low) // 6)))))
    guide(axes, "y")


SECTION = Section(
    key="ranks",
    title="Ranks",
    heading="Mean ranks",
    frames={
        "mean_ranks": of_all(lambda findings: mean_ranks(findings.shared_medians)),
        "rank_tests": of_all(lambda findings: rank_tests(findings.shared_medians)),
    },
    tables=_tables,
    figures=_figures,
    piece=PIECE,
    shown=are_compared,
)
