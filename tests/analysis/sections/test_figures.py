"""Common to all figures: nothing covered, names as they are, errors for people."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import PARTIAL
from sacma.analysis.figures.style import plain
from sacma.analysis.sections.by_function import heatmap
from sacma.analysis.sections.control import control_frequency, evolution, transfer_functions
from sacma.analysis.sections.convergence import convergence
from sacma.analysis.sections.cpu import cpu_time
from sacma.analysis.sections.critical_differences import critical_differences
from sacma.analysis.sections.ecdf import ecdf
from sacma.analysis.sections.ert import expected_running_times, pair_panels
from sacma.analysis.sections.final_values import final_values
from sacma.analysis.sections.ranks import mean_rank_panels
from tests.analysis.figures import tables
from tests.analysis.figures.drawn import faults, texts
from tests.analysis.figures.tables import SIX, TWELVE

Table = Callable[[Sequence[str]], pd.DataFrame]

FIGURES: dict[str, tuple[Callable[..., Figure], Table, dict[str, Any]]] = {
    "convergence": (convergence, tables.curves_on_five, {"dimension": 20}),
    "ecdf": (ecdf, tables.proportions, {"dimension": 20}),
    "running times": (expected_running_times, tables.running_times, {"dimension": 20}),
    "running times over dimensions": (
        expected_running_times,
        tables.running_times,
        {"over": "dimension", "target": 1.0},
    ),
    "running times in pairs": (pair_panels, tables.running_times_alone, {"baseline": "baseline"}),
    "final values": (final_values, tables.final_values, {"dimension": 20}),
    "control": (control_frequency, tables.control_trials, {"function": 8, "dimension": 20}),
    "evolution": (evolution, tables.generations, {"title": "f8 Rosenbrock, 20-D, instance 1"}),
    "ranks of functions": (heatmap, tables.cells, {"column": "rank", "dimension": 20, "budget": "#FE_t/3"}),
    "decades": (heatmap, tables.cells, {"column": "decades", "dimension": 20, "baseline": "CMA-ES", "budget": "250·D"}),
    "cpu": (cpu_time, tables.cpu_parts, {}),
    "mean ranks": (mean_rank_panels, tables.mean_ranks, {}),
    "mean ranks over dimensions": (mean_rank_panels, tables.mean_ranks, {"over": "dimension"}),
}


def make(name: str, algorithms: Sequence[str], **more: Any) -> Figure:
    function, table, keywords = FIGURES[name]
    return function(table(algorithms), **(keywords | more))


@pytest.mark.parametrize("algorithms", [TWELVE, ["ADA-Kendall"]], ids=["twelve", "one"])
@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_covered(name: str, algorithms: list[str]) -> None:
    """Texts overlap neither one another nor panels, the key is below all panels, and no font is below 7 pt."""
    assert list(faults(make(name, algorithms, partial=True))) == []


@pytest.mark.parametrize("spread", [0.0, 3.0])
@pytest.mark.parametrize("algorithms", [SIX, TWELVE, ["A", "B"]], ids=["six", "twelve", "two"])
def test_nothing_is_covered_in_diagrams(algorithms: list[str], spread: float) -> None:
    """The same for critical-difference diagrams, wide and narrow, whether ranks are nearly equal or far apart."""
    some = [tables.ranking(algorithms, spread, f"{n}-D, #FE_t", seed=n) for n in range(4)]
    assert list(faults(critical_differences(some[:1]))) == []
    assert list(faults(critical_differences(some, partial=True))) == []


def test_nothing_is_covered_on_all_functions() -> None:
    """The same for 24 panels, whose sheet fits A4 with a caption below."""
    figure = convergence(tables.convergence_curves(TWELVE), dimension=20)
    assert list(faults(figure)) == []
    width, height = figure.get_size_inches()
    assert width <= 17 / 2.54
    assert height <= 25 / 2.54
    assert len(figure.axes) == 24


def test_nothing_is_covered_in_transfer_functions() -> None:
    """The same for the figure that needs no data."""
    assert list(faults(transfer_functions())) == []


@pytest.mark.parametrize("name", FIGURES)
def test_names_are_literal(name: str) -> None:
    """Each name is there as it is, or its two ends around …, and none is left out."""
    figure = make(name, TWELVE)
    keys = [text for legend in figure.legends for text in legend.get_texts()]
    ticks = [tick for axes in figure.axes[:1] for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_ticklabels()]
    shown = [text.get_text() for text in (*keys, *ticks)] + [axes.get_title("left") for axes in figure.axes]
    for algorithm in TWELVE:
        found = [text for text in shown if fits(plain(algorithm), text)]
        assert len(found) == 1, algorithm


def fits(name: str, text: str) -> bool:
    head, ellipsis, tail = text.partition("…")
    return text == name or bool(ellipsis and head and name.startswith(head) and name.endswith(tail))


def test_names_are_no_formulas() -> None:
    """Dollars do not switch to mathematics in any text."""
    for text in texts(make("control", TWELVE)):
        assert not text.text.get_parse_math()
        assert not text.text.get_usetex()


@pytest.mark.parametrize("name", FIGURES)
def test_partial(name: str) -> None:
    """A figure says that trials are missing if and only if it is told so."""
    for partial in (False, True):
        figure = make(name, SIX[:2], partial=partial)
        assert (PARTIAL in [text.get_text() for text in figure.texts]) == partial


@pytest.mark.parametrize("name", [name for name in FIGURES if FIGURES[name][0] is not evolution])
def test_two_dimensions_only(name: str) -> None:
    """A study in 2-D alone is drawn."""
    function, table, keywords = FIGURES[name]
    of = table(SIX)
    here = keywords | ({"dimension": 2} if "dimension" in keywords else {})
    function(of[of["dimension"] == 2], **here)


@pytest.mark.parametrize("name", ["convergence", "ranks of functions", "decades"])
def test_one_function_only(name: str) -> None:
    """A study of one function alone is drawn."""
    function, table, keywords = FIGURES[name]
    of = table(SIX)
    assert list(faults(function(of[of["function"] == 8], **keywords))) == []


@pytest.mark.parametrize("name", FIGURES)
def test_what_cannot_be_drawn(name: str) -> None:
    """No rows, a missing column, an unknown algorithm or dimension, nothing but NaN: one line says it."""
    function, table, keywords = FIGURES[name]
    of = table(SIX)
    values = {"convergence": ["median", "lower_quartile", "upper_quartile"], "ecdf": ["proportion"]}
    column = values.get(name, [of.columns[-1]])
    attempts: list[tuple[pd.DataFrame, dict[str, Any]]] = [
        (of.iloc[:0], keywords),
        (of.drop(columns="algorithm"), keywords),
        (of.drop(columns=of.columns[-1] if "rank" not in name else of.columns[3]), keywords),
        (of, keywords | {"algorithms": ["CMA-ES", "GP-1"]}),
        (of, keywords | {"algorithms": [*SIX, "GP-1"]}),
    ]
    if "dimension" in keywords:
        attempts.append((of, keywords | {"dimension": 40}))
    if name in {"convergence", "ecdf", "decades"}:
        attempts.append((of.assign(**dict.fromkeys(column, float("nan"))), keywords))
    for data, arguments in attempts:
        with pytest.raises(ValueError, match=r"\w") as refused:
            function(data, **arguments)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["convergence", "ecdf", "ranks of functions", "mean ranks"])
def test_rows_twice(name: str) -> None:
    """Two rows for the same place are refused, and the place is named."""
    function, table, keywords = FIGURES[name]
    of = table(SIX)
    with pytest.raises(ValueError, match=r"more than one row for .*algorithm CMA-ES"):
        function(pd.concat([of, of[of["algorithm"] == "CMA-ES"]]), **keywords)


@pytest.mark.parametrize("name", ["convergence", "ecdf", "control", "mean ranks"])
def test_looks_follow_the_study(name: str) -> None:
    """An algorithm looks the same in a figure of some algorithms as in one of all, and as in every other figure."""
    function, table, keywords = FIGURES[name]
    some = table(SIX[3:])
    figure = function(some, **keywords, algorithms=SIX)
    found = [drawn for axes in figure.axes for drawn in axes.get_lines() if drawn.get_label() == "ADA-Kendall"]
    assert found
    assert {(str(drawn.get_color()), str(drawn.get_marker())) for drawn in found} == {("#CC79A7", "v")}


@pytest.mark.parametrize("name", FIGURES)
def test_categories(name: str) -> None:
    """Algorithms as categories, of which some have no rows, are drawn as texts are."""
    function, table, keywords = FIGURES[name]
    of = table(SIX[:2])
    of["algorithm"] = pd.Categorical(of["algorithm"], [*SIX[::-1], "best 2009", "virtual best", "baseline"])
    figure = function(of, **keywords)
    assert not any("ADA" in text.get_text() for legend in figure.legends for text in legend.get_texts())


def test_settings_of_others_stay() -> None:
    """Neither making nor drawing a figure changes matplotlib's settings, and pyplot is not imported."""
    before = dict(mpl.rcParams)
    texts(make("control", SIX[:2]))
    assert dict(mpl.rcParams) == before
    code = "import sys, sacma.analysis.postprocess; assert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
