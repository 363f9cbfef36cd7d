"""Evaluations of f: what becomes of them, and who makes those of a generation."""

import contextlib
import math
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, as_completed
from typing import Any, NamedTuple, Protocol

import numpy as np

from sacma.files.printable import one_line, printable, shown
from sacma.optimize.arguments import hides_a_value, is_no_number, refuse, whole
from sacma.surrogate.whitening import Array

Function = Callable[[Array], Any]

LONGEST_FAILURE = 500
"""Characters of an exception's text that are kept."""

LONGEST_TRACE = 20_000
"""Characters of a traceback that comes from another process."""

MISTAKES = (AttributeError, IndexError, KeyError, NameError, TypeError)
"""Exceptions that, raised at every point, come from a mistake in f."""


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


class Outcome(NamedTuple):
    """What an evaluation gave.

    Args:
        value: of f, finite; NaN where it failed.
        failure: why it failed, one line; empty where it did not.
        raised: the exception, where it is one of ``MISTAKES`` and has just been raised.
    """

    value: float
    failure: str = ""
    raised: Raised | None = None


def outcome_of(returned: object) -> Outcome:
    """Return the outcome of an evaluation that returned something: whatever is one finite number is its value.

    >>> outcome_of(np.array([2.5])).value
    2.5
    >>> outcome_of(float("inf")).failure
    'f is inf; allowed: one finite number'
    """
    value = float(returned) if isinstance(returned, float) else _number(returned)  # float64 is a float
    if value is None or not math.isfinite(value):
        return Outcome(math.nan, f"f is {shown(returned)}; allowed: one finite number")
    return Outcome(value)


def _number(returned: object) -> float | None:
    if returned is None:
        return None
    try:
        if is_no_number(returned) or hides_a_value(returned):
            return None
        if isinstance(returned, Sequence | np.ndarray):
            array = np.asarray(returned)
            return float(array.item()) if array.size == 1 and array.dtype.kind in "biuf" else None
        return float(returned)  # type: ignore[arg-type]  # a number of any library
    except Exception:  # noqa: BLE001 the class may be anybody's
        return None


def evaluate(fun: Function, point: Array) -> Outcome:
    """Evaluate f, which may write to ``point``. An exception is a failed evaluation."""
    try:
        returned = fun(point)
    except Exception as error:  # noqa: BLE001 the border of the user's function
        return Outcome(math.nan, _one_line(error), Raised(error) if isinstance(error, MISTAKES) else None)
    return outcome_of(returned)


def _one_line(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 a __str__ may do anything
        text = ""
    kind = type(error).__name__
    return one_line(f"{kind}: {text}" if text.strip() else kind, LONGEST_FAILURE)


ALIKE = 3
"""First evaluations that show a mistake in f where they fail alike."""


class FirstEvaluations:
    """The first evaluations of a call, as long as all have failed with an exception of the same type."""

    def __init__(self) -> None:
        self._errors: list[Exception] = []
        self.over = False

    def mistake(self, outcome: Outcome, *, any_value: bool) -> Exception | None:
        """Take the next outcome; return the first exception, with a note, where enough have failed alike.

        Args:
            outcome: with an exception of ``MISTAKES``, or another, after which no mistake is looked for.
            any_value: whether any evaluation, an earlier run's included, gave a value.
        """
        error = None if outcome.raised is None else outcome.raised.error
        if error is None or any_value or (self._errors and type(error) is not type(self._errors[0])):
            self.over, self._errors = True, []
            return None
        self._errors.append(error)
        if len(self._errors) < ALIKE:
            return None
        first = self._errors[0]
        first.add_note(
            f"f raised {type(first).__name__} at each of its first {ALIKE} evaluations, as a mistake in it would; "
            "where such evaluations are to count as failed, let f return None instead, or give max_failures=None"
        )
        return first


Task = tuple[int, Array]
"""The place of a point in its population, and the point."""


class Evaluator(Protocol):
    """Evaluates points and gives their outcomes as they come.

    ``one_by_one`` says that no point is begun before the last outcome has been taken.
    """

    one_by_one: bool

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Generator[tuple[int, Outcome], None, None]:
        """Yield the outcome of each task, in any order."""


class Serial:
    """In this thread, one after the other."""

    one_by_one = True

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Generator[tuple[int, Outcome], None, None]:
        """Yield the outcome of each task, in their order."""
        for place, point in tasks:
            yield place, evaluate(fun, point)


class InExecutor:
    """In an executor of ``concurrent.futures``, or one with its ``submit``."""

    one_by_one = False

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Generator[tuple[int, Outcome], None, None]:
        """Yield outcomes as they come; what has not begun when nobody takes them any more does not begin."""
        futures = {self._executor.submit(evaluate, fun, point): place for place, point in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()


class InJoblib:
    """In the workers of a ``joblib.Parallel``."""

    one_by_one = False

    def __init__(self, parallel: Any) -> None:
        self._parallel = parallel

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Generator[tuple[int, Outcome], None, None]:
        """Yield outcomes as joblib gives them."""
        from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

        results = self._parallel(delayed(_placed)(fun, task) for task in tasks)
        with contextlib.ExitStack() as stack:
            if hasattr(results, "close"):
                stack.callback(_close, results)  # which ends what has not been taken
            yield from results


def _close(results: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # joblib's, that some results were not taken
        results.close()


def _placed(fun: Function, task: Task) -> tuple[int, Outcome]:
    place, point = task
    return place, evaluate(fun, point)


MOST_WORKERS = 100_000
"""Processes that a call can ask for."""


def evaluator_of(workers: object) -> Evaluator:
    """Return who makes the evaluations.

    Args:
        workers: None or 1: this thread. Another integer: so many processes, through joblib; -1: one a core. Or an
            executor of ``concurrent.futures``, or a ``joblib.Parallel``.

    Raises:
        TypeError: none of these.
        ValueError: a number that is not allowed.
    """
    allowed = "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor or a joblib.Parallel"
    if workers is None:
        return Serial()
    if isinstance(workers, Executor):
        return InExecutor(workers)
    if callable(workers) and hasattr(workers, "n_jobs") and hasattr(workers, "return_generator"):
        return InJoblib(workers)
    count = whole("workers", workers, allowed, least=-1, most=MOST_WORKERS)
    if count == 0:
        refuse("workers", workers, allowed)
    if count == 1:
        return Serial()
    from joblib import Parallel  # noqa: PLC0415 for those who use it

    return InJoblib(Parallel(n_jobs=count, return_as="generator_unordered"))
