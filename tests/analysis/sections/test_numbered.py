"""The paper's tables and figures are of six algorithms each, and no other table has a number of the paper's."""

import pickle
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.figure import Figure

from sacma.analysis.paper.readings import ADAPTIVE, ALGORITHMS, AS_PRINTED, AS_RUN, READINGS, Reading
from sacma.analysis.section import Drawing, Findings, Report
from sacma.analysis.sections import all_sections, find, numbered, pairwise, ranks
from sacma.analysis.sections.data import grid_table, paper_sweep
from sacma.analysis.table_format import FormattedTable, renderings
from sacma.coco.function_names import BEST_2009
from sacma.config.sweep import load_sweep
from sacma.store.store import Store
from tests.analysis.both_readings import studies
from tests.analysis.figures.drawn import points
from tests.analysis.made import compared
from tests.conftest import CONFIGS


def report_of(findings: Findings) -> Report:
    return Report(Store.__new__(Store), findings)


@pytest.fixture(scope="module")
def both() -> Report:
    """Report on both readings together."""
    return report_of(find(compared(*studies(AS_RUN), *studies(AS_PRINTED))))


def tables_of(report: Report) -> dict[str, FormattedTable]:
    return {table.name: table for table in numbered.SECTION.tables(report)}


def figures_of(report: Report) -> dict[str, Drawing]:
    return {drawing.name: drawing for drawing in numbered.SECTION.figures(report)}


def test_tables_have_their_numbers_and_readings(both: Report) -> None:
    """In the paper's order, the grid once, the others once for each reading."""
    titles = ["CPU time", "Mean ranks", "Pairwise comparisons"]
    expected = [f"Table {n}, {of.title}: {title}" for n, title in enumerate(titles, start=2) for of in READINGS]
    tables = tables_of(both)
    assert [table.heading for table in tables.values()] == ["Table 1: Values of the settings", *expected]
    assert list(tables)[3:5] == ["table3_mean_ranks_as_run", "table3_mean_ranks_by_text"]


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.key)
def test_six_algorithms_among_themselves(both: Report, reading: Reading, number: int) -> None:
    """Ranks, tests and wins are those of a report on the six alone, which the section on all of them shows."""
    (table,) = [of for of in tables_of(both).values() if (of.number, of.reading) == (number, reading.title)]
    alone = report_of(find(compared(*studies(reading))))
    expected = next(iter({3: ranks, 4: pairwise}[number].SECTION.tables(alone)))
    found = renderings(table)["csv"]
    assert found == renderings(expected)["csv"].replace(reading.suffix or "-as-run", "")
    assert [row[0].text for row in table.blocks[0].rows[:6]] == list(ALGORITHMS)
    assert table.caption == expected.caption
    assert number == 3 or "Bergmann and Hommel" in table.caption


def test_times_are_of_the_adaptive_algorithms(both: Report) -> None:
    """As in the paper's Table 2."""
    for reading in READINGS:
        (block,) = tables_of(both)[f"table2_cpu_{reading.key}"].blocks
        assert [row[0].text for row in block.rows] == list(ADAPTIVE)


def test_no_other_table_is_numbered(both: Report) -> None:
    """Twelve algorithms are ranked in other sections, and settings are no grid: none of it is the paper's."""
    others = [section for section in all_sections() if section is not numbered.SECTION]
    tables = [table for section in others for table in section.tables(both)]
    assert len(tables) > 6
    assert {table.label for table in tables} == {""}


def test_the_grid_is_the_papers() -> None:
    """Its values are those of Table 1; another sweep has no number."""
    table = grid_table(paper_sweep())
    assert table.label == "1"
    assert [row[1].text for row in table.blocks[0].rows] == ["T1, T2", "0.5, 0.9", "5, 10, 20", "0.2, 0.5, 0.8"]
    assert grid_table(load_sweep(CONFIGS / "sweeps" / "step_size.yaml")).label == ""


def test_a_label_is_in_latex_and_markdown() -> None:
    """Number and reading, as LaTeX sets it itself; without a number there is neither."""
    table = replace(grid_table(paper_sweep()), reading="by the paper's text")
    made = renderings(table)
    assert r"\renewcommand{\thetable}{1, by the paper's text}" in made["tex"]
    assert "**Table 1, by the paper's text: Values of the settings.**" in made["md"]
    assert "thetable" not in renderings(replace(table, number=None))["tex"]


def drawn(drawing: Drawing) -> Figure:
    """Make a figure as another process does."""
    made: Any = pickle.loads(pickle.dumps(drawing.make))()  # noqa: S301 our own
    assert isinstance(made, Figure)
    return made


def test_figures_are_of_each_reading(both: Report) -> None:
    """Figure 1 once; Figure 2 of the adaptive algorithms, Figure 3 of six, in 20-D, with their names in the paper."""
    figures = figures_of(both)
    assert list(figures) == [
        "figure1_transfer_functions",
        *(f"figure2_control_f08_20D_{reading.key}" for reading in READINGS),
        *(f"figure3_run_lengths_20D_{reading.key}" for reading in READINGS),
    ]
    assert len(drawn(figures["figure1_transfer_functions"]).axes[0].lines) == 2
    heights = []
    for reading in READINGS:
        (axes,) = drawn(figures[f"figure2_control_f08_20D_{reading.key}"]).axes
        shown = [line for line in axes.lines if line.get_label() in ALGORITHMS]
        assert [line.get_label() for line in shown] == list(ADAPTIVE)
        heights.append({y for line in shown for y in points(line)[1].tolist()})
    assert heights == [{2.0}, {1 / 3}]
    for reading in READINGS:
        panels = drawn(figures[f"figure3_run_lengths_20D_{reading.key}"]).axes
        labels = {str(line.get_label()) for axes in panels for line in axes.lines}
        assert {label for label in labels if not label.startswith("_")} == {*ALGORITHMS, BEST_2009}


def test_a_study_of_others_has_none() -> None:
    """Nor has one of two algorithms."""
    other = report_of(find(compared(*studies(AS_PRINTED)[:2])))
    assert tables_of(other) == {}
    assert figures_of(other) == {}
