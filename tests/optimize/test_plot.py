"""Pictures of a run."""

import math
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import sacma
from sacma.optimize.result import Result


@pytest.fixture
def result() -> Result:
    """Of a run with models and failures."""
    return sacma.minimize(
        lambda x: float(np.sum(x**2)) if x[0] < 1.5 else None, [1.0, 2.0, 3.0], 1.0, seed=2, budget=80
    )


def test_a_result_is_drawn(result: Result) -> None:
    """Values and the best so far, as the history has them; in pyplot, where no figure is given."""
    figure = result.plot(figure=Figure())
    (convergence,) = figure.axes
    assert convergence.get_yscale() == "log"
    lines = {line.get_label(): line for line in convergence.lines}
    np.testing.assert_array_equal(lines["best so far"].get_ydata(), result.history.best)
    kept = np.isfinite(result.history.values)
    np.testing.assert_array_equal(lines["evaluations"].get_ydata(), result.history.values[kept])
    assert result.restarts == 0 or "restart" in lines
    assert "failed" in lines
    with mpl.rc_context(), plt.ioff():
        plt.close("all")  # figures of other tests
        plt.switch_backend("agg")
        result.plot()
        assert len(plt.get_fignums()) == 1
        plt.close("all")


def test_values_out_of_all_proportion_leave_the_others_room() -> None:
    """They are marked at the upper edge, as failures are; early values of a run that has converged are no such."""

    def f(x: Any) -> float | None:
        if x[1] > 2.5:
            return None
        return 1e10 if x[0] > 1.1 else float(np.sum(x**2))

    found = sacma.minimize(f, [1.2, 2.0, 3.0], 0.5, seed=2, budget=80)
    (axes,) = found.plot(figure=Figure()).axes
    lines = {line.get_label(): line for line in axes.lines}
    beyond = np.flatnonzero(found.history.values == 1e10) + 1
    assert 1 in beyond
    np.testing.assert_array_equal(lines["out of all proportion"].get_xdata(), beyond)
    assert axes.get_ylim()[1] < 1e3
    assert np.nanmax(np.asarray(lines["best so far"].get_ydata(), dtype=float)) < 1e3
    converged = sacma.minimize(lambda x: float(np.sum(x**2)), [1.0, 2.0], 0.5, seed=1, budget=100, tolerance=0.0)
    labels = [line.get_label() for line in converged.plot(figure=Figure()).axes[0].lines]
    assert "out of all proportion" not in labels


def of_a_space(params: dict[str, Any]) -> float | None:
    rate, kind = math.log10(params["rate"]) + 2, params["kind"] == "u"
    return None if params["a"] > 1.8 else rate**2 + 0.1 * (params["k"] - 4) ** 2 + kind + (params["a"] - 1) ** 2


def test_every_kind_is_drawn(result: Result) -> None:
    """In a space, in coordinates and with constraints; what there is not is said in one line."""
    space = sacma.Space(
        rate=sacma.Real(1e-4, 1, log=True),
        k=sacma.Integer(1, 9),
        kind=sacma.Categorical("u", "v", "w"),
        a=sacma.Real(0, 2, step=0.1),
        fixed=sacma.Real(3, 3),
    )
    mixed = sacma.minimize(of_a_space, space=space, budget=60, seed=2)
    held = sacma.minimize(lambda x: (x @ x, 1 - x[0]), [1.5, 0.5, 0.1], 0.3, constraints=1, budget=60, seed=1)
    for found in (result, mixed, held):
        for kind in ("convergence", "parameters", "slices", "contour", "importance"):
            figure = found.plot(kind, Figure())
            figure.canvas.draw()
            assert figure.axes, kind
    held.plot("constraints", Figure()).canvas.draw()
    chosen = mixed.plot("slices", Figure(), parameters=["k", "rate"]).axes
    assert [axes.get_xlabel() for axes in chosen] == ["k", "rate"]
    with pytest.raises(ValueError, match="parameters is 'b'; allowed: rate, k, kind, a, fixed"):
        mixed.plot("slices", Figure(), parameters=["b"])
    with pytest.raises(ValueError, match="kind is 'lines'; allowed: convergence, parameters, slices"):
        result.plot("lines", Figure())
    with pytest.raises(ValueError, match="this run has no constraints"):
        result.plot("constraints", Figure())
    without = sacma.minimize(lambda x: float(x @ x), [1.0, 1.0], 1.0, budget=10, method="cmaes")
    with pytest.raises(ValueError, match="the run has no model"):
        without.plot("slices", Figure())
    with pytest.raises(ValueError, match="the run has no model"):
        without.importance()


def test_what_has_little_to_show_is_drawn_too() -> None:
    """One evaluation; only failed ones; negative values; none."""
    cases: list[tuple[Any, int]] = [(lambda _: 1.0, 1), (lambda _: None, 9), (lambda x: -abs(x[0]), 40)]
    for fun, budget in cases:
        sacma.minimize(fun, [1.0], 1.0, seed=1, budget=budget).plot(figure=Figure()).canvas.draw()
    sacma.Optimizer([1.0], 1.0).result.plot(figure=Figure()).canvas.draw()
