"""Mean ranks as a chart, and the corrections that its captions name."""

from sacma.analysis.charts import Rows
from sacma.analysis.comparison import Covered
from sacma.analysis.section import Report
from sacma.analysis.sections import find
from sacma.analysis.sections.ranks import SECTION
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, compared, made


def test_more_algorithms_in_some_dimensions() -> None:
    """Ten in 2-D and three of them in 3-D: there Bergmann's and Hommel's correction decides, in 2-D Shaffer's."""

    def study(number: int) -> Covered:
        def found(spec: TrialSpec) -> Improvements:
            return [(1, 100.0), (20, 10.0 ** (number + 0.1 * (spec.function % 3)))]

        dimensions = "2,3" if number < 3 else "2"
        protocol = {"functions": "1-8", "dimensions": dimensions, "instances": "1-3", "budget": 50.0}
        return made("ada_kendall", found, protocol, name=f"A{number}")

    report = Report(find(compared(*map(study, range(10)))))
    (chart,) = SECTION.charts(report)
    assert [name for name, _ in chart.files()] == ["ranks_02D", "ranks_03D"]
    assert isinstance(chart, Rows)
    panels = {tuple(place): rows for place, rows in chart.panels()}
    assert panels[2, "50·D"]["algorithm"].to_list() == [f"A{n}" for n in range(10)]
    assert chart.joined(panels[2, "50·D"])[0][0] == 0
    assert chart.joined(panels[3, "50·D"]) == []
    for table in list(SECTION.tables(report))[2:]:
        assert "of Bergmann and Hommel for up to 9 algorithms and of Shaffer for more" in table.caption
