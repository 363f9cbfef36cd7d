"""Mean ranks beside the paper's: nothing is covered, and each point is where the table says."""

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.figures.layout import COLUMN, PAGE
from sacma.analysis.paper import published
from sacma.analysis.paper.published import ALGORITHMS
from sacma.analysis.sections.publication import ranks_beside
from sacma.analysis.trials import THIRD_OF_IT
from tests.analysis.figures.drawn import faults

BOTH = ["as its authors ran it", "by the paper's text"]


def beside(readings: list[str], dimensions: list[int]) -> pd.DataFrame:
    """Return the paper's mean ranks with some noise as ours."""
    paper = published.mean_ranks().rename(columns={"mean_rank": "paper"})
    paper = paper[paper["dimension"].isin(dimensions)]
    rng = np.random.default_rng(1)
    return pd.concat(
        [paper.assign(reading=of, ours=paper["paper"] + rng.normal(0, 0.3, len(paper))) for of in readings]
    )


@pytest.mark.parametrize("dimensions", [[2, 3, 5, 10, 20], [10]], ids=["all", "one"])
@pytest.mark.parametrize("readings", [BOTH, BOTH[1:]], ids=["both", "one"])
@pytest.mark.parametrize("width", [PAGE, COLUMN])
def test_drawn(readings: list[str], dimensions: list[int], width: float) -> None:
    """A panel for each dimension and reading, with twelve points and the diagonal; on a phone in two columns."""
    table = beside(readings, dimensions)
    figure = ranks_beside(table, width=width, partial=True)
    assert figure.get_figwidth() == pytest.approx(width / 72)
    assert list(faults(figure)) == []
    assert len(figure.axes) == len(readings) * len(dimensions)
    drawn = [np.asarray(line.get_xydata())[0].tolist() for axes in figure.axes for line in axes.lines[1:]]
    assert sorted(drawn) == sorted(table[["paper", "ours"]].to_numpy().tolist())


def test_the_key_tells_open_markers_from_filled_ones() -> None:
    """Of the two budgets, or of the one that there is."""
    table = beside(BOTH, [2, 5])
    key = [text.get_text() for text in ranks_beside(table).legends[0].get_texts()]
    assert key == [*ALGORITHMS, "after #FEₜ", "after #FEₜ/3"]
    smaller = ranks_beside(table[table["scenario"] == THIRD_OF_IT]).legends[0]
    assert smaller.get_texts()[-1].get_text() == "after #FEₜ/3"
    assert smaller.get_lines()[-1].get_markerfacecolor() == "white"


def test_nothing_to_draw() -> None:
    """As of all figures: one line."""
    with pytest.raises(ValueError, match="the table has no rows"):
        ranks_beside(beside(BOTH, [2]).iloc[:0])
