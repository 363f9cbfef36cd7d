"""Drawings of charts: nothing covered, names and values as they are."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from sacma.analysis.charts import Axis, Cells, Lines
from sacma.analysis.comparison import MANY
from sacma.analysis.figures.draw import COLUMN, PARTIAL, draw
from sacma.analysis.figures.style import looks, plain
from sacma.analysis.sections.publication import transfer_functions
from tests.analysis.figures.charts import KINDS, SIX, TWELVE, lines, of_one_file
from tests.analysis.figures.drawn import faults, line, panel, points, texts
from tests.analysis.figures.drawn import lines as lines_of


def make(kind: str, algorithms: list[str], *, incomplete: bool = False) -> Figure:
    return draw(of_one_file(KINDS[kind](algorithms)), algorithms, incomplete=incomplete)


@pytest.mark.parametrize("algorithms", [TWELVE, ["ADA-Kendall"]], ids=["twelve", "one"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_covered(kind: str, algorithms: list[str]) -> None:
    """Texts overlap neither one another nor panels, the key is below all panels, and no font is below 7 pt."""
    assert list(faults(make(kind, algorithms, incomplete=True))) == []


def test_nothing_is_covered_on_all_functions() -> None:
    """The same for 24 panels, and in a figure as narrow as a column."""
    assert list(faults(draw(lines(TWELVE, range(1, 25)), TWELVE))) == []
    narrow = draw(lines(SIX), SIX, width=COLUMN)
    assert list(faults(narrow)) == []
    assert narrow.get_figwidth() == pytest.approx(COLUMN / 72)
    assert list(faults(draw(transfer_functions(), ()))) == []


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_literal(kind: str) -> None:
    """Each name is there as it is, or its two ends around …, and no dollar makes a formula."""
    shown = texts(make(kind, TWELVE))
    for algorithm in TWELVE:
        assert any(fits(plain(algorithm), str(text)) for text in shown), algorithm
    assert not any(text.text.get_parse_math() or text.text.get_usetex() for text in shown)


def fits(name: str, text: str) -> bool:
    head, ellipsis, tail = text.partition("…")
    return text == name or bool(ellipsis and head and name.startswith(head) and name.endswith(tail))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_trials(kind: str) -> None:
    """A figure says that trials are missing if and only if it is told so."""
    for incomplete in (False, True):
        shown = [text.get_text() for text in make(kind, SIX[:2], incomplete=incomplete).texts]
        assert (PARTIAL in shown) == incomplete


@pytest.mark.parametrize("kind", ["lines", "steps", "falling"])
def test_lines_are_the_data(kind: str) -> None:
    """Every point of every series; where y is infinite there is none; steps keep their value."""
    chart = of_one_file(KINDS[kind](SIX))
    figure = draw(chart, SIX)
    for (_, place), rows in chart.panels():
        heading = f"f{place}" if isinstance(place, int) else place
        (axes,) = [axes for axes in figure.axes if axes.get_title("left").split()[0] == heading]
        for name, of in rows.groupby("algorithm"):
            drawn = line(axes, str(name))
            expected = of.replace(np.inf, np.nan).sort_values(chart.x.column)
            x, y = points(drawn)
            assert x.tolist() == expected[chart.x.column].to_list()
            assert y == pytest.approx(expected[chart.y.column].to_numpy(), nan_ok=True)  # type: ignore[attr-defined]
            assert (drawn.get_drawstyle() == "steps-post") == (kind == "steps")
        assert (axes.get_xlim()[0] > axes.get_xlim()[1]) == chart.x.falls


def test_data_end_with_a_cross() -> None:
    """A line ends where its data do, at a cross, and a reference where the longest do; names are at the ends."""
    x = [1.0, 2.0, 5.0, 9.0]
    ends = {"GP-1": 4.0, "CMA-ES": 9.0, "best 2009": np.nan}
    shares = {"GP-1": [0.1, 0.2, 0.5, 0.9], "CMA-ES": [0.0, 0.1, 0.3, 0.4], "best 2009": [0.2, 0.3, 0.8, 1.0]}
    rows = [(name, "all", *point, end) for name, end in ends.items() for point in zip(x, shares[name], strict=True)]
    data = pd.DataFrame(rows, columns=["algorithm", "group", "x", "y", "end"])
    y = Axis("y", "share", limits=(0.0, 1.0))
    chart = Lines(
        name="l", caption="", data=data, by=("group",), x=Axis("x", "x", log=True), y=y, stepped=True, end="end"
    )
    figure = draw(chart, ["CMA-ES", "GP-1"], baseline="GP-1")
    (axes,) = figure.axes
    drawn = {name: tuple(of.tolist() for of in points(line(axes, name))) for name in ends}
    assert drawn["GP-1"] == ([1, 2, 4], [0.1, 0.2, 0.2])
    assert drawn["CMA-ES"] == (x, shares["CMA-ES"])
    assert drawn["best 2009"] == (x, shares["best 2009"])
    colours = looks(["CMA-ES", "GP-1"])
    crosses = {(each.get_xdata()[0], each.get_ydata()[0]): each.get_color() for each in lines_of(axes, "_cross")}  # type: ignore[index]
    assert crosses == {(4.0, 0.2): colours["GP-1"].colour, (9.0, 0.4): colours["CMA-ES"].colour}
    labels = sorted(axes.texts, key=lambda text: -text.get_position()[1])
    assert [(text.get_text(), text.get_fontweight()) for text in labels] == [
        ("best 2009", "normal"),
        ("CMA-ES", "normal"),
        ("GP-1", "bold"),
    ]
    assert figure.legends == []
    early = replace(chart, data=data[(data["algorithm"] != "GP-1") | (data["x"] < 5)], end="", stepped=False)
    (cross,) = lines_of(draw(early, ["CMA-ES", "GP-1"]).axes[0], "_cross")
    assert points(cross)[0].tolist() == [2.0]


def test_of_many_lines_a_key_has_the_names() -> None:
    """More labels than fit beside a panel, or many panels, have a key; of many algorithms there are no bands."""
    many = [f"algorithm {n}" for n in range(31)]
    assert len(draw(lines(many, [8]), many).legends) == 1
    assert len(draw(lines(SIX, range(1, 8)), SIX).legends) == 1
    assert [len(draw(lines(many[:n], [8]), many).axes[0].collections) for n in (MANY, MANY + 1)] == [MANY, 0]


def test_bands_are_the_data() -> None:
    """A band has the corners of its two columns."""
    chart = lines(SIX, [8])
    (axes,) = draw(chart, SIX).axes
    for name, band in zip(SIX, axes.collections, strict=True):
        of = chart.data[chart.data["algorithm"] == name]
        corners = np.unique(np.concatenate([np.asarray(path.vertices)[:, 1] for path in band.get_paths()]))
        assert corners == pytest.approx(np.unique(of[["low", "high"]].to_numpy()))


def test_rows_are_the_data() -> None:
    """The lowest value is at the top; bars have their ends; a bar beside the rows joins those that are alike."""
    chart = of_one_file(KINDS["rows"](SIX))
    figure = draw(chart, SIX)
    for axes, ((_, scenario), rows) in zip(figure.axes, chart.panels(), strict=True):
        assert axes.get_title("left") == plain(scenario)
        assert [tick.get_text() for tick in axes.get_yticklabels()] == rows["algorithm"].to_list()
        assert rows["rank"].is_monotonic_increasing
        marks = [points(line(axes, name)) for name in rows["algorithm"]]
        assert [(x[0], y[0]) for x, y in marks] == [(rank, n) for n, rank in enumerate(rows["rank"])]
        drawn = [points(one) for one in axes.get_lines() if str(one.get_label()).startswith("_")]
        ends = [tuple(x) for x, _ in drawn[:-1]]
        of = rows[["least", "most", "low", "high"]].to_numpy()
        assert ends == [tuple(pair) for row in of.tolist() for pair in (row[:2], row[2:])]
        assert drawn[-1][1].tolist() == [-0.3, 3.3]  # the first four


def test_bars_are_the_data() -> None:
    """Parts follow one another, none is negative, and their sum stands at the end."""
    chart = KINDS["bars"](SIX)
    figure = draw(chart, SIX)
    for axes, (_, rows) in zip(figure.axes, chart.panels(), strict=True):
        table = rows.pivot(index="algorithm", columns="part", values="ms").reindex(SIX).fillna(0).clip(lower=0)
        ends = np.zeros(len(SIX))
        for bars in (each for each in axes.containers if isinstance(each, BarContainer)):
            assert [patch.get_x() for patch in bars] == pytest.approx(ends)
            assert [patch.get_width() for patch in bars] == pytest.approx(table[str(bars.get_label())])
            ends += table[str(bars.get_label())].to_numpy()
        assert [float(text.get_text()) for text in axes.texts] == pytest.approx(ends, rel=6e-3)


def test_points_are_the_data() -> None:
    """A point a row; infinite ones are at the border, on both axes the same."""
    chart = KINDS["scatter"](SIX)
    axes = panel(draw(chart, SIX), "GP-5")
    border = axes.get_xlim()[1]
    assert axes.get_xlim() == axes.get_ylim()
    of = chart.data[(chart.data["algorithm"] == "GP-5") & (chart.data["dimension"] == 20)]
    x, y = points(line(axes, "20"))
    assert x.tolist() == of["other"].to_list()
    assert y.tolist() == of["own"].clip(upper=border).to_list()
    assert border in y


def test_what_has_no_figure() -> None:
    """A chart without data, and a table of cells, are refused."""
    with pytest.raises(ValueError, match="nothing to draw: lines has no data"):
        draw(replace(lines(SIX), data=lines(SIX).data.iloc[:0]), SIX)
    data = pd.DataFrame({"algorithm": ["A"], "n": 1})
    with pytest.raises(ValueError, match="there is no figure of cells, a chart of the kind cells"):
        draw(Cells(name="cells", caption="", data=data, by=("n",), x=Axis("n", "")), ["A"])
