"""Critical-difference diagrams show ranks and groups where they are."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from sacma.analysis.comparison import Covered
from sacma.analysis.figures.curve import Floats
from sacma.analysis.section import Report
from sacma.analysis.sections import find, pairwise
from sacma.analysis.sections.critical_differences import SECTION, Ranking, critical_differences, groups_alike
from sacma.config.plan import TrialSpec
from sacma.store.store import Store
from tests.analysis.figures.drawn import lines, points, texts
from tests.analysis.figures.tables import SIX, TWELVE, ranking
from tests.analysis.made import Improvements, compared, made


def alike(names: Iterable[str]) -> pd.DataFrame:
    """Return p-values by which no algorithms differ."""
    return pd.DataFrame(1.0, list(names), list(names))


def ranks_at(axes: Axes, x: Floats, k: int) -> Floats:
    """Turn places along the line of ranks into ranks."""
    (axis,) = lines(axes, "axis")
    first, last = points(axis)[0]
    return np.asarray(1 + (x - first) / (last - first) * (k - 1))


@pytest.mark.parametrize("algorithms", [SIX, TWELVE], ids=["six", "twelve"])
def test_stems(algorithms: list[str]) -> None:
    """A stem goes down from each mean rank, the better half to the left; none crosses another's name."""
    given = ranking(algorithms)
    (axes,) = critical_differences([given]).axes
    stems = [points(stem) for stem in lines(axes, "stem")]
    expected = given.mean_ranks.sort_values().to_numpy()
    assert ranks_at(axes, np.array([x[0] for x, _ in stems]), len(algorithms)) == pytest.approx(expected)
    half = (len(algorithms) + 1) // 2
    assert all(x[-1] < x[0] for x, _ in stems[:half])
    assert all(x[-1] > x[0] for x, _ in stems[half:])
    for side in (stems[:half], stems[half:][::-1]):
        depths = [float(y[-1]) for _, y in side]
        assert depths == sorted(depths)
        assert len(set(depths)) == len(depths)


def test_bars() -> None:
    """A bar a group, over the ranks of its algorithms, each on a level of its own."""
    given = ranking(SIX, spread=2)
    (axes,) = critical_differences([given]).axes
    bars = [points(bar) for bar in lines(axes, "bar")]
    groups = groups_alike(given)
    assert len(bars) == len(groups) > 1
    for (x, _), group in zip(bars, groups, strict=True):
        ends = ranks_at(axes, x + np.array([2, -2]), 6)
        assert ends == pytest.approx([given.mean_ranks[group[0]], given.mean_ranks[group[-1]]])
    assert len({float(y[0]) for _, y in bars}) == len(bars)


def test_critical_difference() -> None:
    """The scale is as long as the difference; one that is too long to draw is said without."""
    given = ranking(SIX)
    (axes,) = critical_differences([given]).axes
    (bar,) = lines(axes, "CD")
    ends = ranks_at(axes, points(bar)[0], 6)
    assert ends[1] - ends[0] == pytest.approx(given.critical_difference)
    figure = critical_differences([Ranking(pd.Series({"A": 1.2, "B": 1.8}), alike("AB"), critical_difference=8.0)])
    assert not lines(figure.axes[0], "CD")
    assert "CD = 8" in [str(text) for text in texts(figure)]
    without = critical_differences([Ranking(given.mean_ranks, given.p_values)])
    assert not any("CD" in str(text) for text in texts(without))


def test_equal_ranks() -> None:
    """All algorithms alike: one bar, and every name."""
    ranks = pd.Series(6.5, index=[f"algorithm {n}" for n in range(12)])
    figure = critical_differences([Ranking(ranks, alike(ranks.index))])
    assert len(lines(figure.axes[0], "bar")) == 1
    assert {str(text) for text in texts(figure)} >= set(ranks.index)


def test_panels() -> None:
    """A diagram a ranking, row by row, with its title."""
    some = [ranking(SIX, title=f"{D}-D, {budget}", seed=D) for D in (2, 3, 5) for budget in ("#FE_t/3", "#FE_t")]
    figure = critical_differences(some[:5])
    assert len(figure.axes) == 5
    for axes, given in zip(figure.axes, some, strict=False):
        assert given.title.replace("#FE_t", "#FEₜ") in [text.get_text() for text in axes.texts]
    left, right = (axes.get_position() for axes in figure.axes[:2])
    assert left.y1 == right.y1
    assert left.x1 < right.x0


def test_nothing_to_draw() -> None:
    """No ranking, an algorithm that the study has not, or one alone."""
    with pytest.raises(ValueError, match="no rankings"):
        critical_differences([])
    with pytest.raises(ValueError, match="'ADA-RD' is not one of the study"):
        critical_differences([ranking(SIX)], algorithms=SIX[:5])
    with pytest.raises(ValueError, match="two or more"):
        critical_differences([Ranking(pd.Series({"A": 1.0}), alike("A"))])


def test_more_algorithms_in_some_dimensions() -> None:
    """Ten in 2-D and three of them in 3-D: there Bergmann's and Hommel's correction decides, in 2-D Shaffer's."""

    def study(number: int) -> Covered:
        def found(spec: TrialSpec) -> Improvements:
            return [(1, 100.0), (20, 10.0 ** (number + 0.1 * (spec.function % 3)))]

        dimensions = "2,3" if number < 3 else "2"
        protocol = {"functions": "1-8", "dimensions": dimensions, "instances": "1-3", "budget": 50.0}
        return made("ada_kendall", found, protocol, name=f"A{number}")

    report = Report(Store.__new__(Store), find(compared(*map(study, range(10)))))
    drawings = list(SECTION.figures(report))
    assert [drawing.name for drawing in drawings] == ["critical_differences_target", "critical_differences_budgets"]
    assert {"2-D, 50·D, 8 functions", "3-D, 50·D, 8 functions"} <= {
        str(each) for drawing in drawings for each in texts(drawing.make())
    }
    for table in pairwise.SECTION.tables(report):
        assert "of Bergmann and Hommel for up to 9 algorithms and of Shaffer for more" in table.caption
