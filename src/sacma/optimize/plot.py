"""A run drawn: convergence, how many generations the model stood in for f, and its error."""

from typing import TYPE_CHECKING

import numpy as np

from sacma.strategy.generation import EvaluatedBy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sacma.optimize.result import History, Result


def draw(result: "Result", figure: "Figure | None" = None) -> "Figure":
    """Draw ``result`` into ``figure``, emptied, or into a new one of pyplot; return it."""
    if figure is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415 not needed where a figure is given

        figure = plt.figure(figsize=(7.0, 7.5), layout="constrained")
    figure.clear()
    convergence, control, error = figure.subplots(3, sharex=True, height_ratios=(2, 1, 1))
    history: History = result.history
    _draw_convergence(convergence, history)
    true = [g for g in history.generations if g.evaluated_by == EvaluatedBy.TRUTH]
    at = [g.true_evaluations for g in true]
    control.step(at, [g.model_generations for g in true], where="post", color="C2")
    control.set_ylabel("$g_m$, model-evaluated\ngenerations")
    control.set_ylim(bottom=-0.2)
    error.plot(at, [g.error for g in true], ".", color="C1", label="$\\epsilon$ of a model")
    error.plot(at, [g.smoothed_error for g in true], color="C3", label="$\\epsilon_s$, smoothed")
    error.set(ylim=(-0.02, 1.02), xlabel="evaluations", ylabel="model error")
    error.legend(loc="upper right")
    return figure


def _draw_convergence(axes: "Axes", history: "History") -> None:
    numbers = np.arange(1, len(history.values) + 1)
    failed = np.isnan(history.values)
    with np.errstate(invalid="ignore"):
        best = np.where(np.isfinite(history.best), history.best, np.nan)
    axes.plot(numbers, history.values, ".", markersize=2, color="0.6", label="evaluations")
    axes.step(numbers, best, where="post", color="C0", label="best so far")
    if failed.any():
        axes.plot(numbers[failed], np.full(failed.sum(), 0.98), "x", color="C3", transform=axes.get_xaxis_transform())
        axes.plot([], [], "x", color="C3", label="failed")
    known = history.values[~failed]
    if len(known) and known.min() > 0.0:
        axes.set_yscale("log")
    axes.set_ylabel("value")
    axes.legend(loc="upper right")
