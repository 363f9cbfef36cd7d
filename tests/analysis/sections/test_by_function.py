"""Heat maps show the number of every cell, on a shade of it."""

import numpy as np
import pytest
from matplotlib.collections import Collection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from sacma.analysis.sections.by_function import heatmap
from tests.analysis.figures.drawn import points
from tests.analysis.figures.tables import SIX, cells


def annotations(figure: Figure) -> dict[tuple[int, int], str]:
    """Texts of cells by row and column."""
    (axes,) = figure.axes
    return {(int(text.get_position()[1]), int(text.get_position()[0])): text.get_text() for text in axes.texts}


def rgb(mesh: Collection, value: float) -> tuple[float, float, float]:
    red, green, blue, _ = np.asarray(mesh.to_rgba(np.array([value])))[0].tolist()
    return red, green, blue


def test_ranks() -> None:
    """A rank stands in the row of its function and the column of its algorithm, and shades are its value."""
    table = cells(SIX)
    figure = heatmap(table, "rank", dimension=20, budget="#FE_t")
    (axes,) = figure.axes
    shades = np.asarray(axes.collections[0].get_array())
    assert shades.shape == (24, 6)
    shown = annotations(figure)
    for row in table[table["dimension"] == 20].to_dict("records"):
        place = row["function"] - 1, SIX.index(row["algorithm"])
        assert float(shown[place]) == row["rank"] == shades[place]
    assert [label.get_text() for label in axes.get_xticklabels()] == SIX
    assert axes.get_yticklabels()[7].get_text() == "f8 Rosenbrock"
    assert figure.texts[0].get_text() == "rank by median Δf, 20-D, #FEₜ"


def test_better_is_darker() -> None:
    """In grey too: the lightness of ranks falls from the worst to the best."""
    figure = heatmap(cells(SIX), "rank", dimension=20)
    mesh = figure.axes[0].collections[0]
    grey = [float(np.dot(rgb(mesh, rank), [0.2126, 0.7152, 0.0722])) for rank in np.linspace(1, 6, 11)]
    assert grey == sorted(grey)


def test_decades() -> None:
    """Numbers have their sign, so that gains and losses differ in grey; the middle of the colours is 0."""
    table = cells(SIX)
    figure = heatmap(table, "decades", dimension=20, baseline="CMA-ES")
    shown = annotations(figure)
    for row in table[table["dimension"] == 20].to_dict("records"):
        text = shown[row["function"] - 1, SIX.index(row["algorithm"])]
        assert float(text.replace("−", "-")) == pytest.approx(row["decades"], abs=0.0501)
        assert text[0] in "+−" or text == "0"
    limits = figure.axes[0].collections[0].get_clim()
    assert limits[0] == -limits[1]


@pytest.mark.parametrize("dimension", [2, 20])
def test_numbers_can_be_read(dimension: int) -> None:
    """Every number differs from its shade by a contrast of at least 3 to 1 in grey."""
    for figure in (
        heatmap(cells(SIX), "rank", dimension=dimension),
        heatmap(cells(SIX), "decades", dimension=dimension, baseline="CMA-ES"),
    ):
        (axes,) = figure.axes
        mesh = axes.collections[0]
        shades = np.asarray(mesh.get_array())
        for text in axes.texts:
            x, y = (int(value) for value in text.get_position())
            behind, before = luminance(rgb(mesh, shades[y, x])), luminance(to_rgb(str(text.get_color())))
            assert (max(behind, before) + 0.05) / (min(behind, before) + 0.05) >= 3


def luminance(rgb: tuple[float, float, float]) -> float:
    """As in WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_empty_cells() -> None:
    """A cell of which nothing is known has a dash and no shade."""
    table = cells(SIX)
    table.loc[(table["function"] == 3) & (table["algorithm"] == "GP-5"), "rank"] = np.nan
    table = table[~((table["function"] == 4) & (table["algorithm"] == "GP-1"))]
    figure = heatmap(table, "rank", dimension=20)
    shown = annotations(figure)
    assert [place for place, text in shown.items() if text == "–"] == [(2, 2), (3, 1)]
    assert np.isnan(np.ma.asarray(figure.axes[0].collections[0].get_array()).filled(np.nan)).sum() == 2


def test_groups_are_parted() -> None:
    """Lines part bbob's groups, of the functions that are there."""
    for functions, expected in ((range(1, 25), [5, 9, 14, 19]), ([1, 8, 24], [1, 2])):
        (axes,) = heatmap(cells(SIX, functions=list(functions)), "rank", dimension=20).axes
        assert sorted(points(line)[1][0] for line in axes.get_lines()) == expected
