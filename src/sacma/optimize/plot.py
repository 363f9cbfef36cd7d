"""Plots of a run: of its values, its parameters and its model."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sacma.optimize.arguments import refuse
from sacma.optimize.model import Surrogate
from sacma.optimize.parameters import Categorical
from sacma.optimize.result import Result, columns_of, model_of
from sacma.surrogate.training_set import implausible
from sacma.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PARAMETERS = 12  # of a figure
FEWEST = 8  # values with a spread of their own
STEPS = 61  # of a slice, and of each side of a contour


def draw(result: Result, kind: str, figure: "Figure | None", chosen: Sequence[str] | None) -> "Figure":
    """Draw ``result`` into ``figure``, emptied, or into a new one of pyplot; return it."""
    if kind not in KINDS:
        refuse("kind", kind, ", ".join(KINDS))
    if figure is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415 not needed where a figure is given

        figure = plt.figure(figsize=(7.0, 5.0), layout="constrained")
    figure.clear()
    KINDS[kind](result, figure, chosen)
    return figure


def _convergence(result: Result, figure: "Figure", _: Sequence[str] | None) -> None:
    axes, history = figure.subplots(), result.history
    values, numbers = history.values, np.arange(1, len(history.values) + 1)
    failed, wrong, violated = np.isnan(values), _out_of_proportion(values), history.violation > 0.0
    kept, violated = ~failed & ~violated & ~wrong, violated & ~wrong
    axes.plot(numbers[kept], values[kept], ".", markersize=3, color="0.6", label="evaluations")
    if violated.any():
        axes.plot(numbers[violated], values[violated], "x", markersize=4, color="C1", label="constraints violated")
    best = np.where(np.isin(history.best, values[wrong]), np.nan, history.best)
    axes.step(numbers, best, where="post", color="C0", label="best so far")
    for those, marker, label in ((failed, "x", "failed"), (wrong, "^", "out of all proportion")):
        if those.any():
            _at_edge(axes, numbers[those], 1.0, marker=marker, color="C3", label=label)
    ends = {g.restart: g.true_evaluations for g in history.generations}
    for i, restart in enumerate(sorted(ends)[:-1]):
        axes.axvline(ends[restart] + 0.5, color="0.8", linestyle=":", zorder=0, label="" if i else "restart")
    if kept.any() and np.all(values[kept] > 0.0):
        axes.set_yscale("log")
    _over_numbers(axes, "value")


def _out_of_proportion(values: Array) -> NDArray[np.bool_]:
    """Return True for values, shape (n,), NaN where one failed, that stand for failures, as models take them.

    Ordinary values of the beginning are not among them, however near to each other later ones are.
    """
    wrong, finite = np.zeros(len(values), dtype=bool), np.isfinite(values)
    given = values[finite]
    if len(given):
        starts = [given, *(given[: len(given) >> k] for k in range(1, 64) if len(given) >> k >= FEWEST)]
        with np.errstate(over="ignore"):
            spread = max(float(np.quantile(start, 0.25) - start.min()) for start in starts)
        wrong[finite] = implausible(given, spread=spread)
    return wrong


def _constraints(result: Result, figure: "Figure", _: Sequence[str] | None) -> None:
    if not result.history.equalities:
        refuse("kind", "constraints", "another one: this run has no constraints")
    axes, violation = figure.subplots(), result.history.violation
    numbers, violated = np.arange(1, len(violation) + 1), violation > 0.0
    axes.plot(numbers[violated], violation[violated], ".", color="C1", label="largest violation")
    _at_edge(axes, numbers[violation == 0.0], 0.0, marker="|", color="C2", label="all kept")
    if violated.any():
        axes.set_yscale("log")
    _over_numbers(axes, "violation of constraints")


def _over_evaluations(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    columns = _columns(result.history.points, result)
    for axes, name in _grid(figure, result, chosen):
        axes.plot(np.arange(1, len(columns[name]) + 1), columns[name], ".", markersize=3, color="0.5")
        _name_axis(axes, "y", name, result)
    figure.supxlabel("evaluations")


def _importance(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    found = result.importance()
    names = [name for name in reversed(found) if chosen is None or name in chosen]
    shares, errors = (100.0 * np.array([found[name][k] for name in names]) for k in (0, 1))
    axes = figure.subplots()
    axes.barh(names, shares, xerr=errors, color="C0", ecolor="0.4")
    axes.set(xlabel="share of the model's variation near the best points, %", xlim=(0.0, None))


def _slices(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    model = model_of(result).wider
    for axes, name in _grid(figure, result, chosen):
        points = _line(result, model, name)
        along, mean, (lower, upper) = _columns(points, result)[name], model.predict(points)[0], model.interval(points)
        if _is_categorical(result, name):
            axes.errorbar(along, mean, [mean - lower, upper - mean], fmt="o", color="C0")
        else:
            axes.plot(along, mean, color="C0")
            axes.fill_between(along, lower, upper, alpha=0.2, color="C0", linewidth=0)
        low, high = np.quantile([*mean, *np.quantile(model.values, [0.0, 0.9])], [0.0, 1.0])
        if 0.0 < high - low < math.inf:  # intervals may be wide where nothing is known
            axes.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
        axes.axvline(_columns([result.x], result)[name][0], color="C3", linestyle=":")
        _name_axis(axes, "x", name, result)
    figure.supylabel("model of f, with the interval of 95 %")


def _contour(result: Result, figure: "Figure", chosen: Sequence[str] | None) -> None:
    model = model_of(result).wider
    names = _names(result, chosen) if chosen else list(model.importance())
    names = [name for name in names if not _is_categorical(result, name)][: None if chosen else 2]
    if len(names) != 2:  # noqa: PLR2004 of a plane
        refuse("parameters", names, "two parameters that are numbers")
    first, second = (_line(result, model, name) for name in names)
    plane = first + (second - _centre(result))[:, None]
    mean, _ = model.predict(plane.reshape(-1, len(result.x)))
    axes = figure.subplots()
    sides = [_columns(points, result)[name] for name, points in zip(names, (first, second), strict=True)]
    figure.colorbar(axes.contourf(*sides, mean.reshape(plane.shape[:2]), levels=20), label="model of f")
    for points, marker, color in ((model.points, ".", "white"), ([result.x], "x", "C3")):
        columns = _columns(points, result)
        axes.plot(*(columns[name] for name in names), marker, color=color)
    for side, name in zip("xy", names, strict=True):
        _name_axis(axes, side, name, result)


KINDS: Mapping[str, Callable[[Result, "Figure", Sequence[str] | None], None]] = {
    "convergence": _convergence,
    "parameters": _over_evaluations,
    "slices": _slices,
    "contour": _contour,
    "importance": _importance,
    "constraints": _constraints,
}


def _is_categorical(result: Result, name: str) -> bool:
    space = result.history.space
    return space is not None and isinstance(space.parameters[name], Categorical)


def _columns(points: Any, result: Result) -> dict[str, Any]:
    """Return the values of parameters at points, by name; choices as text."""
    columns = columns_of(points, result.history.space)
    return {name: [*map(str, each)] if _is_categorical(result, name) else each for name, each in columns.items()}


def _names(result: Result, chosen: Sequence[str] | None) -> list[str]:
    """Return the names of parameters to be drawn."""
    names = list(_columns([result.x], result))
    for name in chosen or ():
        if name not in names:
            refuse("parameters", name, ", ".join(names))
    return list(chosen or names[:MOST_PARAMETERS])


def _centre(result: Result) -> Array:
    """Return the best point, with discrete parameters at the centres of their cells."""
    space = result.history.space
    return np.asarray(result.x if space is None else space.centred(result.x))


def _line(result: Result, model: Surrogate, name: str) -> Array:
    """Return points through the best one along a parameter, over the range in which the model has learnt."""
    space = result.history.space
    if space is not None and isinstance(parameter := space.parameters[name], Categorical):
        choices = [{**result.params, name: choice} for choice in parameter.choices]
        return np.asarray(space.points(choices, name))
    place = slice(int(name[1:]), int(name[1:]) + 1) if space is None else space.places[name]
    line, known = np.repeat([_centre(result)], STEPS, axis=0), model.points[:, place]
    line[:, place] = np.linspace(known.min(axis=0), known.max(axis=0), STEPS)
    return np.asarray(np.unique(line if space is None else space.centred(line), axis=0))


def _grid(figure: "Figure", result: Result, chosen: Sequence[str] | None) -> list[tuple["Axes", str]]:
    """Return axes for each parameter, with its name."""
    names = _names(result, chosen)
    columns = math.ceil(math.sqrt(len(names)))
    rows = math.ceil(len(names) / columns)
    return [(figure.add_subplot(rows, columns, i), name) for i, name in enumerate(names, 1)]


def _name_axis(axes: "Axes", side: str, name: str, result: Result) -> None:
    """Give an axis the name and, where it is of a wide range, the scale of a parameter."""
    axes.set(**{f"{side}label": name})
    parameter: Any = result.history.space and result.history.space.parameters[name]
    low, high = getattr(axes, f"get_{side}lim")()
    if getattr(parameter, "log", False) and high > 10.0 * max(low, parameter.low):
        axes.set(**{f"{side}scale": "log"})


def _over_numbers(axes: "Axes", label: str) -> None:
    """Say that an axis is of the numbers of evaluations, and the other one of something else."""
    axes.set(xlabel="evaluations", ylabel=label)
    axes.legend(loc="upper right")


def _at_edge(axes: "Axes", numbers: Any, height: float, **style: Any) -> None:
    """Mark evaluations at the bottom, 0, or the top, 1, of the axes, whatever their values."""
    at = np.full(len(numbers), height)
    axes.plot(numbers, at, linestyle="", clip_on=False, transform=axes.get_xaxis_transform(), **style)
