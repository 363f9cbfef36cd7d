"""Evaluations of f, one after another or by workers, and mistakes in it."""

import math
import os
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sacma.death import death_in, in_words
from sacma.files.printable import one_line, printable, shown
from sacma.optimize.arguments import hides_a_value, holds_text, is_no_number, refuse, whole
from sacma.surrogate.whitening import Array
from sacma.threads import threads

Function = Callable[[Array], Any]

LONGEST_FAILURE = 500  # characters of an exception's text that are kept
LONGEST_TRACE = 20_000  # characters of a traceback that comes from another process

MISTAKES = (AttributeError, IndexError, KeyError, NameError, TypeError)
"""Exceptions that, raised at every point, come from a mistake in f."""

MOST_WORKERS = 100_000  # processes that a call can ask for
RECOUNTED = 5.0  # seconds after which the workers of a cluster are counted again
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


class Evaluated(NamedTuple):
    """A point and its evaluation, as it is recorded."""

    point: Array  # shape (D,)
    evaluation: Evaluation
    begun: int | None = None  # evaluations that had begun when it ended; None: all of the population, and none beside


Known = Mapping[int, Evaluated]  # evaluations by number, from 1 in the order in which they began


def as_arrays(known: Known, dimension: int) -> tuple[Array, Array]:
    """Return points, shape (n, D), and values, shape (n,), NaN where an evaluation failed, by number."""
    ordered = [known[number] for number in sorted(known)]
    points = np.array([each.point for each in ordered], dtype=float).reshape(-1, dimension)
    return points, np.array([each.evaluation.value for each in ordered], dtype=float)


def constraints_of_all(known: Known, number: int) -> Array:
    """Return the constraints of evaluations, shape (n, m), NaN where one failed, by number."""
    failed = (math.nan,) * number
    rows = [known[each].evaluation.constraints or failed for each in sorted(known)]
    return np.array(rows, dtype=float).reshape(-1, number) if number else np.empty((len(known), 0))


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
    if isinstance(returned, ConstrainedValue):
        evaluation, constraints = evaluation_of(returned.value), _finite(returned.constraints, returned.number)
        if evaluation.failure:
            return evaluation
        if constraints is not None:
            return evaluation._replace(constraints=constraints)
        given = shown(returned.constraints)
        return Evaluation(math.nan, f"constraints are {given}; allowed: {returned.number} finite numbers")
    value = float(returned) if isinstance(returned, float) else _number(returned)  # float64 is a float
    if value is None or not math.isfinite(value):
        return Evaluation(math.nan, f"f is {shown(returned)}; allowed: one finite number")
    return Evaluation(value)


def _number(returned: object) -> float | None:
    try:
        if returned is None or is_no_number(returned) or hides_a_value(returned):
            return None
        if isinstance(returned, Sequence | np.ndarray):
            array = np.asarray(returned)
            return float(array.item()) if array.size == 1 and array.dtype.kind in "biuf" else None
        return float(returned)  # type: ignore[arg-type]  # a number of any library
    except Exception:  # noqa: BLE001 the class may be anybody's
        return None


def _finite(returned: object, number: int) -> tuple[float, ...] | None:
    """Return as many finite numbers; None where it is anything else."""
    try:
        if returned is None or hides_a_value(returned) or holds_text(returned):
            return None
        array = np.atleast_1d(np.asarray(returned))
        if array.shape != (number,) or array.dtype.kind not in "biufO" or not np.all(np.isfinite(array.astype(float))):
            return None
    except Exception:  # noqa: BLE001 the class may be anybody's
        return None
    return tuple(array.astype(float).tolist())


def evaluate(fun: Function, point: Array) -> Evaluation:
    """Evaluate f, which may write to ``point``. An exception is a failed evaluation."""
    try:
        returned = fun(point)
    except Exception as error:  # noqa: BLE001 the border of the user's function
        return Evaluation(math.nan, _one_line(error), Raised(error) if isinstance(error, MISTAKES) else None)
    evaluation = evaluation_of(returned)
    if evaluation.failure and _never_a_number(returned):
        return evaluation._replace(raised=Raised(TypeError(evaluation.failure)))
    return evaluation


def _never_a_number(returned: object) -> bool:
    """Recognize what f returns by mistake, unlike None, NaN and infinity: text, complex and several numbers."""
    if isinstance(returned, ConstrainedValue):
        return _never_a_number(returned.value) or _of_another_size(returned.constraints, returned.number)
    return isinstance(returned, str | bytes | complex) or _of_another_size(returned, 1)


def _of_another_size(returned: object, size: int) -> bool:
    if isinstance(returned, np.ndarray):
        return returned.size not in {0, size}
    return isinstance(returned, list | tuple) and len(returned) not in {0, size}


def _one_line(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 a __str__ may do anything
        text = ""
    kind = type(error).__name__
    return one_line(f"{kind}: {text}" if text.strip() else kind, LONGEST_FAILURE)


Task = tuple[int, Array]  # the number of an evaluation, and its point
Evaluations = Generator[tuple[int, Evaluation], None, None]  # evaluations by their number, in any order, as they come
Evaluator = Callable[[Function, Sequence[Task]], Evaluations]  # evaluates f


def one_by_one(fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in this thread; none is begun before the last has been taken."""
    for number, point in tasks:
        yield number, evaluate(fun, point)


def in_executor(executor: Executor, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in an executor; what has not begun when nobody takes evaluations any more does not begin."""
    futures = {executor.submit(evaluate, fun, point): number for number, point in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], _taken(future)
    finally:
        for future in futures:
            future.cancel()


def _taken(future: Future[Evaluation]) -> Evaluation:
    """Return the evaluation of an executor; it has failed if dask's workers have died of it more than once."""
    try:
        return future.result()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # of dask, which need not be installed
            raise
        return Evaluation(math.nan, "the workers that evaluated it died")


def with_joblib(parallel: Any, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in the workers of a ``joblib.Parallel``."""
    from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

    results = parallel(delayed(_numbered)(fun, task) for task in tasks)
    try:
        for evaluation in results:  # noqa: UP028 `yield from` would close them with joblib's warning
            yield evaluation
    finally:
        if hasattr(results, "close"):  # ends what has not been taken
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # joblib's, that some results were not taken
                results.close()


def _numbered(fun: Function, task: Task) -> tuple[int, Evaluation]:
    number, point = task
    return number, evaluate(fun, point)


@dataclass(frozen=True)
class Executed:
    """An executor as workers that take one point at a time."""

    executor: Executor
    client: Any = None  # of dask, whose workers these are

    def size(self) -> int | None:
        """Return the number of evaluations at a time, None where it is not known."""
        if self.client is not None:
            return max(1, sum(map(int, self.client.nthreads().values())))  # one waits for the first worker to come
        counts = (getattr(self.executor, name, None) for name in ("max_workers", "_max_workers"))
        return next((int(count) for count in counts if isinstance(count, int) and count > 0), None)

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation."""
        return self.executor.submit(evaluate, fun, point)

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended."""
        return _taken(future)

    def close(self) -> None:
        """Do nothing: the executor is its owner's."""


class Processes:
    """Processes of this machine and of this call alone, started as they are needed.

    Each has a joblib (loky) executor of its own: where one dies, its evaluation has failed, and no other has.
    """

    def __init__(self, count: int) -> None:
        self.count = count  # -1: one a core
        self._idle: list[Any] = []  # executors
        self._busy: dict[Future[Evaluation], Any] = {}

    def size(self) -> int:
        """Return the number of processes."""
        from joblib import cpu_count  # noqa: PLC0415 for those who use it

        return int(cpu_count()) if self.count < 0 else self.count

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation; at most ``size`` are begun and not taken."""
        executor = self._idle.pop() if self._idle else self._started()
        future: Future[Evaluation] = executor.submit(evaluate, fun, point)
        self._busy[future] = executor
        return future

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended; it has failed if its process has died."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415 as above

        try:
            evaluation = future.result()
        except TerminatedWorkerError as error:
            self._busy.pop(future).shutdown(wait=False)
            return Evaluation(math.nan, in_words(death_in(str(error))))
        self._idle.append(self._busy.pop(future))
        return evaluation

    def close(self) -> None:
        """End the processes; those in which evaluations are running are killed."""
        for executors, kill in ((list(self._busy.values()), True), (self._idle, False)):
            for executor in executors:
                with suppress(Exception):
                    executor.shutdown(wait=not kill, kill_workers=kill)
        self._busy, self._idle = {}, []

    def _started(self) -> Any:
        from joblib import cpu_count  # noqa: PLC0415 as above
        from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415 as above

        limits = threads(max(1, cpu_count() // self.size()))  # as in joblib's own workers
        return ProcessPoolExecutor(1, env={name: os.environ.get(name, limits[name]) for name in limits})


Pool = Executed | Processes  # workers that take one point at a time


@dataclass(frozen=True)
class Generations:
    """Processes that evaluate whole generations, and are the same for all of them."""

    processes: Processes

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Evaluations:
        """Evaluate the tasks."""
        waiting = iter(tasks)
        return as_they_come(self.processes, fun, lambda: next(waiting, None))

    def close(self) -> None:
        """End the processes."""
        self.processes.close()


def as_they_come(pool: Pool, fun: Function, begin: Callable[[], Task | None]) -> Evaluations:
    """Evaluate what ``begin`` gives, one more point as soon as a worker is free and its evaluation has been taken.

    It ends when there is nothing to begin, None, and all that has begun has been taken.
    """
    running: dict[Future[Evaluation], int] = {}
    ended: deque[tuple[int, Future[Evaluation]]] = deque()
    try:
        while True:
            while len(running) + len(ended) < (pool.size() or 1) and (task := begin()) is not None:
                number, point = task
                running[pool.submit(fun, point)] = number
            if not ended:
                done, _ = wait(running, RECOUNTED, FIRST_COMPLETED)
                ended.extend(sorted(((running.pop(future), future) for future in done), key=lambda each: each[0]))
            if ended:
                number, future = ended.popleft()
                yield number, pool.take(future)
            elif not running:
                return
    finally:
        for future in running:
            future.cancel()


ALLOWED_WORKERS = (
    "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor, a dask.distributed.Client "
    "or a joblib.Parallel"
)


def pool_of(workers: object, *, asynchronous: object) -> Pool | None:
    """Return workers that take one point at a time; None where they take a generation as a whole.

    Args:
        workers: as ``minimize`` takes them.
        asynchronous: as in ``sacma.minimize``.
    """
    if not isinstance(asynchronous, bool | None):
        refuse("asynchronous", asynchronous, "True, False, or None: True where the workers can be", of_type=True)
    if asynchronous is False or workers is None:
        return None
    if _is_joblib(workers):
        pool = None
    elif (executed := _executed(workers)) is not None:
        pool = executed if executed.size() else None
    elif (count := _count(workers)) == 1:
        return None
    else:
        return Processes(count)
    if pool is None and asynchronous:
        can = "False or None with a joblib.Parallel or an executor without max_workers, which get whole generations"
        refuse("asynchronous", asynchronous, can)
    return pool


def evaluator_of(workers: object) -> Evaluator:
    """Return the evaluator of whole generations by ``workers``, as ``minimize`` takes them."""
    if (executed := _executed(workers)) is not None:
        return partial(in_executor, executed.executor)
    if _is_joblib(workers):
        return partial(with_joblib, workers)
    if (count := _count(workers)) == 1:
        return one_by_one
    return Generations(Processes(count))


def _executed(workers: Any) -> Executed | None:
    """Return an executor, or that of a client of dask."""
    if isinstance(workers, Executor):
        client = getattr(workers, "_client", None)  # of dask's executor
        return Executed(workers, client if hasattr(client, "nthreads") else None)
    if hasattr(workers, "get_executor") and hasattr(workers, "nthreads"):
        if getattr(workers, "asynchronous", False):
            refuse("workers", workers, "a client of dask with asynchronous=False")
        return Executed(workers.get_executor(pure=False), workers)  # the same point is evaluated as often as asked for
    return None


def _is_joblib(workers: object) -> bool:
    return callable(workers) and hasattr(workers, "n_jobs") and hasattr(workers, "return_generator")


def _count(workers: object) -> int:
    """Return a number of processes."""
    count = 1 if workers is None else whole("workers", workers, ALLOWED_WORKERS, least=-1, most=MOST_WORKERS)
    if count == 0:
        refuse("workers", workers, ALLOWED_WORKERS)
    return count


class FirstEvaluations:
    """The first evaluations of a call, watched as long as all have failed with the same type of exception."""

    def __init__(self, *, watched: bool) -> None:
        self._errors: list[Exception] | None = [] if watched else None

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
            raise first
