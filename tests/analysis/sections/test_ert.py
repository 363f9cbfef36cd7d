"""Figures of running times show their tables, and the section tells what there is."""

import math
from functools import partial

import numpy as np
import pytest

from sacma.analysis.section import Report
from sacma.analysis.sections import ert, find
from sacma.analysis.sections.ert import expected_running_times, pair_panels
from sacma.analysis.table_format import rendered
from sacma.config.plan import TrialSpec
from sacma.store.store import Store
from tests.analysis.figures.drawn import line, lines, panel, points
from tests.analysis.figures.tables import SIX, running_times, running_times_alone
from tests.analysis.made import Improvements, compared, made

PROTOCOL = {"functions": "1,8", "dimensions": "2,3", "instances": "1-3", "budget": 100}


def reached(factor: int, spec: TrialSpec) -> Improvements:
    """Come down by decades, a decade every ``factor`` evaluations, on f8 to 1 only."""
    last = 1 if spec.function == 8 else -9
    return [(factor * (n + 1), 10.0**e) for n, e in enumerate(range(3, last - 1, -1))]


def test_curves_are_those_of_the_table() -> None:
    """Each line has the finite values of its algorithm, none beyond, and the virtual best is behind."""
    table = running_times(SIX)
    figure = expected_running_times(table, dimension=20)
    axes = panel(figure, "f8 Rosenbrock")
    for name in [*SIX, "virtual best"]:
        of = table.query("dimension == 20 and function == 8 and algorithm == @name")
        of = of[np.isfinite(of["ert_per_dimension"])]
        decades, ert = -np.log10(of["target"].to_numpy()).round(9), np.log10(of["ert_per_dimension"].to_numpy())
        expected = dict(zip(decades.tolist(), ert.tolist(), strict=True))
        x, y = points(line(axes, name))
        assert y.tolist() == pytest.approx([expected[at] for at in x.round(9).tolist()])
        assert round(max(x), 9) == max(expected)
    assert line(axes, "virtual best").get_zorder() < min(line(axes, name).get_zorder() for name in SIX)


def test_curves_over_dimensions() -> None:
    """Along x are dimensions, at one target."""
    table = running_times(SIX)
    figure = expected_running_times(table, over="dimension", target=10.0)
    of = table.query("target == 10 and function == 1 and algorithm == 'GP-5'")
    assert points(line(panel(figure, "f1 Sphere"), "GP-5"))[1] == pytest.approx(np.log10(of["ert_per_dimension"]))
    assert [text.get_text() for text in figure.axes[-1].get_xticklabels()] == ["2", "20"]


def test_pairs() -> None:
    """A point for each function and target that one of both reached, at the border where the other did not."""
    table = running_times_alone(SIX)
    figure = pair_panels(table, baseline="baseline")
    assert [axes.get_title("left") for axes in figure.axes] == SIX
    wide = table.pivot(index=["dimension", "function", "target"], columns="algorithm", values="ert_per_dimension")
    one = wide.loc[20][["baseline", "GP-5"]]
    there = one[np.isfinite(one.to_numpy(float)).any(axis=1)]
    (drawn,) = lines(panel(figure, "GP-5"), "20-D")
    x, y = points(drawn)
    assert len(x) == len(there)
    border = panel(figure, "GP-5").get_xlim()[1]
    assert x.tolist() == pytest.approx(np.log10(there["baseline"]).clip(upper=border).tolist())
    assert y.tolist() == pytest.approx(np.log10(there["GP-5"]).clip(upper=border).tolist())


def test_nothing_to_draw_is_said() -> None:
    """A target that nobody reached makes no figure."""
    table = running_times(SIX).assign(ert_per_dimension=math.inf)
    with pytest.raises(ValueError, match="nothing to draw: no target was reached"):
        expected_running_times(table, dimension=20)
    with pytest.raises(ValueError, match="nothing to draw: no running times beside those of CMA-ES are known"):
        pair_panels(table[table["algorithm"] != "virtual best"], baseline="CMA-ES")


def test_the_section() -> None:
    """Tables, chart data and frames of two algorithms, one of which takes twice as long everywhere."""
    one, two = (made("cmaes", partial(reached, n), PROTOCOL, name=name) for n, name in ((1, "Fast"), (2, "Slow")))
    findings = find(compared(one, two))
    times = findings["ert"].set_index(["algorithm", "dimension", "function", "target"]).to_dict("index")
    assert times["Slow", 2, 1, 1.0]["ert"] == 8  # 1e3, 1e2, 10, 1: every other evaluation
    assert [times["Fast", 2, 8, 1.0][column] for column in ("successes", "ert")] == [0, math.inf]
    share = findings["virtual_best_share"].set_index(["algorithm", "dimension"]).to_dict("index")
    assert [share["Slow", 3][column] for column in ("best", "median_ratio")] == [0, 2]
    assert [share["Fast", 3][column] for column in ("share", "median_ratio")] == [1, 1]
    report = Report(Store.__new__(Store), findings)
    shares, of_2, of_3 = ert.SECTION.tables(report)
    assert (shares.name, of_2.name, of_3.name) == ("virtual_best_shares", "ert_02D", "ert_03D")
    assert "| Fast | 100.0 | 100.0 | 1.00 |" in rendered(shares, "md")
    assert "Fast,0.5 (3/3),1 (3/3)" not in rendered(of_2, "csv")
    assert "Fast,1 (3/3),1.5 (3/3),2 (3/3)" in rendered(of_2, "csv")
    assert "Slow,2 (3/3),3 (3/3),∞ (0/3)" in rendered(of_2, "csv")
    assert ert.SECTION.chart is not None
    data = ert.SECTION.chart(findings)
    assert data["targets"][:3] == [100.0, 10.0, 1.0]  # type: ignore[index]
    assert data["dimensions"]["2"]["8"]["Slow"][1][:3] == [3, 3, 0]  # type: ignore[index]
    assert {drawing.name for drawing in ert.SECTION.figures(report)} == {
        *("ert_02D", "ert_03D", "ert_over_dimension_1e+01", "ert_over_dimension_1e-01", "ert_over_dimension_1e-03"),
        *("ert_over_dimension_1e-08", "ert_pairs"),
    }


def test_one_algorithm_has_no_rivals() -> None:
    """Its running times are there, and no virtual best."""
    findings = find(compared(made("cmaes", partial(reached, 1), PROTOCOL)))
    assert len(findings["ert"]) == 2 * 2 * 11
    assert findings["virtual_best"].empty
    assert findings["virtual_best_share"].empty
    report = Report(Store.__new__(Store), findings)
    assert [table.name for table in ert.SECTION.tables(report)] == ["ert_02D", "ert_03D"]
    assert not [drawing for drawing in ert.SECTION.figures(report) if drawing.name == "ert_pairs"]


def test_targets_that_nobody_reached_have_no_figures() -> None:
    """Where no trial comes to the largest target, there are rows that say so, and nothing is drawn."""
    findings = find(
        compared(made("cmaes", lambda _: [(1, 1e4)], PROTOCOL), made("gp5", lambda _: [(1, 1e4)], PROTOCOL))
    )
    assert not findings["ert"]["successes"].any()
    assert findings["virtual_best"].empty
    report = Report(Store.__new__(Store), findings)
    assert [drawing.name for drawing in ert.SECTION.figures(report)] == []
    assert len(list(ert.SECTION.tables(report))) == 2
