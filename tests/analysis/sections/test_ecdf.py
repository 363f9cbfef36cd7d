"""Figure 3 shows the proportions of its table."""

import numpy as np
import pytest

from sacma.analysis.sections.ecdf import ecdf
from sacma.coco.suites import BBOB
from tests.analysis.figures.drawn import line, lines, panel, points
from tests.analysis.figures.tables import SIX, proportions


def value_at(x: np.ndarray, corners: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return np.asarray(np.interp(np.log(x), np.log(corners[0]), corners[1]))


def test_curves() -> None:
    """Between its steps every curve is at the proportion of the last one, to within what can be seen."""
    table = proportions(SIX)
    figure = ecdf(table, dimension=20)
    assert [axes.get_title("left").split(" (")[0] for axes in figure.axes] == list(BBOB.groups)
    axes = panel(figure, "ill-conditioned (f10–f14)")
    for algorithm in [*SIX, "best 2009"]:
        of = table.query("dimension == 20 and group == 'ill-conditioned' and algorithm == @algorithm")
        x, y = (of[column].to_numpy() for column in ("evaluations_per_dimension", "proportion"))
        drawn_x, drawn_y = points(line(axes, algorithm))
        middle = np.sqrt(x[:-1] * x[1:])
        far = x[1:] / x[:-1] > 1.02  # steps that are wide enough to be looked into
        assert value_at(middle, (drawn_x, drawn_y))[far] == pytest.approx(y[:-1][far], abs=0.35 / 150 + 1e-9)
        assert set(np.round(drawn_y, 12)) <= set(np.round(y, 12))
    assert axes.get_xscale() == "log"


def test_the_reference_is_behind() -> None:
    """Best 2009 is drawn before all others and comes last in the key."""
    figure = ecdf(proportions(SIX), dimension=2)
    for axes in figure.axes:
        assert line(axes, "best 2009").get_zorder() < min(line(axes, name).get_zorder() for name in SIX)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [*SIX, "best 2009"]


def test_groups_without_functions() -> None:
    """Their panels say that there is nothing."""
    table = proportions(SIX)
    figure = ecdf(table[table["group"].isin(["separable", "all"])], dimension=2)
    assert [bool(axes.texts) for axes in figure.axes] == [False, True, True, True, True, False]


def test_numbers_of_functions() -> None:
    """A number of functions is said as one."""
    figure = ecdf(proportions(["GP-1"]).assign(functions=np.int64(2)), dimension=2)
    assert figure.axes[0].get_title("left") == "separable (2 functions)"


def test_without_the_reference() -> None:
    """It may be missing."""
    table = proportions(SIX)
    figure = ecdf(table[table["algorithm"] != "best 2009"], dimension=2)
    assert not lines(figure.axes[0], "best 2009")


@pytest.mark.parametrize(("column", "value", "said"), [("proportion", 1.5, "within 0"), ("group", "odd", "no group")])
def test_what_is_no_proportion(column: str, value: float | str, said: str) -> None:
    """Proportions above 1 and groups that bbob has not are refused."""
    table = proportions(SIX)
    table[column] = value
    with pytest.raises(ValueError, match=said):
        ecdf(table, dimension=2)
