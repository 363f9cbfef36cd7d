"""Significance on a page: one place decides whether differences are tested, and all that shows one asks it."""

import math
import re

import pytest

from sacma.analysis.charts import Rows
from sacma.analysis.section import Report
from sacma.analysis.sections import all_sections, find
from sacma.analysis.sections.summary import summarise
from sacma.analysis.tables import UNTESTED
from tests.analysis.made import compared, made

OF_TRIALS = {"gains", "paper_correlation", "ert_details"}  # tables whose tests are not over functions


@pytest.mark.parametrize(("functions", "algorithms"), [(1, 2), (5, 4), (5, 10), (6, 2), (6, 4), (6, 10)])
def test_all_or_nothing_is_tested(functions: int, algorithms: int) -> None:
    """Algorithms that differ on each function: asterisks, p-values, diagrams and words from six functions on."""
    protocol = {"functions": f"1-{functions}", "dimensions": "2", "instances": "1", "budget": 40}
    names = ("cmaes", "gp1", "gp5", "ada_kl")
    studies = [
        made(names[n % 4], lambda _, n=n: [(1, 100.0), (20, 10.0**n)], protocol, name=f"A{n}" if algorithms > 4 else "")  # type: ignore[misc]
        for n in range(algorithms)
    ]
    findings = find(compared(*studies))
    report = Report(findings)
    tables = [table for section in all_sections() for table in section.tables(report)]
    (ranks,) = [
        chart
        for section in all_sections()
        for chart in section.charts(report)
        if isinstance(chart, Rows) and chart.name == "ranks"
    ]
    words = summarise(findings).headline
    frames = {name: findings[name] for name in findings if name not in OF_TRIALS}
    signs = {
        "asterisks": any(cell.star for of in tables for block in of.blocks for row in block.rows for cell in row),
        "diagrams": bool(ranks.alike),
        "words": bool(re.search("significant|do(es)? not differ", words)),
        "significant": any(frame["significant"].any() for frame in frames.values() if "significant" in frame),
    } | {
        f"{column} of {name}": bool(frame[column].notna().any())
        for name, frame in frames.items()
        for column in map(str, frame)
        if re.match("p_(?!bergmann)|F_F|critical", column)
    }
    assert len(signs) > 10
    assert set(signs.values()) == {functions >= 6}, signs
    assert (UNTESTED in " ".join(table.caption for table in tables)) == (functions < 6)
    assert ("too few to test the difference" in words) == (functions < 6)
    pairs = {
        (each["scenario"], each["algorithm"], each["other"]): each for each in findings["pairwise"].to_dict("records")
    }
    for (scenario, one, other), row in pairs.items():
        back = pairs[scenario, other, one]
        assert (row["wins"], row["losses"]) == (back["losses"], back["wins"])  # of the algorithm, against the other
        assert row["superiority"] == 1 - back["superiority"]
        assert row["superiority"] == pytest.approx((row["wins"] + row["ties"] / 2) / row["functions"])
        assert not (row["significant"] and back["significant"])
        assert not row["significant"] or row["wins"] > row["losses"]
        assert row["p_raw"] == back["p_raw"] or math.isnan(row["p_raw"])
