"""Evaluations of f: what becomes of them, and who makes those of a generation."""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from typing import Any, NamedTuple, Protocol

import numpy as np

from sacma.optimize.arguments import refuse, whole
from sacma.printable import shown
from sacma.surrogate.whitening import Array

Function = Callable[[Array], Any]


class Outcome(NamedTuple):
    """What an evaluation gave.

    Args:
        value: of f, finite; NaN where it failed.
        failure: why it failed, one line; empty where it did not.
    """

    value: float
    failure: str = ""


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
    if isinstance(returned, str | bytes | bytearray | complex) or returned is None:
        return None
    try:
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
        return Outcome(math.nan, _one_line(error))
    return outcome_of(returned)


def _one_line(error: Exception) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 a __str__ may do anything
        text = ""
    return f"{type(error).__name__}: {text}"[:500] if text else type(error).__name__


Task = tuple[int, Array]
"""The place of a point in its population, and the point."""


class Evaluator(Protocol):
    """Evaluates points and gives their outcomes as they come.

    ``one_by_one`` says that no point is begun before the last outcome has been taken.
    """

    one_by_one: bool

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome of each task, in any order."""


class Serial:
    """In this thread, one after the other."""

    one_by_one = True

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome of each task, in their order."""
        for place, point in tasks:
            yield place, evaluate(fun, point)


class InExecutor:
    """In an executor of ``concurrent.futures``, or one with its ``submit``."""

    one_by_one = False

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
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

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield outcomes as joblib gives them."""
        from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

        results = self._parallel(delayed(_placed)(fun, task) for task in tasks)
        with contextlib.ExitStack() as stack:
            if hasattr(results, "close"):
                stack.callback(results.close)  # which ends what has not been taken
            yield from results


def _placed(fun: Function, task: Task) -> tuple[int, Outcome]:
    place, point = task
    return place, evaluate(fun, point)


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
    count = whole("workers", workers, allowed, least=-1)
    if count == 0:
        refuse("workers", workers, allowed)
    if count == 1:
        return Serial()
    from joblib import Parallel  # noqa: PLC0415 for those who use it

    return InJoblib(Parallel(n_jobs=count, return_as="generator_unordered"))
