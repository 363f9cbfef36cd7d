"""Evaluations of f, one after another or by workers, and mistakes in it."""

import math
import traceback
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from sacma.files.printable import one_line, printable, shown
from sacma.optimize.arguments import hides_a_value, holds_text, is_no_number
from sacma.surrogate.whitening import Array

Function = Callable[[Array], Any]
Task = tuple[int, Array]  # the number of an evaluation, and its point

LONGEST_FAILURE = 500  # characters of an exception's text that are kept
LONGEST_TRACE = 20_000  # characters of a traceback that comes from another process

MISTAKES = (AttributeError, IndexError, KeyError, NameError, TypeError)
"""Exceptions that, raised at every point, come from a mistake in f."""

ALIKE = 3  # first evaluations that show a mistake in f where they fail alike


class Raised:
    """An exception of f that may be a mistake in it; it can be sent from one process to another.

    What arrives there is of the same type, where that is Python's own, and else of the one of ``MISTAKES`` that it
    is; the traceback is its cause, as text.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        error, kind = self.error, type(self.error)
        pythons = kind.__module__ == "builtins"
        if not pythons:
            kind = next(mistake for mistake in MISTAKES if isinstance(error, mistake))
        plain = pythons and all(type(argument) in {str, int, float} for argument in error.args)
        trace = printable("".join(traceback.format_exception(error)), keep="\n")[-LONGEST_TRACE:]
        return _raised_elsewhere, (kind, error.args if plain else (_one_line(error),), trace)


class RaisedElsewhere(Exception):  # noqa: N818 what it says
    """The traceback of an exception that another process raised."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def _raised_elsewhere(kind: type[Exception], arguments: tuple[Any, ...], trace: str) -> Raised:
    error = kind(*arguments)
    error.__cause__ = RaisedElsewhere(trace)
    return Raised(error)


class Evaluation(NamedTuple):
    """The value of f at a point, or the reason why it has none."""

    value: float  # finite; NaN where the evaluation failed
    failure: str = ""  # why it failed, one line; empty where it did not
    raised: Raised | None = None  # the exception, where it is one of ``MISTAKES`` and has just been raised
    constraints: tuple[float, ...] = ()  # m finite numbers beside a value, none beside a failure


class ConstrainedValue(NamedTuple):
    """A point's return values of f and of its constraints, before they are checked."""

    value: object  # of f
    constraints: object  # of all constraints
    number: int  # m: how many are expected


BESIDE, KNOWN = "beside", "known"


class LogEntry(NamedTuple):
    """An evaluation in the log of a run."""

    number: int  # from 1, in the order in which points were asked for; 0: it was not asked for, and costs nothing
    point: Array  # shape (D,)
    evaluation: Evaluation
    place: int | str  # of its point among those that the search waits for; BESIDE them; KNOWN: models alone learn of it
    moved: bool = False  # evaluated near the point that was asked for, in its place
    late: bool = False  # after the run had ended


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
    """Return the evaluation that returned something: whatever is one finite number is its value.

    With constraints it is a ``ConstrainedValue``, whose numbers are all finite.

    >>> evaluation_of(np.array([2.5])).value
    2.5
    >>> evaluation_of(float("inf")).failure
    'f is inf; allowed: one finite number'
    """
    try:
        return _evaluation_of(returned)
    except Exception:  # noqa: BLE001 the class may be anybody's
        return _no_number(returned)


def _evaluation_of(returned: object) -> Evaluation:
    if isinstance(returned, ConstrainedValue):
        evaluation, constraints = evaluation_of(returned.value), _finite(returned.constraints, returned.number)
        if evaluation.failure:
            return evaluation
        if constraints is not None:
            return evaluation._replace(constraints=constraints)
        given = shown(returned.constraints)
        return Evaluation(math.nan, f"constraints are {given}; allowed: {returned.number} finite numbers")
    value = _number(returned)
    if value is None or not math.isfinite(value):
        return _no_number(returned)
    return Evaluation(value)


def _no_number(returned: object) -> Evaluation:
    return Evaluation(math.nan, f"f is {shown(returned)}; allowed: one finite number")


def _number(returned: object) -> float | None:
    """Return a number, or the only one of a container of any library; None for anything else."""
    if isinstance(returned, float):  # float64 is one
        return float(returned)
    if returned is None or is_no_number(returned) or hides_a_value(returned):
        return None
    size = _size_of(returned)
    if size is None:
        return float(returned)  # type: ignore[arg-type]  # a number of any library
    if size != 1:
        return None
    with suppress(Exception):  # a tensor knows its number, and may refuse to be an array
        if not isinstance(returned, AbstractSet):
            array = np.asarray(returned)
            only = array.item() if array.size == 1 else None
            return float(only) if isinstance(only, int | float) else _number(only)
    return _number(next(iter(returned))) if isinstance(returned, Collection) else float(returned)  # type: ignore[arg-type]


def _size_of(returned: object) -> int | None:
    """Return the number of elements of a container of any library; None for what is none."""
    if isinstance(returned, str | bytes | bytearray | Mapping):
        return None
    try:
        shape = getattr(returned, "shape", None)
        return math.prod(shape) if isinstance(shape, tuple) else len(returned)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 idem
        return None


def _finite(returned: object, number: int) -> tuple[float, ...] | None:
    """Return as many finite numbers; None where it is anything else."""
    try:
        if returned is None or hides_a_value(returned) or holds_text(returned):
            return None
        array = np.atleast_1d(np.asarray(returned))
        if array.shape != (number,) or array.dtype.kind not in "biufO" or not np.all(np.isfinite(array.astype(float))):
            return None
    except Exception:  # noqa: BLE001 as above
        return None
    return tuple(array.astype(float).tolist())


def evaluate(fun: Function, point: Array) -> Evaluation:
    """Evaluate f, which may write to ``point``. An exception is a failed evaluation."""
    try:
        returned = fun(point)
    except Exception as error:  # noqa: BLE001 the border of the user's function
        return Evaluation(math.nan, _one_line(error), Raised(error) if isinstance(error, MISTAKES) else None)
    evaluation = evaluation_of(returned)
    if evaluation.failure and never_a_number(returned):
        return evaluation._replace(raised=Raised(TypeError(evaluation.failure)))
    return evaluation


def evaluate_apart(fun: Function, point: Array) -> Evaluation:
    """Evaluate f in a worker, whose end by ``sys.exit`` is a failed evaluation, too."""
    try:
        return evaluate(fun, point)
    except SystemExit as error:
        return Evaluation(math.nan, _one_line(error))


def never_a_number(returned: object) -> bool:
    """Recognize what f returns by mistake, unlike None, NaN and infinity: text, complex, several numbers, no number."""
    try:
        return _is_by_mistake(returned)
    except Exception:  # noqa: BLE001 the class may be anybody's
        return False


def _is_by_mistake(returned: object) -> bool:
    if isinstance(returned, ConstrainedValue):
        return never_a_number(returned.value) or _size_of(returned.constraints) not in {None, 0, returned.number}
    if isinstance(returned, np.ndarray | np.generic) and returned.dtype.kind in "cSU":
        return True
    no_number = (str, bytes, complex, Mapping, Coroutine, Generator)
    return isinstance(returned, no_number) or _size_of(returned) not in {None, 0, 1}


def _one_line(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 a __str__ may do anything
        text = ""
    kind = type(error).__name__
    return one_line(f"{kind}: {text}" if text.strip() else kind, LONGEST_FAILURE)


class FirstEvaluations:
    """The first evaluations of a call, watched as long as all have failed with the same type of exception."""

    def __init__(self, *, watched: bool) -> None:
        self._errors: list[Exception] | None = [] if watched else None
        self.mistake: Exception | None = None  # that has been raised

    def check(self, evaluation: Evaluation, *, any_value: bool) -> None:
        """Raise the first exception, with a note, where enough have failed alike, and none has given any value."""
        if self._errors is None:
            return
        error = None if evaluation.raised is None else evaluation.raised.error
        if error is None or any_value or type(error) is not type((self._errors or [error])[0]):
            self._errors = None
            return
        self._errors.append(error)
        if len(self._errors) == ALIKE:
            first = self._errors[0]
            first.add_note(
                f"each of the first {ALIKE} evaluations has failed with {type(first).__name__}, as by a mistake in f; "
                "where such evaluations are to count as failed, let f return None instead, or give max_failures=None"
            )
            self.mistake = first
            raise first
