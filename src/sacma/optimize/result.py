"""The result of a run, as SciPy gives it, and its history."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from sacma.optimize.evaluation import LogEntry, as_arrays
from sacma.optimize.space import Space
from sacma.strategy.generation import Generation
from sacma.strategy.lagrangian import violations
from sacma.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sacma.optimize.call import Call
    from sacma.optimize.model import Importance, Surrogate


class Status(IntEnum):
    """Reasons why a run ended."""

    GOING_ON = -1
    TARGET = 0
    BUDGET = 1
    TIME_LIMIT = 2
    CALLBACK = 3
    RESTARTS = 4
    FAILURES = 5
    INTERRUPTED = 6
    SPACE_USED_UP = 7
    NO_NEW_POINT = 8
    TOLERANCE = 9

    def __str__(self) -> str:
        """Return its name, for people."""
        return self.name

    @property
    def converged(self) -> bool:
        """True where a run without a target has come to its end by itself, as SciPy means success."""
        return self in {Status.TOLERANCE, Status.RESTARTS, Status.SPACE_USED_UP}


@dataclass(frozen=True, eq=False)
class History:
    """Evaluations of a run, in the order of their numbers, and its generations."""

    points: Array  # shape (n, D)
    values: Array  # shape (n,), NaN where an evaluation failed
    failures: dict[int, str]  # why it failed, by number from 1
    generations: Sequence[Generation]  # those of f and those of the model
    space: Space | None = None  # of named parameters, whose coordinates the points are
    constraints: Array = field(default_factory=lambda: np.empty((0, 0)))  # shape (n, m): g ≤ 0 and h = 0; NaN as values
    equalities: tuple[bool, ...] = ()  # True for each h

    @property
    def params(self) -> list[dict[str, Any]]:
        """The parameters of each point, in a space of named ones; without, an empty list."""
        return [] if self.space is None else [self.space.params(point) for point in self.points]

    @property
    def violation(self) -> Array:
        """The largest violation of a constraint by each evaluation, shape (n,); NaN where it failed, 0 without any."""
        if not self.equalities:
            return np.zeros(len(self.values))
        return np.asarray(violations(self.constraints, self.equalities))

    @property
    def best(self) -> Array:
        """The lowest value up to each evaluation, shape (n,); inf before the first that did not fail.

        With constraints the lowest where all are kept.
        """
        counts = np.isfinite(self.values) & (self.violation == 0.0)
        return np.asarray(np.fmin.accumulate(np.where(counts, self.values, np.inf)))

    def to_dataframe(self) -> Any:
        """Return a pandas ``DataFrame`` with a row an evaluation: parameters, value, constraints, best so far, failure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        pandas = import_module("pandas")
        columns = columns_of(self.points, self.space) | {"value": self.values}
        columns |= {f"constraint{i}": column for i, column in enumerate(self.constraints.T)}
        numbers = pandas.RangeIndex(1, len(self.values) + 1, name="evaluation")
        columns |= {"best": self.best, "failure": [self.failures.get(number, "") for number in numbers]}
        return pandas.DataFrame(columns, index=numbers)

    def __repr__(self) -> str:
        return f"<{len(self.values)} evaluations, {len(self.generations)} generations>"


def columns_of(points: Sequence[Array] | Array, space: Space | None) -> dict[str, Any]:
    """Return the values of parameters at points, by name: x0, x1, and so on where there is no ``space``."""
    if space is None:
        return {f"x{i}": column for i, column in enumerate(np.transpose(points))}
    params = [space.params(point) for point in points]
    return {name: [each[name] for each in params] for name in space}


def history_of(entries: Sequence[LogEntry], call: "Call", generations: Sequence[Generation]) -> History:
    """Return the history of a run from its evaluations, in the order of their numbers."""
    points, values, constraints = as_arrays(entries, len(call.x0), len(call.equalities))
    failures = {i: each.evaluation.failure for i, each in enumerate(entries, 1) if each.evaluation.failure}
    return History(points, values, failures, tuple(generations), call.space, constraints, call.equalities)


class Result(OptimizeResult):  # type: ignore[misc]  # SciPy is not typed
    """SciPy's ``OptimizeResult``, which can be drawn.

    Beside ``x``, ``fun``, ``nfev``, ``nit`` (generations, those of the model included), ``success``, ``status`` (a
    ``Status``) and ``message`` it has ``seed``, with which the same call gives the same run (not with asynchronous
    workers); ``restarts``;
    ``model_generations``; ``failures``, the number of failed evaluations; ``history``, a ``History``; and ``model``,
    the model of f that was trained last, None where there is none. In a
    noisy run ``fun`` is the mean of evaluations of ``x``, and ``fun_error`` its standard error, None elsewhere. In a
    ``Space`` of named parameters ``params`` is a dict of the best ones, and ``x`` their coordinates in [0, 1]^D.
    With constraints ``x`` is the best point that keeps them, or where none does, that of the smallest
    ``constraint_violation``: the largest of g and |h| at ``x``, at least 0.
    """

    def plot(
        self, kind: str = "convergence", figure: "Figure | None" = None, *, parameters: Sequence[str] | None = None
    ) -> "Figure":
        """Draw the run; return the figure.

        Args:
            kind: "convergence": values and the best so far, with failures, infeasible points and restarts;
                "parameters": each over the evaluations; "slices": the model through the best point, with the interval
                of 95 %; "contour": the model over two parameters; "importance": of each parameter, see ``importance``;
                "constraints": the largest violation.
            figure: of matplotlib, emptied and drawn in; None: a new one of pyplot.
            parameters: names of those to be drawn, in an array "x0", "x1", and so on; None: all up to twelve, and for
                a contour the two most important ones.

        Raises:
            ValueError: no such kind, no such parameter, or there is no model, or no constraint, to be drawn.
        """
        from sacma.optimize.plot import draw  # noqa: PLC0415 matplotlib is slow, and not everybody draws

        return draw(self, kind, figure, parameters)

    def importance(self) -> "dict[str, Importance]":
        """Return how much of the model's variation near the best points each parameter explains, with its error.

        Raises:
            ValueError: there is no model.
        """
        return model_of(self).importance()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def model_of(result: Result) -> "Surrogate":
    """Return the model of a run; refuse one without."""
    if result.model is None:
        raise ValueError("the run has no model: its method has none, or too few points were evaluated")
    model: Surrogate = result.model
    return model
