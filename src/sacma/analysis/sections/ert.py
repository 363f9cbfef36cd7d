"""Expected running times: over the target and over the dimension, who is the best at what, and algorithms in pairs."""

from collections.abc import Iterator, Mapping
from functools import partial as bind
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.figures.curve import draw_curve, mark_places
from sacma.analysis.figures.grid import HEIGHT, WIDTH, function_grid
from sacma.analysis.figures.layout import LINE, PAGE, guide, line_key, mark_key, new_layout, without_data
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import FAINT, INK, SMALL, Look, Properties, look, number, shortened, styled
from sacma.analysis.running_times import PROBLEM, TARGETS, running_times, shares, virtual_best
from sacma.analysis.section import Drawing, Findings, Json, Report, Section, by_dimension, of_all, of_one
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, spanning
from sacma.analysis.table_format import number as number_cell
from sacma.analysis.trials import ROUNDING
from sacma.coco.function_names import VIRTUAL_BEST

PIECE = """
<p class="caption of-all-instances" hidden>Of all instances, whatever is chosen.</p>
<div class="controls">
<label>over <select id="ert-over"><option value="target">the target</option>
<option value="dimension">the dimension</option></select></label>
<label>dimension <select id="ert-dimension"></select></label>
<label>target Δf <select id="ert-target"></select></label>
<label>function <select id="ert-function"></select></label>
</div>
<div class="controls" id="ert-algorithms"></div>
<div class="chart" id="ert-chart"></div>
<div class="readout" id="ert-readout" aria-live="off"></div>
<p class="caption">Expected running time (ERT, or aRT): evaluations of all trials, until the target or their end, over
the number of trials that reached the target; a target that no trial reached has none.
{% if values.several %}The virtual best is the lowest of all algorithms at each target.
{% endif %}<a href="{{ files.ert.csv }}">csv</a>; all functions as figures: <a href="figures/index.html">figures</a></p>
<div class="scroll" id="ert-table" tabindex="0" role="region" aria-label="ERT of the function"></div>
<p class="caption">ERT/D of the chosen function and dimension, in brackets how many trials reached the target; the
lowest is bold. As tables of all functions:
{% for each in tables if "share" not in each.name %}
{{ each.title }}{% for kind in ["csv", "tex", "md"] %} <a href="{{ files[each.name][kind] }}">{{ kind }}</a>\
{% endfor %}{{ "," if not loop.last else "" }}
{% endfor %}</p>
{% for each in tables if "share" in each.name %}<div id="ert-shares">{{ table(each) }}</div>
<p class="caption">Among the algorithms and over the functions that are chosen. The virtual best of all algorithms:
<a href="{{ files.virtual_best.csv }}">csv</a></p>
<h3>Two algorithms</h3>
<div class="controls">
<label>across <select id="pair-across"></select></label>
<label>up <select id="pair-up"></select></label>
<label>dimension <select id="pair-dimension"></select></label>
</div>
<div class="chart scatter" id="pair-chart"></div>
<p class="caption">ERT/D of two algorithms, a point for each function and target: below the diagonal the algorithm of
the upright axis is faster. At the border: one of them never reached the target. The choice of algorithms above leaves
these two.</p>
{% endfor %}
"""

COLUMNS = (*("algorithm", "dimension", "function", "target"), "ert_per_dimension")
TICKS = 4  # decades from one to the next along the target
OVER_DIMENSION = (10.0, 0.1, 1e-3, 1e-8)  # targets at which there are figures over the dimension
SCENE = 130.0  # height and width of a panel of pairs, in points
BEST_LINE: Properties = {"color": "#A6A6A6", "linewidth": 3.0, "linestyle": "-", "zorder": 1.5}


def _times(findings: Findings) -> pd.DataFrame:
    comparison = findings.comparison
    wanted = comparison.own_targets or TARGETS
    targets = [target for target in wanted if target >= comparison.target * (1 - ROUNDING)]
    return running_times(comparison.compared.trials, targets)


def _shared(findings: Findings) -> pd.DataFrame:
    """Return running times of functions that all algorithms have; none where there is nobody to be compared with."""
    times = findings.comparison.compared.overlap.shared(findings["ert"])
    several = times.groupby("dimension")["algorithm"].transform("nunique") > 1
    return times[several]


def _written(ert: float) -> str:
    return number(ert) if np.isfinite(ert) else "∞"


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield shares of the virtual best, then by dimension ERT/D of each function, algorithm and target."""
    share = report.findings["virtual_best_share"]
    if not share.empty:
        yield _share_table(share)
    for D, times in by_dimension(report.findings["ert"]):
        yield FormattedTable(
            f"ert_{D:02d}D",
            f"{D}-D",
            "Expected running time over D, in brackets how many trials reached the target; the lowest is bold.",
            tuple(_blocks(times)),
        )


def _share_table(share: pd.DataFrame) -> FormattedTable:
    dimensions = sorted(share["dimension"].unique())
    known = share.assign(best=100 * share["share"], reached=100 * share["reached"] / share["problems"])
    columns = {"best": ".1f", "reached": ".1f", "median_ratio": ".2f"}
    values = known.pivot(index="algorithm", columns="dimension", values=list(columns)).swaplevel(axis="columns")
    values = values.reindex(
        index=share["algorithm"].unique(), columns=pd.MultiIndex.from_product([dimensions, columns])
    )
    forms = list(columns.values()) * len(dimensions)
    body = tuple(
        (Cell(str(name)), *map(number_cell, of, forms))
        for name, of in zip(values.index, values.to_numpy(float).tolist(), strict=True)
    )
    return FormattedTable(
        "virtual_best_shares",
        "Shares of the virtual best",
        "Of all pairs of a function and a target that some algorithm reached: on how many percent this one has the "
        "lowest ERT, equal ones divided; how many percent it reached in some trial; and the median ratio of its ERT to "
        "the lowest.",
        (
            Block(
                spanning(("dimension", "algorithm"), (f"{D}-D" for D in dimensions), ("best", "reached", "ratio")), body
            ),
        ),
    )


def _blocks(times: pd.DataFrame) -> Iterator[Block]:
    """Yield the running times of one dimension, a block a function: algorithms × targets."""
    targets = sorted(times["target"].unique(), reverse=True)
    times = times.sort_values("target", ascending=False, kind="stable")
    for function, of_function in times.groupby("function"):
        ert = of_function["ert_per_dimension"]
        best = (ert == ert.groupby(of_function["target"]).transform("min")) & np.isfinite(ert.to_numpy(float))
        counts = of_function[["successes", "trials"]].to_numpy(int)
        texts = [f"{_written(t)} ({s}/{n})" for t, (s, n) in zip(ert.to_list(), counts.tolist(), strict=True)]
        cells = pd.Series(map(Cell, texts, best.to_list()), of_function.index)
        body = [(Cell(str(name)), *of) for name, of in cells.groupby(of_function["algorithm"], sort=False)]
        yield Block(((Head(f"f{function}"), *(Head(f"{target:g}") for target in targets)),), tuple(body))


def _chart(findings: Findings) -> Json:
    """Return the targets, and by dimension, function and algorithm evaluations and successes at each."""
    times = findings["ert"]
    found: Json = {"targets": [float(f"{target:g}") for target in sorted(times["target"].unique(), reverse=True)]}
    by: dict[str, dict[str, Json]] = {}
    falling = times.sort_values("target", ascending=False, kind="stable")
    for (D, f, name), of in falling.groupby(["dimension", "function", "algorithm"], sort=False):
        cell = [*(of[column].astype(int).to_list() for column in ("evaluations", "successes")), int(of["trials"].max())]
        by.setdefault(str(D), {}).setdefault(str(f), {})[str(name)] = cell
    dimensions = sorted(by, key=int)
    functions = {D: {f: by[D][f] for f in sorted(by[D], key=int)} for D in dimensions}
    return found | {"dimensions": functions}


def _figures(report: Report) -> Iterator[Drawing]:
    times, best = report.findings["ert"], report.findings["virtual_best"].assign(algorithm=VIRTUAL_BEST)
    both = pd.concat([times[list(COLUMNS)], best[list(COLUMNS)]], ignore_index=True) if len(best) else times
    reached = both[np.isfinite(both["ert_per_dimension"].to_numpy(float))]
    for D, of_dimension in by_dimension(both):
        if D in set(reached["dimension"]):
            make = bind(expected_running_times, of_dimension, dimension=D, **report.look)
            yield Drawing(f"ert_{D:02d}D", "", f"expected running times, {D}-D", make)
    for target in OVER_DIMENSION:
        at = both[both["target"] == target]
        if len(at["dimension"].unique()) > 1 and target in set(reached["target"]):
            make = bind(expected_running_times, at, over="dimension", target=target, **report.look)
            yield Drawing(f"ert_over_dimension_{target:.0e}", "", f"expected running times to {target:g}", make)
    names, baseline = report.comparison.names, report.comparison.baseline
    shared = report.findings.once(_shared)
    if baseline in set(shared["algorithm"]) and not report.findings["virtual_best"].empty:
        make = bind(pair_panels, shared, baseline=baseline, algorithms=names, partial=report.look["partial"])
        yield Drawing("ert_pairs", "", f"expected running times beside those of {baseline}", make)


def expected_running_times(
    times: pd.DataFrame,
    *,
    over: Literal["target", "dimension"] = "target",
    dimension: int | None = None,
    target: float | None = None,
    algorithms: Names = None,
    partial: bool = False,
) -> Figure:
    """Draw log₁₀ ERT/D, a small panel a function: over the target in a dimension, or over dimensions at a target.

    Columns of ``times`` are algorithm ("virtual best" is the lowest of all), dimension, function, target and
    ert_per_dimension, infinite where no trial was successful: such points are left out.
    """
    where: dict[str, object] = {"dimension": dimension} if over == "target" else {"target": target}
    these = rows(times, COLUMNS, unique=COLUMNS[:4], **where).sort_values(["function", over], kind="stable")
    these = these.assign(y=np.log10(these["ert_per_dimension"].replace(np.inf, np.nan).astype(float)))
    if these["y"].isna().all():
        raise ValueError("nothing to draw: no target was reached")
    values = sorted(these[over].unique(), reverse=over == "target")
    these["x"] = np.log10(these[over].to_numpy(float)) * (-1 if over == "target" else 1)
    left, right = float(these["x"].min()), float(these["x"].max())
    margin = 0.04 * (right - left) or 0.5
    if over == "target":
        ticks = {-np.log10(v): number(round(np.log10(v), 1)) for v in values if round(np.log10(v)) % TICKS == 2}  # noqa: PLR2004
        ticks = ticks or {-np.log10(v): number(round(np.log10(v), 1)) for v in (values[0], values[-1])}
    else:
        ticks = {np.log10(v): str(v) for v in values}
    names = these.loc[these["algorithm"] != VIRTUAL_BEST, ["algorithm"]]
    with styled():
        look_of = looks_of(times[times["algorithm"] != VIRTUAL_BEST], names, algorithms)
        keys = [line_key(name, look) for name, look in look_of.items()]
        keys += [(VIRTUAL_BEST, Line2D([], [], **BEST_LINE))] if len(names) < len(these) else []
        labels = {
            "title": f"{dimension}-D" if over == "target" else f"target Δf {target:g}",
            "x": "log₁₀ of the target Δf" if over == "target" else "dimension D",
            "y": "log₁₀ ERT / D",
        }
        functions = [int(function) for function in these["function"].unique()]
        figure, panels = function_grid(functions, **labels, keys=keys, partial=partial)
        for function, axes in panels.items():
            of_function = these[(these["function"] == function) & these["y"].notna()]
            if of_function.empty:
                without_data(axes, "never reached")
                continue
            _panel(axes, of_function, look_of, (left - margin, right + margin))
            axes.set_xticks(list(ticks), list(ticks.values()))
            axes.set_xlim(left - margin, right + margin)
            guide(axes)
        return figure


def _panel(axes: Axes, these: pd.DataFrame, look_of: Mapping[str, Look], limits: tuple[float, float]) -> None:
    """Draw the running times of one function."""
    low, high = float(these["y"].min()), float(these["y"].max())
    room = max(0.06 * (high - low), 0.1)
    axes.set_ylim(low - room, high + room)
    across, up = WIDTH / (limits[1] - limits[0]), HEIGHT / (high - low + 2 * room)
    best = these[these["algorithm"] == VIRTUAL_BEST].sort_values("x")
    axes.plot(best["x"], best["y"], label=VIRTUAL_BEST, **BEST_LINE)
    for position, (name, style) in enumerate(look_of.items()):
        of = these[these["algorithm"] == name].sort_values("x")
        if len(of):
            x, y = of["x"].to_numpy(np.float64), of["y"].to_numpy(np.float64)
            marks = mark_places(WIDTH, position, len(look_of), 2)
            on_paper = across * (x - limits[0]), up * y
            draw_curve(axes, x, y, on_paper=on_paper, marks_at=marks, look=style, label=name)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def pair_panels(times: pd.DataFrame, *, baseline: str, algorithms: Names = None, partial: bool = False) -> Figure:
    """Draw log₁₀ ERT/D of each algorithm over that of a baseline, a point for each function and target.

    Columns of ``times`` are algorithm, dimension, function, target and ert_per_dimension. A dimension has its marker. A
    point at the upper or right border is of a target that the algorithm or the baseline never reached.
    """
    these = rows(times, COLUMNS, unique=COLUMNS[:4])
    others = [name for name in looks_of(times, these, algorithms) if name != baseline]
    finite = np.log10(these["ert_per_dimension"][np.isfinite(these["ert_per_dimension"].to_numpy(float))])
    if finite.empty or not others or baseline not in set(these["algorithm"]):
        raise ValueError(f"nothing to draw: no running times beside those of {baseline} are known")
    low, high = float(finite.min()) - 0.1, float(finite.max()) + 0.3
    table = these.pivot(index=PROBLEM, columns="algorithm", values="ert_per_dimension")
    dimensions = sorted(these["dimension"].unique())
    looks: Mapping[int, Look] = {D: look(n) for n, D in enumerate(dimensions)}
    columns, above, left = min(3, len(others)), 20.0, 34.0
    between = (PAGE - left - 6 - 3 * SCENE) / 2
    lines = -(-len(others) // columns)
    with styled():
        keys = [mark_key(f"{D}-D", looks[D]) for D in dimensions]
        body = lines * (above + SCENE + 14) + LINE
        layout = new_layout(PAGE, body, keys=keys, partial=partial)
        for n, name in enumerate(others):
            row, column = divmod(n, columns)
            top = row * (above + SCENE + 14) + above - 4
            axes = layout.panel(left + column * (SCENE + between), top, SCENE, SCENE, name)
            axes.plot([low, high], [low, high], color=FAINT, linewidth=1.0, zorder=0)
            for D in dimensions:
                pair = table.loc[D][[baseline, name]].dropna()
                pair = np.log10(pair[np.isfinite(pair).any(axis="columns")]).clip(upper=high)
                style = looks[D].mark | {"markersize": 2.6, "alpha": 0.7, "clip_on": False}
                axes.plot(pair[baseline], pair[name], linestyle="none", label=f"{D}-D", **style)
            axes.set(xlim=(low, high), ylim=(low, high))
            ticks = np.arange(np.ceil(low), np.floor(high) + 1)
            axes.set_xticks(ticks, [number(tick) for tick in ticks])
            axes.set_yticks(ticks, [number(tick) for tick in ticks])
            axes.tick_params(labelsize=SMALL, color=INK)
            guide(axes)
        middle = left + (columns * SCENE + (columns - 1) * between) / 2
        layout.write(
            middle, body - LINE / 2, shortened([f"log₁₀ ERT / D of {baseline}"], PAGE / 2)[0], ha="center", va="center"
        )
        text = "log₁₀ ERT / D of the algorithm above"
        layout.write(8, (body - LINE) / 2, text, rotation=90, va="center", ha="center")
        return layout.figure


SECTION = Section(
    key="ert",
    title="Running times",
    heading="Expected running times",
    frames={
        "ert": of_one(_times),
        "virtual_best": of_all(lambda findings: virtual_best(findings.once(_shared))),
        "virtual_best_share": of_all(lambda findings: shares(findings.once(_shared))),
    },
    tables=_tables,
    figures=_figures,
    chart=_chart,
    piece=PIECE,
    values=lambda report: {"several": not report.findings["virtual_best_share"].empty},
    shown=lambda findings: not findings["ert"].empty,
)
