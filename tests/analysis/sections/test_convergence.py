"""Convergence figures show medians and quartiles of their table."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from sacma.analysis.sections.convergence import convergence
from sacma.coco.suites import BBOB
from tests.analysis.figures.drawn import line, lines, panel, points
from tests.analysis.figures.tables import SIX, convergence_curves

FUNCTIONS = (1, 8, 16)


def band(axes: Axes, position: int) -> np.ndarray:
    return np.asarray(axes.patches[position].get_path().vertices)


def of(table: pd.DataFrame, function: int, algorithm: str) -> pd.DataFrame:
    return table.query("dimension == 20 and function == @function and algorithm == @algorithm")


def test_medians() -> None:
    """Points drawn are points of the table, and lines between them pass the others within what can be seen."""
    table = convergence_curves(SIX, functions=FUNCTIONS)
    figure = convergence(table, dimension=20)
    assert [axes.get_title("left") for axes in figure.axes] == ["f1 Sphere", "f8 Rosenbrock", "f16 Weierstrass"]
    for function, axes in zip(FUNCTIONS, figure.axes, strict=True):
        low, high = axes.get_ylim()
        for algorithm in SIX:
            curve = of(table, function, algorithm)
            x, y = curve["evaluations_per_dimension"].to_numpy(), np.log10(curve["median"].to_numpy())
            drawn_x, drawn_y = points(line(axes, algorithm))
            assert set(zip(drawn_x, drawn_y, strict=True)) <= set(zip(x, y, strict=True))
            steep = np.interp(x + 1, x, y), np.interp(x - 1, x, y)  # 0.35 pt are 1 evaluations/D
            seen = 0.35 * (high - low) / 78 * 1.01
            drawn = np.interp(x, drawn_x, drawn_y)
            assert (drawn >= steep[0] - seen).all()
            assert (drawn <= steep[1] + seen).all()


def test_quartiles() -> None:
    """Corners of bands are quartiles of the table."""
    table = convergence_curves(SIX, functions=FUNCTIONS)
    axes = convergence(table, dimension=20).axes[1]
    for position, algorithm in enumerate(SIX):
        curve = of(table, 8, algorithm)
        quartiles = {
            (x, np.log10(value))
            for column in ("lower_quartile", "upper_quartile")
            for x, value in zip(curve["evaluations_per_dimension"], curve[column], strict=True)
        }
        corners = {(float(x), float(y)) for x, y in band(axes, position)}
        assert corners <= quartiles
        assert len(corners) > 4


def test_what_is_below_the_target() -> None:
    """It counts as the target, as does what is 0."""
    table = convergence_curves(SIX, functions=[1]).assign(median=0.0, lower_quartile=0.0)
    axes = convergence(table, dimension=20, target=1e-6).axes[0]
    assert np.asarray(line(axes, "GP-1").get_ydata()) == pytest.approx(-6)


def test_what_is_not_known() -> None:
    """A line begins where its median is known; an upper quartile that is infinite goes to the edge of the panel."""
    table = convergence_curves(SIX, functions=[1])
    late = (table["algorithm"] == "GP-5") & (table["evaluations_per_dimension"] < 10)
    table.loc[late, ["lower_quartile", "median", "upper_quartile"]] = np.nan
    far = (table["algorithm"] == "GP-1") & (table["evaluations_per_dimension"] < 10)
    table.loc[far, "upper_quartile"] = np.inf
    axes = convergence(table, dimension=20).axes[0]
    assert np.min(line(axes, "GP-5").get_xdata()) >= 10
    assert band(axes, 1)[:, 1].max() == pytest.approx(axes.get_ylim()[1])
    assert np.isfinite(band(axes, 1)).all()


def test_panels_end_where_curves_are() -> None:
    """All that is known after the first 4 % of the evaluations is within the panel; what is before need not be."""
    table = convergence_curves(SIX, functions=[1])
    first = table["evaluations_per_dimension"] < 10
    table.loc[first, "upper_quartile"] *= 1e9
    axes = convergence(table, dimension=20).axes[0]
    low, high = axes.get_ylim()
    later = np.log10(table[~first & (table["dimension"] == 20)][["lower_quartile", "upper_quartile"]].to_numpy())
    assert low < later.min()
    assert later.max() < high < later.max() + 1


def test_missing_algorithms_and_functions() -> None:
    """A function on which an algorithm has no data lacks its line; one without any says so."""
    table = convergence_curves(SIX, functions=FUNCTIONS)
    table = table[~((table["function"] == 8) & (table["algorithm"] == "GP-1"))]
    table.loc[table["function"] == 16, ["lower_quartile", "median", "upper_quartile"]] = np.nan
    figure = convergence(table, dimension=20)
    assert not lines(panel(figure, "f8 Rosenbrock"), "GP-1")
    assert [text.get_text() for text in panel(figure, "f16 Weierstrass").texts] == ["no data"]


def test_constant_curves() -> None:
    """One evaluation, one value: the panel has an extent all the same, and the point a marker."""
    table = convergence_curves(["GP-1"], functions=[1]).iloc[[0]].assign(lower_quartile=1.0, median=1.0)
    table["upper_quartile"] = 1.0
    axes = convergence(table, dimension=2).axes[0]
    low, high = axes.get_ylim()
    assert low < 0 < high
    assert line(axes, "GP-1").get_markevery() == [0]


def test_no_target() -> None:
    """A log axis has no 0."""
    with pytest.raises(ValueError, match="must be positive"):
        convergence(convergence_curves(SIX, functions=[1]), dimension=20, target=0)


def test_names_of_functions() -> None:
    """They are those of cocopp, but for order, spelling and details that are left out."""
    cocopp = find_spec("cocopp")  # not imported, for it warns
    assert cocopp
    assert cocopp.origin
    theirs = Path(cocopp.origin).with_name("bbob-benchmarkshortinfos.txt").read_text()
    assert list(BBOB.names) == list(range(1, 25))
    for line_of_theirs in theirs.splitlines()[:24]:
        function, name = line_of_theirs.split(" ", 1)
        ours = {word.lower() for word in re.split(r"[ -]", BBOB.names[int(function)])}
        their_words = {word.lower() for word in re.split(r"[ ,-]+", name.replace("Bueche", "Büche"))}
        assert ours - {"cond.", "ill"} <= their_words, name


def test_groups_of_functions() -> None:
    """Five groups part the 24 functions; all are all."""
    *groups, everything = BBOB.groups.values()
    assert [function for group in groups for function in group] == list(everything) == list(BBOB.names)
