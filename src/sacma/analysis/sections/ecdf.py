"""Distributions of run lengths: the share of targets reached over evaluations, Figure 3 of the paper."""

from collections.abc import Iterable, Iterator
from functools import partial as bind
from numbers import Integral

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from sacma.analysis.comparison import Compared, Comparison
from sacma.analysis.figures.curve import Floats, draw_curve, mark_places, stairs
from sacma.analysis.figures.layout import PAGE, guide, line_key, new_layout, without_data
from sacma.analysis.figures.rows import Names, looks_of, rows
from sacma.analysis.figures.style import Properties, number, styled
from sacma.analysis.run_lengths import Distributions, by_function, by_group, distributions, run_lengths, targets
from sacma.analysis.section import Drawing, Findings, Json, Report, Section, by_dimension, of_one, rounded
from sacma.analysis.trials import ROUNDING, Trial
from sacma.coco.function_names import BEST_2009
from sacma.coco.suites import BBOB

PIECE = """
<div class="controls">
<label>dimension <select id="ecdf-dimension"></select></label>
<label>functions <select id="ecdf-group"></select></label>
</div>
<div class="controls" id="ecdf-algorithms"></div>
<div class="chart" id="ecdf-chart"></div>
<div class="readout" id="ecdf-readout" aria-live="off"></div>
<p class="caption">Proportion of targets reached, bootstrapped, over evaluations. The targets of a function are those
that the best algorithm of BBOB 2009 just did not reach within k·D evaluations, 31 values of k in 0.5 … 50; best 2009
is its average run length. Beyond the budget curves are those of simulated restarts, but where instances are left out.
<a href="{{ files.ecdf.csv }}">csv</a>, of single functions: <a href="{{ files.ecdf_functions.csv }}">csv</a>\
{% if cocopp %}; <a href="{{ cocopp }}">cocopp's pages</a> show the same and more{% endif %}</p>
{% if scope %}<p class="caption">Over what all algorithms have: see <a href="#data">Data</a>.</p>
{% endif %}
"""

COLUMNS = ("algorithm", "dimension", "group", "functions", "evaluations_per_dimension", "proportion")

LEFT, BETWEEN, ABOVE = 32.0, 24.0, 26.0  # room left of the panels, between them and above each, in points
WIDTH, HEIGHT = (PAGE - LEFT - BETWEEN - 10) / 2, 150.0  # of a panel, in points
SHARES = (1 / 10, 1 / 3, 1.0)  # of the budget: points of every curve
MARKS = 3  # markers on a curve
MOST_CORNERS = 120  # of a curve: each step has two

REFERENCE_LINE: Properties = {"color": "#A6A6A6", "linewidth": 3.2, "linestyle": "-", "zorder": 1.5}
"""Broad and grey, behind all others."""


def run_lengths_of(comparison: Comparison, compared: Compared) -> list[pd.DataFrame]:
    """Return the run lengths of each dimension, as from ``run_lengths``; none where there are no targets."""
    trials = compared.shared if comparison.suite.of_2009 else ()
    by_dimension: dict[int, list[Trial]] = {}
    for trial in trials:
        by_dimension.setdefault(trial.dimension, []).append(trial)
    return [run_lengths(by_dimension[D], targets(D)) for D in sorted(by_dimension)]


def distributions_from(lengths: Iterable[pd.DataFrame], comparison: Comparison) -> list[Distributions]:
    """Return the distributions of run lengths of each dimension, as from ``distributions``."""
    told_at = [share * comparison.budget for share in SHARES]
    return [
        found
        for of in lengths
        for found in distributions(of, np.random.default_rng(int(of["dimension"].iloc[0])), told_at=told_at)
    ]


def all_run_lengths(findings: Findings) -> list[pd.DataFrame]:
    """Return the run lengths of all compared algorithms, as from ``run_lengths_of``; to be found once."""
    return run_lengths_of(findings.comparison, findings.comparison.compared)


def _distributions(findings: Findings) -> list[Distributions]:
    return distributions_from(findings.once(all_run_lengths), findings.comparison)


def _figures(report: Report) -> Iterator[Drawing]:
    for D, curves in by_dimension(report.findings["ecdf"]):
        yield Drawing(f"ecdf_{D:02d}D", "", f"run lengths, {D}-D", bind(ecdf, curves, dimension=D, **report.look))


def _chart(findings: Findings) -> Json:
    """Return by dimension the numbers of evaluations x, the number of targets of each function, and what was reached.

    That is by function and algorithm: how many targets more at each x than at the one before, in thousandths.
    """
    found: Json = {}
    for D, curves in by_dimension(findings["ecdf_functions"]):
        x = _points(findings, D)
        reached: dict[str, dict[str, list[int]]] = {}
        for (function, name), curve in curves.groupby(["function", "algorithm"], sort=False):
            at = np.searchsorted(curve["evaluations_per_dimension"].to_numpy(), x, side="right")
            thousandths = np.rint(1000 * np.append(0.0, curve["reached"].to_numpy())[at]).astype(int)
            reached.setdefault(str(function), {})[str(name)] = np.diff(thousandths, prepend=0).tolist()
        targets_of = curves.groupby("function")["targets"].first()
        counts = {str(function): int(count) for function, count in targets_of.items()}
        found[str(D)] = {"x": rounded(x, 5), "targets": counts, "functions": reached}
    return found


def _points(findings: Findings, dimension: int) -> Floats:
    """Return the numbers of evaluations/D at which the page's curves are told."""
    in_groups = findings["ecdf"]
    return np.unique(in_groups.loc[in_groups["dimension"] == dimension, "evaluations_per_dimension"].to_numpy(float))


def trials_reaching(findings: Findings) -> Json:
    """Return by dimension, function and algorithm where each trial reaches one target more.

    Of a trial that is a list of places among the numbers of evaluations of ``_chart``, each less the one before it.
    """
    found: dict[str, dict[str, dict[str, list[list[int]]]]] = {}
    for lengths in findings.once(all_run_lengths):
        D = int(lengths["dimension"].iloc[0])
        x = D * _points(findings, D) * (1 + ROUNDING)
        places = lengths.assign(place=np.searchsorted(x, lengths["reached"]))  # of NaN behind the last one
        for (f, name), of in places.sort_values(["trial", "k"]).groupby(["function", "algorithm"]):
            of_trials = np.sort(of["place"].to_numpy().reshape(of["trial"].nunique(), -1))
            steps = [np.diff(row[row < len(x)], prepend=0).tolist() for row in of_trials]
            found.setdefault(str(D), {}).setdefault(str(f), {})[str(name)] = steps
    return dict(found)


def ecdf(proportions: pd.DataFrame, *, dimension: int, algorithms: Names = None, partial: bool = False) -> Figure:
    """Draw the empirical distribution functions of one dimension in six panels: bbob's groups of functions and all.

    Columns of ``proportions`` are algorithm ("best 2009" is the reference), dimension, group (a name in
    ``sacma.coco.suites.BBOB.groups``), functions (which, as a text, or how many), evaluations_per_dimension and
    proportion, of targets reached by then. Rows with NaN are left out.
    """
    these = rows(proportions, COLUMNS, unique=("algorithm", "group", "evaluations_per_dimension"), dimension=dimension)
    unknown = set(these["group"]) - set(BBOB.groups)
    if unknown:
        raise ValueError(f"there is no group {min(map(str, unknown))!r}; groups are {', '.join(BBOB.groups)}")
    these = these[these["evaluations_per_dimension"] > 0].dropna(subset=["proportion"])
    if these.empty:
        raise ValueError(f"nothing to draw: no proportion in {dimension}-D is known")
    if not these["proportion"].between(0, 1).all():
        raise ValueError("a proportion is not within 0 … 1")
    low, high = (float(end) for end in these["evaluations_per_dimension"].agg(["min", "max"]))
    limits = (low, high) if low < high else (low / 2, high * 2)
    curves = dict(list(these.sort_values("evaluations_per_dimension").groupby(["group", "algorithm"], observed=True)))
    with styled():
        look_of = looks_of(proportions, these, algorithms)
        keys = [line_key(name, look) for name, look in look_of.items()]
        keys += [(BEST_2009, Line2D([], [], **REFERENCE_LINE))] if BEST_2009 in set(these["algorithm"]) else []
        body = 3 * (ABOVE + HEIGHT) + 24
        layout = new_layout(PAGE, body, title=f"{dimension}-D", keys=keys, partial=partial)
        for n, group in enumerate(BBOB.groups):
            row, column = divmod(n, 2)
            functions = these.loc[these["group"] == group, "functions"]
            which = next((f"{n} functions" if isinstance(n, Integral) else n for n in functions), "")
            title = f"{group} ({which})" if which else group
            place = (LEFT + column * (WIDTH + BETWEEN), ABOVE - 10 + row * (ABOVE + HEIGHT))
            axes = layout.panel(*place, WIDTH, HEIGHT, title)
            if functions.empty:
                without_data(axes)
                continue
            if (group, BEST_2009) in curves:
                axes.plot(*_corners(curves[group, BEST_2009]), label=BEST_2009, **REFERENCE_LINE)
            for position, (name, look) in enumerate(look_of.items()):
                if (group, name) in curves:
                    x, y = _corners(curves[group, name])
                    u = WIDTH * np.log(x / limits[0]) / np.log(limits[1] / limits[0])
                    places = mark_places(WIDTH, position, len(look_of), MARKS)
                    paper: Properties = {"on_paper": (u, HEIGHT * y), "marks_at": places, "most": MOST_CORNERS}
                    draw_curve(axes, x, y, look=look, label=name, **paper)
            _axes(axes, limits)
        layout.write(8, (body - 24) / 2, "proportion of targets", rotation=90, va="center", ha="center")
        layout.write(LEFT + WIDTH + BETWEEN / 2, body - 8, "true evaluations / D", ha="center", va="center")
        return layout.figure


def _corners(curve: pd.DataFrame) -> tuple[Floats, Floats]:
    x, y = (curve[column].to_numpy(np.float64) for column in ("evaluations_per_dimension", "proportion"))
    return stairs(x, y)


def _axes(axes: Axes, limits: tuple[float, float]) -> None:
    axes.set_xscale("log")
    axes.set(xlim=limits, ylim=(0, 1))
    decades = [10.0**e for e in range(-12, 13) if limits[0] <= 10.0**e <= limits[1]]
    ticks = decades if len(decades) > 1 else [limits[0], limits[1]]
    axes.set_xticks(ticks, [number(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(limits)  # which ticks have widened
    axes.set_yticks(np.linspace(0, 1, 6))
    guide(axes)


SECTION = Section(
    key="ecdf",
    title="Run lengths",
    frames={
        "ecdf": of_one(lambda findings: by_group(findings.once(_distributions))),
        "ecdf_functions": of_one(lambda findings: by_function(findings.once(_distributions))),
    },
    figures=_figures,
    chart=_chart,
    piece=PIECE,
    shown=lambda findings: not findings["ecdf"].empty,
    applies=lambda comparison: comparison.suite.of_2009,
)
