"""Evaluations of f: values, failures, and mistakes in f."""

import math
import traceback
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sacma.files.printable import one_line, printable, shown
from sacma.optimize.arguments import numbers_in
from sacma.types import Array

Function = Callable[[Array], Any]
Task = tuple[int, Array]  # the number of an evaluation, and its point
LONGEST_FAILURE = 500  # characters of an exception's text that are kept
LONGEST_TRACE = 20_000  # characters of a traceback that comes from another process

# Exceptions that, raised at every point, come from a mistake in f.
MISTAKES = (AttributeError, IndexError, KeyError, NameError, TypeError)

ALIKE = 3  # first evaluations that show a mistake in f where they fail alike


class Evaluation(NamedTuple):
    """The value of f at a point, or the reason why it has none."""

    value: float  # finite; NaN where the evaluation failed
    failure: str = ""  # why it failed, one line; empty where it did not
    raised: Exception | None = None  # where it may be a mistake in f and has just been raised
    constraints: tuple[float, ...] = ()  # m finite numbers beside a value, none beside a failure


class ConstrainedValue(NamedTuple):
    """A point's return values of f and of its constraints, before they are checked."""

    value: object  # of f
    constraints: object  # of all constraints
    number: int  # m: how many are expected


BESIDE, KNOWN, PENDING = "beside", "known", "pending"  # the last in files alone


class LogEntry(NamedTuple):
    """An evaluation in the log of a run."""

    number: int  # from 1, in the order in which points were asked for; 0: never asked for, and not counted
    point: Array  # shape (D,)
    evaluation: Evaluation
    place: int | str  # of its point among those that the search waits for; BESIDE them; KNOWN: models alone learn of it
    moved: bool = False  # evaluated near the point that was asked for, in its place
    late: bool = False  # taken when the run had ended: it is so where the run is computed again


def pending_entries(points: Mapping[int, Array]) -> list[LogEntry]:
    """Return entries of points that were asked for and not told, by number, as files have them."""
    return [LogEntry(number, point, Evaluation(math.nan), PENDING) for number, point in points.items()]


def as_arrays(entries: Sequence[LogEntry], dimension: int, constraints: int) -> tuple[Array, Array, Array]:
    """Return points, shape (n, D), values, (n,), and constraints, (n, m), which are NaN where an evaluation failed."""
    points = np.array([entry.point for entry in entries], dtype=float).reshape(-1, dimension)
    values = np.array([entry.evaluation.value for entry in entries], dtype=float)
    failed = (math.nan,) * constraints
    rows = [entry.evaluation.constraints or failed for entry in entries]
    return points, values, np.array(rows, dtype=float).reshape(len(entries), constraints)


def outcome_of(evaluation: Evaluation, number: int) -> float | Array:
    """Return the value of an evaluation as strategies take it, with m constraints a row; infinite where it failed."""
    value = math.inf if evaluation.failure else evaluation.value
    return np.array([value, *(evaluation.constraints or (math.inf,) * number)]) if number else value


def evaluation_of(returned: object) -> Evaluation:
    """Return the evaluation that returned something: one finite number, with constraints a ``ConstrainedValue``.

    Whatever f returns by mistake comes as ``raised``, too.

    >>> evaluation_of(np.array([2.5])).value
    2.5
    >>> evaluation_of(float("inf")).failure
    'f is inf; allowed: one finite number'
    """
    value, constraints, m = returned if type(returned) is ConstrainedValue else (returned, (), 0)
    if type(value) is float and not m and math.isfinite(value):
        return Evaluation(value)
    found = []
    for name, given, count in (("f is", value, 1), ("constraints are", constraints, m)):
        numbers = numbers_in(given)
        if numbers is None or numbers.size != count or not np.all(np.isfinite(numbers)):
            allowed = f"{count} finite numbers" if m and given is constraints else "one finite number"
            failure = f"{name} {shown(given)}; allowed: {allowed}"
            return Evaluation(math.nan, failure, TypeError(failure) if _is_by_mistake(given, count) else None)
        found.append(numbers.ravel().tolist())
    return Evaluation(found[0][0], constraints=tuple(found[1]))


def _is_by_mistake(given: Any, count: int) -> bool:
    """Recognize a mistake in f by its return value: text, complex or several numbers, unlike None, NaN and infinity."""
    with suppress(Exception):  # the class may be anybody's
        parts = given if isinstance(given, list | tuple) else [given]
        if any(isinstance(part, str | bytes | complex | Mapping | Coroutine | Generator) for part in parts):
            return True
        if isinstance(given, Real):
            return count != 1 and not math.isnan(given)
        shape = getattr(given, "shape", None)
        return (math.prod(shape) if isinstance(shape, tuple) else len(given)) not in {0, count}
    return False


def evaluate(fun: Function, point: Array) -> Evaluation:
    """Evaluate f, which may write to ``point``. An exception is a failed evaluation."""
    try:
        returned = fun(point)
    except Exception as error:  # noqa: BLE001 the border of the user's function
        return Evaluation(math.nan, _one_line(error), error if isinstance(error, MISTAKES) else None)
    return evaluation_of(returned)


def evaluate_apart(fun: Function, point: Array) -> Evaluation:
    """Evaluate f in a worker, whose end by ``sys.exit`` is a failed evaluation, too.

    A mistake in f is of Python's own type, which can be sent to other processes, with the traceback as a note.
    """
    try:
        evaluation = evaluate(fun, point)
    except SystemExit as error:
        return Evaluation(math.nan, _one_line(error))
    if (mistake := evaluation.raised) is None:
        return evaluation
    sent = next(kind for kind in MISTAKES if isinstance(mistake, kind))(one_line(str(mistake), LONGEST_FAILURE))
    sent.add_note(printable("".join(traceback.format_exception(mistake)), keep="\n")[-LONGEST_TRACE:])
    return evaluation._replace(raised=sent)


def _one_line(error: BaseException) -> str:
    text = ""
    with suppress(Exception):  # a __str__ may do anything
        text = str(error)
    kind = type(error).__name__
    return one_line(f"{kind}: {text}" if text.strip() else kind, LONGEST_FAILURE)


class FirstEvaluations:
    """The first evaluations of a call, watched as long as all have failed with the same type of exception."""

    def __init__(self, *, watched: bool) -> None:
        self._watched = watched
        self._errors: list[Exception] = []
        self.mistake: Exception | None = None  # that has been raised

    def check(self, evaluation: Evaluation, *, any_value: bool) -> None:
        """Raise the first exception, with a note, where enough have failed alike, and none has given any value."""
        error = evaluation.raised
        self._watched &= error is not None and not any_value and type(error) is type((self._errors or [error])[0])
        if not self._watched or error is None:
            return
        self._errors.append(error)
        if len(self._errors) == ALIKE:
            self.mistake = self._errors[0]
            self.mistake.add_note(
                f"each of the first {ALIKE} evaluations has failed with {type(error).__name__}, as by a mistake in f; "
                "where such evaluations are to count as failed, let f return None instead, or give max_failures=None"
            )
            raise self.mistake
