"""Figures of a run, by kind: of its values, of its parameters and of its model."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sacma.optimize.arguments import refuse
from sacma.optimize.model import Surrogate
from sacma.optimize.parameters import Categorical, Integer, Real
from sacma.optimize.result import History, Result
from sacma.strategy.generation import EvaluatedBy
from sacma.strategy.lagrangian import violations
from sacma.surrogate.whitening import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST_DRAWN = 1e300  # values beyond are drawn there: the axis of a plot has to be longer than their difference
MOST_PARAMETERS = 12  # of a figure
STEPS = 61  # of a slice
CONTOUR_STEPS = 41


def draw(result: Result, kind: str, figure: "Figure | None", parameters: Sequence[str] | None) -> "Figure":
    """Draw ``result`` into ``figure``, emptied, or into a new one of pyplot; return it."""
    if kind not in KINDS:
        refuse("kind", kind, ", ".join(KINDS))
    if figure is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415 not needed where a figure is given

        figure = plt.figure(figsize=(7.0, 5.0), layout="constrained")
    figure.clear()
    KINDS[kind](result, figure, parameters)
    return figure


class _Parameters:
    """The parameters of a run as people know them: names, values and ranges."""

    def __init__(self, result: Result, chosen: Sequence[str] | None, most: int) -> None:
        history: History = result.history
        self.space = history.space
        self.best: Any = dict(result.params) if self.space is not None else result.x
        params = history.params
        values: dict[str, list[Any]] = {}
        if self.space is not None:
            values = {name: [each[name] for each in params] for name in self.space}
        else:
            values = {f"x{i}": column.tolist() for i, column in enumerate(history.points.T)}
        for name in chosen or ():
            if name not in values:
                refuse("parameters", name, ", ".join(values))
        self.values = {name: values[name] for name in chosen or list(values)[:most]}

    def described(self, name: str) -> Real | Integer | Categorical | None:
        """Return the parameter of a space; None without."""
        return None if self.space is None else self.space.parameters[name]

    def along(self, name: str, model: Surrogate, steps: int) -> list[Any]:
        """Return values of a parameter over the range in which the model has learnt."""
        parameter = self.described(name)
        if isinstance(parameter, Categorical):
            return list(parameter.choices)
        known = [self.value(point, name) for point in self.points_of(model)]
        low, high = min(known), max(known)
        log = parameter is not None and parameter.log
        line = np.geomspace(low, high, steps) if log else np.linspace(low, high, steps)
        line = np.clip(line, low, high)
        if isinstance(parameter, Integer) or (parameter is not None and parameter.step is not None):
            assert self.space is not None  # noqa: S101 it has the parameter
            step = float(parameter.step or 1)
            return sorted({min(parameter.high, parameter.low + step * round((x - parameter.low) / step)) for x in line})
        return list(line)

    def points_of(self, model: Surrogate) -> list[Any]:
        """Return the points that the model has learnt, as the function gets them."""
        return list(model.points) if self.space is None else [self.space.params(point) for point in model.points]

    @staticmethod
    def value(point: Any, name: str) -> Any:
        """Return the value of a parameter at a point."""
        return point[name] if isinstance(point, Mapping) else float(point[int(name[1:])])

    def changed(self, **values: Any) -> Any:
        """Return the best point with other values of some parameters."""
        if self.space is not None:
            whole = {name: int(value) for name, value in values.items() if isinstance(self.described(name), Integer)}
            return {**self.best, **values, **whole}
        point = np.array(self.best)
        for name, value in values.items():
            point[int(name[1:])] = value
        return point

    def set_scale(self, axes: "Axes", name: str, side: str) -> None:
        """Give an axis the name and, where it is of a wide range, the scale of a parameter."""
        parameter = self.described(name)
        getattr(axes, f"set_{side}label")(name)
        low, high = getattr(axes, f"get_{side}lim")()
        if isinstance(parameter, Real | Integer) and parameter.log and high > 10.0 * max(low, parameter.low):
            getattr(axes, f"set_{side}scale")("log")


def _model(result: Result) -> Surrogate:
    if result.model is None:
        refuse("kind", "of a model", "convergence, parameters or constraints: this run has no model")
    model: Surrogate = result.model.wider
    return model


def _grid(figure: "Figure", count: int) -> list["Axes"]:
    columns = math.ceil(math.sqrt(count))
    found = np.ravel(figure.subplots(math.ceil(count / columns), columns, squeeze=False)).tolist()
    for axes in found[count:]:
        axes.set_axis_off()
    return list(found[:count])


def _drawable(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip(np.where(np.isfinite(values), values, np.nan), -LARGEST_DRAWN, LARGEST_DRAWN))


def _convergence(result: Result, figure: "Figure", _: Sequence[str] | None) -> None:
    axes, history = figure.subplots(), result.history
    numbers, failed = np.arange(1, len(history.values) + 1), np.isnan(history.values)
    violated = _violation(history) > 0.0
    kept = ~failed & ~violated
    axes.plot(numbers[kept], _drawable(history.values[kept]), ".", markersize=3, color="0.6", label="evaluations")
    if violated.any():
        values = _drawable(history.values[violated])
        axes.plot(numbers[violated], values, "x", markersize=4, color="C1", alpha=0.6, label="constraints violated")
    axes.step(numbers, _drawable(history.best), where="post", color="C0", label="best so far")
    if failed.any():
        axes.plot(numbers[failed], np.full(failed.sum(), 0.98), "x", color="C3", transform=axes.get_xaxis_transform())
        axes.plot([], [], "x", color="C3", label="failed")
    ends = {g.restart: g.true_evaluations for g in history.generations}
    for i, restart in enumerate(sorted(ends)[:-1]):
        axes.axvline(ends[restart] + 0.5, color="0.8", linestyle=":", zorder=0, label="" if i else "restart")
    if kept.any() and np.min(history.values[kept]) > 0.0:
        axes.set_yscale("log")
    axes.set(xlabel="evaluations", ylabel="value")
    axes.legend(loc="upper right")


def _over_evaluations(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    parameters = _Parameters(result, chosen, MOST_PARAMETERS)
    numbers = np.arange(1, len(result.history.values) + 1)
    for axes, (name, values) in zip(_grid(figure, len(parameters.values)), parameters.values.items(), strict=True):
        drawn = [str(value) for value in values] if isinstance(parameters.described(name), Categorical) else values
        axes.plot(numbers, drawn, ".", markersize=3, color="0.5")
        parameters.set_scale(axes, name, "y")
    figure.supxlabel("evaluations")


def _slices(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    model, parameters = _model(result), _Parameters(result, chosen, MOST_PARAMETERS)
    for axes, name in zip(_grid(figure, len(parameters.values)), parameters.values, strict=True):
        along = parameters.along(name, model, STEPS)
        points = [parameters.changed(**{name: value}) for value in along]
        mean, _ = model.predict(points)
        lower, upper = model.interval(points)
        best = parameters.value(parameters.best, name)
        if isinstance(parameters.described(name), Categorical):
            along, best = [str(value) for value in along], str(best)
            axes.errorbar(along, _drawable(mean), [mean - lower, upper - mean], fmt="o", color="C0")
        else:
            axes.plot(along, _drawable(mean), color="C0")
            axes.fill_between(along, _drawable(lower), _drawable(upper), alpha=0.2, color="C0", linewidth=0)
        shown = np.concatenate([mean, np.quantile(model.values, [0.0, 0.9])])
        if np.all(np.isfinite(shown)) and np.ptp(shown) > 0.0:  # intervals may be wide where nothing is known
            axes.set_ylim(np.min(shown) - 0.1 * np.ptp(shown), np.max(shown) + 0.1 * np.ptp(shown))
        axes.axvline(best, color="C3", linestyle=":")
        parameters.set_scale(axes, name, "x")
    figure.supylabel("model of f, with the interval of 95 %")


def _contour(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    model, every = _model(result), _Parameters(result, None, sys.maxsize)
    numbers = [name for name in model.importance() if not isinstance(every.described(name), Categorical)]
    parameters = _Parameters(result, chosen or numbers[:2], 2)
    names = [name for name in parameters.values if not isinstance(parameters.described(name), Categorical)]
    if len(names) != 2:  # noqa: PLR2004 of a plane
        refuse("parameters", names, "two parameters that are numbers")
    first, second = (parameters.along(name, model, CONTOUR_STEPS) for name in names)
    points = [parameters.changed(**{names[0]: x, names[1]: y}) for y in second for x in first]
    mean = _drawable(model.predict(points)[0]).reshape(len(second), len(first))
    axes = figure.subplots()
    figure.colorbar(axes.contourf(first, second, mean, levels=20), label="model of f")
    for point in parameters.points_of(model):
        axes.plot(*(parameters.value(point, name) for name in names), ".", color="white", markersize=3)
    axes.plot(*(parameters.value(parameters.best, name) for name in names), "x", color="C3")
    for name, side in zip(names, "xy", strict=True):
        parameters.set_scale(axes, name, side)


def _importance(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    found = {name: each for name, each in _model(result).importance().items() if chosen is None or name in chosen}
    axes, names = figure.subplots(), list(found)[::-1]
    shares = [100.0 * found[name].share for name in names]
    axes.barh(names, shares, xerr=[100.0 * found[name].error for name in names], color="C0", ecolor="0.4")
    axes.set(xlabel="share of the model's variation near the best points, %", xlim=(0.0, None))


def _violation(history: History) -> Array:
    """Return the largest violation of a constraint by each evaluation, shape (n,); 0 without, or where f failed."""
    if not history.equalities:
        return np.zeros(len(history.values))
    return np.nan_to_num(violations(history.constraints, history.equalities), nan=0.0)


def _constraints(result: Result, figure: "Figure", _: Sequence[str] | None) -> None:
    history = result.history
    if not history.equalities:
        refuse("kind", "constraints", "another one: this run has no constraints")
    axes, violation = figure.subplots(), _violation(history)
    numbers = np.arange(1, len(violation) + 1)
    axes.plot(numbers[violation > 0.0], violation[violation > 0.0], ".", color="C1", label="largest violation")
    kept = numbers[(violation == 0.0) & np.isfinite(history.values)]
    axes.plot(kept, np.full(len(kept), 0.02), "|", color="C2", transform=axes.get_xaxis_transform(), label="all kept")
    if (violation > 0.0).any():
        axes.set_yscale("log")
    axes.set(xlabel="evaluations", ylabel="violation of constraints")
    axes.legend(loc="upper right")


def _control(result: Result, figure: "Figure", _: Sequence[str] | None) -> None:
    control, error = figure.subplots(2, sharex=True)
    true = [g for g in result.history.generations if g.evaluated_by == EvaluatedBy.TRUTH]
    at = [g.true_evaluations for g in true]
    control.step(at, [g.model_generations for g in true], where="post", color="C2")
    control.set_ylabel("$g_m$, model-evaluated\ngenerations")
    control.set_ylim(bottom=-0.2)
    error.plot(at, [g.error for g in true], ".", color="C1", label="$\\epsilon$ of a model")
    error.plot(at, [g.smoothed_error for g in true], color="C3", label="$\\epsilon_s$, smoothed")
    error.set(ylim=(-0.02, 1.02), xlabel="evaluations", ylabel="model error")
    error.legend(loc="upper right")


KINDS: Mapping[str, Callable[[Result, "Figure", Sequence[str] | None], None]] = {
    "convergence": _convergence,
    "parameters": _over_evaluations,
    "slices": _slices,
    "contour": _contour,
    "importance": _importance,
    "constraints": _constraints,
    "control": _control,
}
