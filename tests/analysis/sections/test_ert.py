"""Running times of two algorithms, one of which takes twice as long."""

import math
from functools import partial

from sacma.analysis.section import Report
from sacma.analysis.sections import ert, find
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, compared, made

PROTOCOL = {"functions": "1,8", "dimensions": "2,3", "instances": "1-3", "budget": 100}


def reached(factor: int, spec: TrialSpec) -> Improvements:
    """Come down by decades, a decade every ``factor`` evaluations, on f8 to 1 only."""
    last = 1 if spec.function == 8 else -9
    return [(factor * (n + 1), 10.0**e) for n, e in enumerate(range(3, last - 1, -1))]


def test_the_section() -> None:
    """Chart data and frames of two algorithms, one of which takes twice as long everywhere."""
    one, two = (made("cmaes", partial(reached, n), PROTOCOL, name=name) for n, name in ((1, "Fast"), (2, "Slow")))
    findings = find(compared(one, two))
    times = findings["ert"].set_index(["algorithm", "dimension", "function", "target"]).to_dict("index")
    assert times["Slow", 2, 1, 1.0]["ert"] == 8  # 1e3, 1e2, 10, 1: every other evaluation
    assert [times["Fast", 2, 8, 1.0][column] for column in ("successes", "ert")] == [0, math.inf]
    share = findings["virtual_best_share"].set_index(["algorithm", "dimension"]).to_dict("index")
    assert [times["Slow", 2, 1, 1.0][column] for column in ("successes", "trials")] == [3, 3]
    assert [share["Slow", 3][column] for column in ("best", "median_ratio")] == [0, 2]
    assert [share["Fast", 3][column] for column in ("share", "median_ratio")] == [1, 1]
    report = Report(findings)
    lines, pairs = ert.SECTION.charts(report)
    assert {name for chart in (lines, pairs) for name, _ in chart.files()} == {"ert_02D", "ert_03D", "ert_pairs"}
    assert set(lines.data["algorithm"]) == {"Fast", "Slow", "virtual best"}
    assert (lines.data["ert_per_dimension"] < math.inf).all()
    assert pairs.data.groupby("dimension").size().to_list() == [11 + 2, 11 + 2]  # of Slow; f8 to two targets
    assert (pairs.data["own"] == 2 * pairs.data["other"]).all()


def test_one_algorithm_has_no_rivals() -> None:
    """Its running times are there, and no virtual best."""
    findings = find(compared(made("cmaes", partial(reached, 1), PROTOCOL)))
    assert len(findings["ert"]) == 2 * 2 * 11
    assert findings["virtual_best"].empty
    assert findings["virtual_best_share"].empty
    report = Report(findings)
    assert [chart.name for chart in ert.SECTION.charts(report)] == ["ert"]


def test_targets_that_nobody_reached_have_no_figures() -> None:
    """Where no trial comes to the largest target, there are rows that say so, and nothing is drawn."""
    findings = find(
        compared(made("cmaes", lambda _: [(1, 1e4)], PROTOCOL), made("gp5", lambda _: [(1, 1e4)], PROTOCOL))
    )
    assert not findings["ert"]["successes"].any()
    assert findings["virtual_best"].empty
    report = Report(findings)
    assert not any(len(chart.data) for chart in ert.SECTION.charts(report))
