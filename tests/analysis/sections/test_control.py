"""Figure 2 shows every trial."""

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.sections.control import control_frequency
from tests.analysis.figures.drawn import line, lines, points, texts
from tests.analysis.figures.tables import SIX, control_trials


def ratios(trials: pd.DataFrame, algorithm: str) -> np.ndarray:
    of = trials[(trials["algorithm"] == algorithm) & (trials["dimension"] == 20)]
    values = (of["true_generations"] / of["model_generations"]).to_numpy()
    return np.sort(values[np.isfinite(values)])


def test_dots_and_boxes() -> None:
    """A dot a trial with a model generation; boxes have the quartiles that NumPy finds, whiskers end at trials."""
    trials = control_trials(SIX)
    (axes,) = control_frequency(trials, function=8, dimension=20).axes
    boxes = [drawn for drawn in axes.get_lines() if str(drawn.get_label()).startswith("_")]
    assert len(boxes) == 6 * 5  # box, two whiskers, two caps, median; none of an algorithm without ratios
    for n, algorithm in enumerate(SIX[1:]):
        x, y = points(line(axes, algorithm))
        expected = ratios(trials, algorithm)
        assert y == pytest.approx(expected)
        assert ((x > n + 1) & (x < n + 1.5)).all()
        box = [b for b in boxes if np.max(b.get_xdata()) < n + 1.2 and np.min(b.get_xdata()) > n + 0.5]
        heights = {round(float(h), 9) for b in box for h in np.asarray(b.get_ydata())}
        assert heights >= {round(float(q), 9) for q in np.quantile(expected, [0.25, 0.5, 0.75])}
        assert heights <= {round(float(q), 9) for q in [*expected, *np.quantile(expected, [0.25, 0.5, 0.75])]}


def test_trials_without_a_model_generation_are_counted() -> None:
    """All of the first algorithm's and three of the second's are said below their boxes, and only there."""
    figure = control_frequency(control_trials(SIX), function=8, dimension=20)
    shown = [str(text) for text in texts(figure)]
    assert "15 of 15: ∞" in shown
    assert "3 of 15: ∞" in shown
    assert sum("∞" in text for text in shown) == 3
    assert len(np.asarray(line(figure.axes[0], "CMA-ES").get_ydata())) == 0


def test_nothing_but_infinite() -> None:
    """A study of plain CMA-ES has a figure that says so."""
    figure = control_frequency(control_trials(["CMA-ES"]), function=8, dimension=20)
    assert any("15" in str(text) for text in texts(figure))
    assert len(lines(figure.axes[0], "CMA-ES")) == 1


def test_large_ratios() -> None:
    """Where ratios spread over decades the axis is logarithmic and holds all of them."""
    trials = control_trials(SIX)
    trials.loc[trials["algorithm"] == "GP-5", "control_frequency"] *= 1000
    (axes,) = control_frequency(trials, function=8, dimension=20).axes
    assert axes.get_yscale() == "log"
    low, high = axes.get_ylim()
    finite = trials["control_frequency"][np.isfinite(trials["control_frequency"])]
    assert low < finite.min() < finite.max() < high


def test_a_ratio_that_is_none() -> None:
    """NaN with model-evaluated generations is an error, not a trial that is left out."""
    trials = control_trials(SIX)
    trials.loc[trials.index[-1], "control_frequency"] = np.nan
    with pytest.raises(ValueError, match="ADA-RD on instance 14 is nan"):
        control_frequency(trials, function=8, dimension=20)
