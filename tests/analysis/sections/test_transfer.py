"""Figure 1 shows the functions that evolution control uses."""

import numpy as np
import pytest

from sacma.analysis.sections.control import transfer_functions
from sacma.strategy.transfer import T2
from tests.analysis.figures.drawn import line, points


def test_curves() -> None:
    """Each curve goes through the values of its function, from (0, 0) to (1, 1)."""
    figure = transfer_functions([2.0, 10.0])
    (axes,) = figure.axes
    x, y = points(line(axes, "T₁(x)"))
    assert np.array_equal(x, y)
    x, y = points(line(axes, "T₂(x; 10)"))
    assert [y[0], y[-1]] == [0, 1]
    assert y[37] == T2(float(x[37]), 10.0)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["T₁(x)", "T₂(x; 2)", "T₂(x; 10)"]


def test_steepness_is_positive() -> None:
    """With k = 0 it is no transfer function."""
    with pytest.raises(ValueError, match="each k must be positive"):
        transfer_functions([2.0, 0.0])
