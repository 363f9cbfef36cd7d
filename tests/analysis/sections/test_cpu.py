"""Bars of CPU time are as long as the parts of the table."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer

from sacma.analysis.sections.cpu import PARTS, cpu_time
from tests.analysis.figures.tables import SIX, cpu_parts


def stacks(axes: Axes) -> list[BarContainer]:
    return [bars for bars in axes.containers if isinstance(bars, BarContainer)]


def test_bars() -> None:
    """Each part begins where the one before ends, in milliseconds; the number at the end is their sum."""
    table = cpu_parts(SIX)
    figure = cpu_time(table)
    assert [axes.get_title("left") for axes in figure.axes] == ["2-D", "20-D"]
    for D, axes in zip((2, 20), figure.axes, strict=True):
        ends = np.zeros(len(SIX))
        seconds = table[table["dimension"] == D].set_index(["part", "algorithm"])["seconds_per_evaluation"]
        for part, bars in zip(PARTS, stacks(axes), strict=True):
            assert bars.get_label() == part
            for n, bar in enumerate(bars.patches):
                assert bar.get_x() == pytest.approx(ends[n])
                assert bar.get_width() == pytest.approx(1e3 * seconds.get((part, SIX[n]), 0.0))
                ends[n] += bar.get_width()
        assert [float(text.get_text()) for text in axes.texts] == pytest.approx(ends, rel=0.005)
        assert axes.get_xscale() == "linear"
        assert axes.get_xlim()[0] == 0


def test_each_dimension_has_its_scale() -> None:
    """Ten times the time is not ten times the length: panels end just beyond their own longest bar."""
    for axes in cpu_time(cpu_parts(SIX)).axes:
        longest = max(bar.get_x() + bar.get_width() for bars in stacks(axes) for bar in bars.patches)
        assert longest < axes.get_xlim()[1] < 1.5 * longest


def test_negative_rests_count_as_none() -> None:
    """What the resolution of clocks leaves below 0 has no bar; an algorithm without times says so."""
    table = cpu_parts(SIX)
    table.loc[table["part"] == "other", "seconds_per_evaluation"] = -1e-6
    table.loc[table["algorithm"] == "GP-5", "seconds_per_evaluation"] = np.nan
    axes = cpu_time(table).axes[0]
    assert all(bar.get_width() >= 0 for bars in stacks(axes) for bar in bars.patches)
    assert axes.texts[2].get_text() == "no data"


def test_unknown_parts() -> None:
    """They are refused by name."""
    with pytest.raises(ValueError, match="no part 'coffee' of CPU time; parts are objective, fit"):
        cpu_time(cpu_parts(SIX).replace("fit", "coffee"))
