"""CPU time: milliseconds per true evaluation, Table 2 of the paper, and what they were spent on."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial as bind

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sacma.analysis.figures.layout import LINE, PAGE, new_layout
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import INK, SMALL, Properties, number, shortened, styled, text_width
from sacma.analysis.section import Drawing, Findings, Report, Section, of_one
from sacma.analysis.table_format import Block, FormattedTable, Head, number_rows
from sacma.config.plan import TrialSpec
from sacma.store.outcome import Outcome

PIECE = """
<p class="caption of-all" hidden>Of all algorithms, functions and instances, whatever is chosen.</p>
{% for each in tables %}{{ table(each) }}{% endfor %}
{{ figure("cpu", "Where the CPU time of a true evaluation goes, in whole trials.") }}
<p class="caption">Of whole trials, by part: <a href="{{ files.cpu.csv }}">csv</a>; of each trial:
<a href="{{ files.trial_costs.csv }}">csv</a></p>
"""

COLUMNS = ("algorithm", "dimension", "part", "seconds_per_evaluation")
PLACE = ("dimension", "function", "instance")
COUNTS = ("evaluations", "true_generations", "model_generations", "restarts")

PARTS: Mapping[str, Properties] = {
    "objective": {"facecolor": "#000000", "hatch": ""},
    "fit": {"facecolor": "#0072B2", "hatch": ""},
    "predict": {"facecolor": "#E69F00", "hatch": "////"},
    "strategy": {"facecolor": "#F5F5F5", "hatch": ""},
    "other": {"facecolor": "#FFFFFF", "hatch": "xxx"},
}
"""Parts of CPU time, from the left, and their look. Neighbours differ in lightness or hatching."""

BAR, THICK = 12.0, 0.72  # from one bar to the next, in points, and the share of it that is bar
MOST_NAME = 110.0  # of the width of a name, in points
ABOVE, BELOW, BETWEEN = 16.0, 16.0, 16.0  # room above each panel, below it and between two, in points
TOTAL = 1.28  # how much longer the axis is than the longest bar, for the number at its end


def comparable_costs(findings: Findings, names: Collection[str], *, of_functions: bool = False) -> pd.DataFrame:
    """Return the costs of trials of some of our algorithms, of the instances that all of these have.

    With ``of_functions`` they are of the functions too that all of these have.
    """
    comparison, costs = findings.comparison, findings["trial_costs"]
    there = comparison.among([study.name for study, _ in comparison.covered if study.name in names]).overlap
    of_them = costs[costs["algorithm"].isin(there.there)]
    places = zip(of_them["dimension"], of_them["function"], of_them["instance"], strict=True)
    kept = of_them[pd.Series([there.has(*place) for place in places], of_them.index, dtype=bool)]
    return there.shared(kept) if of_functions else kept


def trial_costs(trials: Iterable[tuple[TrialSpec, Outcome]]) -> pd.DataFrame:
    """Return what each trial took beside its evaluations, a row a trial, CPU seconds by part; COCO data do not tell.

    The control frequency is true over model-evaluated generations, Figure 2 of the paper; inf where there are none of
    the latter.
    """
    rows = [
        {"algorithm": spec.name}
        | {name: getattr(spec, name) for name in PLACE}
        | {name: getattr(outcome, name) for name in COUNTS}
        | asdict(outcome.cpu)
        for spec, outcome in trials
    ]
    columns = ["algorithm", *PLACE, *COUNTS[:-1], "control_frequency", COUNTS[-1], *PARTS]
    frame = pd.DataFrame(rows, columns=columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequency = frame["true_generations"].to_numpy(float) / frame["model_generations"].to_numpy(float)
    return frame.assign(control_frequency=frequency)


def cpu_per_evaluation(costs: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, one thread: those of all trials over all their evaluations (Table 2).

    Columns are algorithm, dimension, trials, part (as in ``PARTS``, and total) and seconds_per_evaluation.
    """
    groups = costs.groupby(["algorithm", "dimension"], sort=False)
    sums = groups[["evaluations", *PARTS]].sum()
    per_evaluation = sums[list(PARTS)].div(sums["evaluations"], axis="index")
    per_evaluation = per_evaluation.assign(total=per_evaluation.sum(axis="columns"), trials=groups.size())
    keys = ["algorithm", "dimension", "trials"]
    return per_evaluation.reset_index().melt(keys, var_name="part", value_name="seconds_per_evaluation")


def _tables(report: Report) -> Iterator[FormattedTable]:
    if not report.findings["cpu"].empty:
        yield cpu_table(report.findings["cpu"])


def cpu_table(cpu: pd.DataFrame) -> FormattedTable:
    """Return CPU time by algorithm and dimension, from ``cpu_per_evaluation``: Table 2 of the paper in milliseconds."""
    total = cpu[cpu["part"] == "total"]
    seconds = total.pivot(index="algorithm", columns="dimension", values="seconds_per_evaluation")
    rows = number_rows(1e3 * seconds.reindex(cpu["algorithm"].unique()), ".3f")
    return FormattedTable(
        "table_cpu",
        "CPU time",
        "Milliseconds per true evaluation, one thread: CPU time of all whole trials over all their evaluations.",
        (Block(((Head("algorithm"), *(Head(f"{D}-D") for D in seconds.columns)),), rows),),
    )


def _figures(report: Report) -> Iterator[Drawing]:
    cpu = report.findings["cpu"]
    if not cpu.empty:
        yield Drawing("cpu", "cpu", "all dimensions", bind(cpu_time, cpu[cpu["part"] != "total"], **report.look))


def cpu_time(parts: pd.DataFrame, *, algorithms: Names = None, partial: bool = False) -> Figure:
    """Draw CPU milliseconds a true evaluation as stacked bars, a panel a dimension with a scale of its own.

    Columns of ``parts`` are algorithm, dimension, part (objective, fit, predict, strategy or other) and
    seconds_per_evaluation. A part that is not there, NaN or, by the resolution of clocks, negative, is none.
    """
    these = rows(parts, COLUMNS, unique=COLUMNS[:3])
    unknown = set(these["part"]) - set(PARTS)
    if unknown:
        raise ValueError(f"there is no part {min(map(str, unknown))!r} of CPU time; parts are {', '.join(PARTS)}")
    shown = list(looks_of(these, these, algorithms))
    dimensions = sorted(pd.unique(these["dimension"]))
    columns = min(2, len(dimensions))
    lines = -(-len(dimensions) // columns)
    height = BAR * len(shown) + 2
    names = shortened(shown, MOST_NAME, SMALL)
    milliseconds = 1e3 * these.pivot(
        index=["dimension", "algorithm"], columns="part", values="seconds_per_evaluation"
    ).reindex(columns=list(PARTS))
    left = max(text_width(name, SMALL) for name in names) + 8
    width = (PAGE - left - 8 - (columns - 1) * BETWEEN) / columns
    with styled():
        keys = [(part, Patch(edgecolor=INK, **look)) for part, look in PARTS.items()]
        body = lines * (ABOVE + height + BELOW) + LINE
        layout = new_layout(PAGE, body, keys=keys, partial=partial)
        for n, dimension in enumerate(dimensions):
            row, column = divmod(n, columns)
            place = (left + column * (width + BETWEEN), row * (ABOVE + height + BELOW) + ABOVE - 2)
            axes = layout.panel(*place, width, height, f"{dimension}-D")
            _bars(axes, milliseconds.loc[dimension].reindex(shown))
            axes.set_yticks(range(len(shown)), names if column == 0 else [])
        text = "CPU milliseconds per true evaluation"
        layout.write(left + (PAGE - left) / 2, body - LINE / 2, text, ha="center", va="center")
        return layout.figure


def _bars(axes: Axes, milliseconds: pd.DataFrame) -> None:
    """Draw the bars of one dimension: algorithms × parts."""
    lengths = np.nan_to_num(milliseconds.to_numpy(np.float64), nan=0.0).clip(min=0)
    totals = lengths.sum(axis=1)
    longest = float(totals.max()) or 1.0
    starts = np.cumsum(lengths, axis=1) - lengths
    y = np.arange(len(lengths))
    for n, (part, look) in enumerate(PARTS.items()):
        axes.barh(y, lengths[:, n], THICK, starts[:, n], label=part, edgecolor=INK, linewidth=0.5, **look)
    for n, total in enumerate(totals.tolist()):
        text = number(total) if milliseconds.iloc[n].notna().any() else "no data"
        axes.text(total + 0.015 * longest, n, text, va="center_baseline", fontsize=SMALL)
    axes.set(xlim=(0, TOTAL * longest), ylim=(len(lengths) - 0.5, -0.5))
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.tick_params(axis="y", length=0)


SECTION = Section(
    key="time",
    title="Time",
    heading="CPU time",
    frames={
        "trial_costs": of_one(lambda found: trial_costs(t for _, c in found.comparison.covered for t in c.trials)),
        "cpu": of_one(
            lambda found: cpu_per_evaluation(comparable_costs(found, found.comparison.names, of_functions=True))
        ),
    },
    tables=_tables,
    figures=_figures,
    piece=PIECE,
    shown=lambda findings: not findings["cpu"].empty,
)
