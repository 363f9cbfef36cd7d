"""Evolution control: control frequencies, transfer functions, and model errors over a trial; Figures 1 and 2."""

from collections.abc import Iterator, Sequence
from functools import partial as bind

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sacma.analysis.figures.curve import Floats, stairs
from sacma.analysis.figures.layout import COLUMN, LINE, PAGE, Key, column_names, guide, new_layout
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import INK, SMALL, Properties, look, number, styled
from sacma.analysis.section import Drawing, Report, Section, by_dimension, of_one
from sacma.analysis.sections.cpu import comparable_costs
from sacma.coco.function_names import function_title
from sacma.config.nested import flattened
from sacma.strategy.transfer import T1, T2

PIECE = """
{{ figure("control", "Control frequency of single whole trials: true generations per model-evaluated one.") }}
{{ figure("evolution", "Model-evaluated generations g_m in a row, and the error that they follow from, over one\
 whole trial.") }}
<details><summary>Control frequency of every function</summary>
{{ frame("control_frequency", ["algorithm", "dimension", "function", "trials", "without_model", "lower_quartile",
"median", "upper_quartile"], "Quartiles over whole trials; without_model: trials of\
 which no generation was model-evaluated.")
}}
</details>
"""

FIGURE_2 = (20, 8)  # dimension and function of the paper's Figure 2

COLUMNS = (
    *("algorithm", "dimension", "function", "instance"),
    *("true_generations", "model_generations", "control_frequency"),
)
OF_TRACES = ("restart", "true_evaluations", "model_generations", "error", "smoothed_error")

LEFT, TOP, HEIGHT = 42.0, 8.0, 150.0
"""Of control frequencies: room left of the panel and above it, and its height, in points."""

WIDEST = 80.0  # of the place of an algorithm, in points
ROOMY = 60.0  # from here on there is room below a box to say of how many trials, in points

LINEAR_UP_TO, MANY = 20.0, 1000.0
"""Largest over smallest ratio up to which the axis is linear, and from which it has numbers at powers of ten only."""

PANELS = 3  # of the evolution of a trial: algorithms beside one another
MARGIN, BETWEEN, ABOVE = 34.0, 18.0, 20.0  # room left of its panels, between them and above each, in points
LOW, HIGH = 62.0, 92.0  # height of its panels of g_m and of errors, in points

DOTS: Properties = {"linestyle": "none", "marker": ".", "markersize": 2.6, "color": "#7F7F7F", "markeredgewidth": 0}
SMOOTHED: Properties = {"color": "#0072B2", "linewidth": 1.2}
STEPS: Properties = {"color": INK, "linewidth": 0.8}
RESTART: Properties = {"color": "#D55E00", "linewidth": 0.8, "linestyle": (0, (3, 2))}


def control_frequencies(costs: pd.DataFrame) -> pd.DataFrame:
    """Return quartiles over trials of the control frequency, of algorithms with model-evaluated generations.

    ``without_model`` counts the trials of which no generation was model-evaluated: quartiles are of the others, NaN
    where there are none.
    """
    with_model = costs.groupby("algorithm")["model_generations"].transform("sum") > 0
    keys = ["algorithm", "dimension", "function"]
    rows = []
    for place, group in costs[with_model].groupby(keys, sort=False):
        ratios = group["control_frequency"].to_numpy()
        finite = ratios[np.isfinite(ratios)]
        quartiles = np.quantile(finite, [0.25, 0.5, 0.75]) if finite.size else np.full(3, np.nan)
        rows.append((*place, len(ratios), len(ratios) - finite.size, *quartiles))
    return pd.DataFrame(rows, columns=[*keys, "trials", "without_model", "lower_quartile", "median", "upper_quartile"])


def _figures(report: Report) -> Iterator[Drawing]:
    frequencies, costs = report.findings["control_frequency"], report.findings["trial_costs"]
    costs = costs[costs["algorithm"].isin(set(frequencies["algorithm"]))]
    cells = {
        (D, int(str(f))): trials
        for D, of_dimension in by_dimension(costs)
        for f, trials in of_dimension.groupby("function")
    }
    alike = [place for place in cells if place[1] == FIGURE_2[1]] or list(cells)
    for (D, f), trials in cells.items():
        make = bind(control_frequency, trials, function=f, dimension=D, **report.look)
        first = (D, f) == (FIGURE_2 if FIGURE_2 in cells else alike[-1])
        yield Drawing(f"control_f{f:02d}_{D:02d}D", "control", f"{function_title(f)}, {D}-D", make, first)
    for (f, D, instance), generations in _traces(report).items():
        where = f"{function_title(f)}, {D}-D, instance {instance}"
        make = bind(evolution, generations, title=where, **report.look)
        yield Drawing(f"evolution_f{f:02d}_{D:02d}D", "evolution", where, make)


def _traces(report: Report) -> dict[tuple[int, int, int], pd.DataFrame]:
    """Return traces of the first trial on f8, or on the first function, in each dimension, where models are judged.

    None of studies whose traces are not there, as where outcomes alone have been kept.
    """
    settings = ((each, each[0].parts[0].settings.model_dump()) for each in report.comparison.covered)
    judged = [each for each, values in settings if "control.error" in flattened(values)]
    adaptive = [each for each in judged if report.store.trace_file(each[0].name).exists()]
    places = sorted({spec.place for _, completeness in adaptive for spec, _ in completeness.trials})
    found = {}
    for dimension in sorted({D for _, D, _ in places}):
        here = [place for place in places if place[1] == dimension]
        place = next((place for place in here if place[0] == FIGURE_2[1]), here[0])
        where = [(name, "==", at) for name, at in zip(("function", "dimension", "instance"), place, strict=True)]
        read = bind(pd.read_parquet, columns=list(OF_TRACES), filters=where)
        files = {study.name: report.store.trace_file(study.name) for study, _ in adaptive}
        parts = [read(file).assign(algorithm=name) for name, file in files.items()]
        generations = pd.concat(parts, ignore_index=True)
        if len(generations):
            found[place] = generations
    return found


def control_frequency(
    trials: pd.DataFrame, *, function: int, dimension: int, algorithms: Names = None, partial: bool = False
) -> Figure:
    """Draw the control frequency of the trials on one problem as box plots, with a dot a trial beside each box.

    Boxes go from quartile to quartile, whiskers to the farthest trial within 1.5 times that distance. The ratio of a
    trial without model-evaluated generations is infinite: such trials are counted below the box, and no part of it.

    Columns of ``trials`` are algorithm, dimension, function, instance, true_generations, model_generations and
    control_frequency, the ratio of these.
    """
    these = rows(trials, COLUMNS, function=function, dimension=dimension)
    look_of = looks_of(trials, these, algorithms)
    ratios = {name: _ratios(these[these["algorithm"] == name]) for name in look_of}
    never = {name: int(np.isinf(of).sum()) for name, of in ratios.items()}
    width = max(COLUMN, min(PAGE, LEFT + WIDEST * len(ratios) + 8))
    cell = (width - LEFT - 8) / len(ratios)
    names = column_names(list(ratios), cell)
    below = TOP + HEIGHT + names.height
    title = f"{function_title(function)}, {dimension}-D"
    with styled():
        layout = new_layout(width, below + 2.4 * LINE, title=title, partial=partial)
        axes = layout.panel(LEFT, TOP, width - LEFT - 8, HEIGHT)
        for x, (name, of) in enumerate(ratios.items()):
            finite = np.sort(of[np.isfinite(of)])
            _box(axes, x, finite, look_of[name].mark | {"label": name})
            if never[name]:
                note = f"{never[name]} of {len(of)}: ∞" if cell >= ROOMY else f"{never[name]}×∞"
                place = LEFT + (x + 0.5) * cell, below + 0.6 * LINE
                layout.write(*place, note, ha="center", va="center", fontsize=SMALL)
        if any(never.values()):
            why = "∞: trials without a model-evaluated generation"
            layout.write(LEFT, below + 1.7 * LINE, why, va="center", fontsize=SMALL)
        axes.set_xlim(-0.5, len(ratios) - 0.5)
        axes.set_xticks(range(len(ratios)), names.texts, rotation=names.rotation)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("true / model generations")
        all_ratios = np.concatenate(list(ratios.values()))
        _scale(axes, all_ratios[np.isfinite(all_ratios)])
        guide(axes, "y")
        return layout.figure


def _ratios(trials: pd.DataFrame) -> Floats:
    """Return control frequencies, infinite where the model evaluated no generation."""
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


def _box(axes: Axes, x: float, values: Floats, mark: Properties) -> None:
    """Draw a box plot, and right of it the dots of the sorted values, each beside the one before, in a zigzag."""
    if len(values):
        line: Properties = {"color": INK, "linewidth": 0.8}
        lines: Properties = dict.fromkeys(("boxprops", "whiskerprops", "capprops"), line)
        box: Properties = {"positions": [x - 0.12], "widths": 0.36, "medianprops": line | {"linewidth": 1.8}}
        axes.bxp(boxplot_stats(values), showfliers=False, manage_ticks=False, **box, **lines)  # each trial has its dot
    axes.plot(x + 0.2 + 0.07 * (np.arange(len(values)) % 3), values, linestyle="none", ms=3.8, **mark)


def _scale(axes: Axes, ratios: Floats) -> None:
    """Begin the axis at 0, or make it logarithmic where a few large ratios would squeeze the rest."""
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


def transfer_functions(steepness: Sequence[float] = (0.5, 2.0, 8.0)) -> Figure:
    """Draw T₁ and T₂ on [0, 1], T₂ with each k > 0; the study has k = 2."""
    if not all(k > 0 for k in steepness):
        raise ValueError(f"steepness {', '.join(map(str, steepness))}: each k must be positive")
    x = np.linspace(0, 1, 101)
    curves = [("T₁(x)", [T1(value) for value in x.tolist()])]
    curves += [(f"T₂(x; {number(k)})", [T2(value, k) for value in x.tolist()]) for k in steepness]
    with styled():
        keys = [(name, Line2D([], [], **look(n).line)) for n, (name, _) in enumerate(curves)]
        side = COLUMN - 65
        layout = new_layout(COLUMN, side + 45, keys=keys)
        axes = layout.panel(45, 10, side, side)
        for n, (name, y) in enumerate(curves):
            axes.plot(x, y, label=name, **look(n).line)
        axes.set(xlim=(0, 1), ylim=(0, 1), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6))
        axes.set_xlabel("x = 1 − e, of the model's error e")
        axes.set_ylabel("γ(x), share of the largest gₘ")
        guide(axes)
        return layout.figure


def evolution(generations: pd.DataFrame, *, title: str = "", algorithms: Names = None, partial: bool = False) -> Figure:
    """Draw g_m, ε and ε_s over the true evaluations of one trial, an algorithm a column.

    g_m is decided in a true-evaluated generation and holds up to the next. Model-evaluated generations, which make no
    true evaluation and decide nothing, may be among the rows or not.

    ``generations`` are in their order, columns algorithm, restart, true_evaluations, model_generations (g_m), error (ε)
    and smoothed_error (ε_s), NaN where there is none; the title names the trial.
    """
    these = rows(generations, ("algorithm", *OF_TRACES))
    shown = list(looks_of(these, these, algorithms))
    true = {name: _true_evaluated(these[these["algorithm"] == name], name) for name in shown}
    columns = min(PANELS, len(shown))
    lines = -(-len(shown) // columns)
    height = ABOVE + LOW + 10 + HIGH + 14
    body = lines * height + 14
    with styled():
        keys: list[Key] = [
            ("generations left to the model, gₘ", Line2D([], [], **STEPS)),
            ("error ε of one model", Line2D([], [], **(DOTS | {"markersize": 5}))),
            ("smoothed error εₛ", Line2D([], [], **SMOOTHED)),
        ]
        keys += [("restart", Line2D([], [], **RESTART))] if any(map(_restarts, true.values())) else []
        layout = new_layout(PAGE, body, title=title, keys=keys, partial=partial)
        width = (PAGE - MARGIN - (columns - 1) * BETWEEN - 10) / columns
        most = max(int(of["model_generations"].max()) for of in true.values())
        end = max(int(of["true_evaluations"].max()) for of in true.values())
        for n, name in enumerate(shown):
            row, column = divmod(n, columns)
            left, top = MARGIN + column * (width + BETWEEN), row * height + ABOVE - 4
            above = layout.panel(left, top, width, LOW, name)
            below = layout.panel(left, top + LOW + 10, width, HIGH)
            _draw_trace(above, below, true[name], max(1, most))
            for axes in (above, below):
                axes.tick_params(axis="y", labelleft=column == 0)
                axes.set_xlim(0, end)
                axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
                for start in _restarts(true[name]):
                    axes.axvline(start, zorder=1.9, **RESTART)
                guide(axes, "y")
            above.tick_params(axis="x", labelbottom=False)
            if column == 0:
                layout.write(8, top + LOW / 2, "gₘ", rotation=90, va="center", ha="center")
                layout.write(8, top + LOW + 10 + HIGH / 2, "error ε", rotation=90, va="center", ha="center")
        layout.write(MARGIN + (PAGE - MARGIN) / 2, body - 8, "true evaluations", ha="center", va="center")
        return layout.figure


def _true_evaluated(generations: pd.DataFrame, name: str) -> pd.DataFrame:
    evaluations = generations["true_evaluations"].to_numpy(np.int64)
    steps = np.diff(evaluations, prepend=0)
    if (steps < 0).any():
        raise ValueError(f"true evaluations of {name} go down; rows must be of one trial, in their order")
    if not (steps > 0).any():
        raise ValueError(f"nothing to draw: {name} made no true evaluation")
    return generations[steps > 0]


def _restarts(generations: pd.DataFrame) -> list[float]:
    """Return the evaluations at which a restart had made its first generation."""
    return generations.loc[generations["restart"].diff() > 0, "true_evaluations"].astype(float).tolist()


def _draw_trace(above: Axes, below: Axes, true: pd.DataFrame, most: int) -> None:
    """Draw g_m into a panel, ε and ε_s into the one below it."""
    columns = ("true_evaluations", "model_generations", "error", "smoothed_error")
    x, g, error, smoothed = (true[column].to_numpy(np.float64, na_value=np.nan) for column in columns)
    above.plot(*stairs(x, g), label="g_m", **STEPS)
    above.set_ylim(0, most + 0.3)
    above.yaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    below.plot(x, error, label="error", **DOTS)
    there = np.isfinite(smoothed)
    below.plot(x[there], smoothed[there], label="smoothed error", **SMOOTHED)
    below.set_ylim(0, 1)
    below.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])


SECTION = Section(
    key="control",
    title="Control",
    heading="Evolution control",
    frames={
        "control_frequency": of_one(lambda found: control_frequencies(comparable_costs(found, found.comparison.names)))
    },
    figures=_figures,
    piece=PIECE,
    shown=lambda findings: not findings["control_frequency"].empty,
)
