"""Traces of adaptive algorithms in the report."""

import numpy as np
import pytest

from sacma.analysis.sections.control import evolution
from sacma.store.trace import COLUMNS
from tests.analysis.figures.drawn import line, points
from tests.analysis.figures.tables import SIX, generations

ADAPTIVE = SIX[3:]


def test_errors() -> None:
    """Dots are the errors that are known, the line the smoothed ones."""
    table = generations(ADAPTIVE)
    figure = evolution(table)
    assert len(figure.axes) == 6
    for n, algorithm in enumerate(ADAPTIVE):
        of = table[table["algorithm"] == algorithm]
        below = figure.axes[2 * n + 1]
        for column, label in (("error", "error"), ("smoothed_error", "smoothed error")):
            known = of[of[column].notna()]
            x, y = points(line(below, label))
            there = np.isfinite(y)
            assert x[there].tolist() == known["true_evaluations"].tolist()
            assert y[there].tolist() == known[column].tolist()


def test_model_generations() -> None:
    """From each true-evaluated generation to the next, g_m is what it decided; model-evaluated ones decide nothing."""
    table = generations(ADAPTIVE)
    axes = evolution(table).axes[0]
    assert axes.get_title("left") == "ADA-KL"
    x, y = points(line(axes, "g_m"))
    decided = table[table["algorithm"] == "ADA-KL"].drop_duplicates("true_evaluations")
    for start, end, g in zip(
        decided["true_evaluations"], decided["true_evaluations"][1:], decided["model_generations"], strict=False
    ):
        assert set(y[(x >= start) & (x <= end)]) >= {g}
        assert y[np.flatnonzero(x == start)[-1]] == g
        assert y[np.flatnonzero(x == end)[0]] == g


def test_without_model_evaluated_rows() -> None:
    """Whether these are among the rows makes no difference."""
    table = generations(ADAPTIVE)
    few = table.drop_duplicates(["algorithm", "true_evaluations"])
    drawn = [points(line(evolution(rows).axes[2], "g_m")) for rows in (table, few)]
    assert np.array_equal(drawn[0], drawn[1])


def test_types_of_traces() -> None:
    """Columns are drawn as they come from Parquet: unsigned integers, single precision, categories."""
    table = generations(ADAPTIVE)
    kinds = {name: COLUMNS[name] for name in table.columns[1:]} | {"algorithm": "category"}
    drawn = [points(line(evolution(rows).axes[0], "g_m")) for rows in (table, table.astype(kinds))]
    assert np.array_equal(drawn[0], drawn[1])


def test_restarts() -> None:
    """Each is a line across both panels, at the first evaluations after it; the key has it only if there is one."""
    table = generations(ADAPTIVE)
    figure = evolution(table)
    first = table.query("algorithm == 'ADA-KL' and restart == 1")["true_evaluations"].min()
    for axes in figure.axes[:2]:
        assert [points(drawn)[0].tolist() for drawn in axes.get_lines()[-1:]] == [[first, first]]
    assert [text.get_text() for text in figure.legends[0].get_texts()][-1] == "restart"
    without = evolution(table[table["restart"] == 0])
    assert "restart" not in [text.get_text() for text in without.legends[0].get_texts()]


def test_errors_that_are_not_known() -> None:
    """A trial that never judged a model has panels without dots."""
    table = generations(["GP-1"]).assign(error=np.nan, smoothed_error=np.nan)
    below = evolution(table).axes[1]
    assert len(points(line(below, "smoothed error"))[0]) == 0


def test_rows_of_several_trials() -> None:
    """Evaluations that go down are those of another trial."""
    table = generations(ADAPTIVE)
    with pytest.raises(ValueError, match="true evaluations of ADA-KL go down"):
        evolution(table.iloc[::-1], algorithms=ADAPTIVE)
