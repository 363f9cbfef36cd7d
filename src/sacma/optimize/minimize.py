"""One call that minimises an expensive function."""

import contextlib
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import BaseModel

from sacma.optimize.arguments import checked_function, refuse
from sacma.optimize.call import Call, checked_call, checked_limits, with_noise
from sacma.optimize.evaluation import MISTAKES, Evaluation, FirstEvaluations
from sacma.optimize.interruption import interruptible, interruption_afterwards
from sacma.optimize.journal import Journal, JournalError, run_of
from sacma.optimize.methods import COMPOSED, DEFAULT
from sacma.optimize.result import Result, Status
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from sacma.optimize.workers import AsTheyCome, Evaluations, NotSentError, Numbered, Workers, workers_error, workers_of
from sacma.surrogate.whitening import Array

BUDGET_FACTOR = 250  # evaluations a dimension, where the call has no budget: the study's


def minimize(
    fun: Callable[..., Any],
    x0: Sequence[float] | Array | float | Mapping[str, Any] | None = None,
    sigma0: float | None = None,
    *,
    space: Space | None = None,
    bounds: Any = None,
    scale: Sequence[float] | Array | float | None = None,
    method: str | BaseModel = DEFAULT,
    population_size: int | None = None,
    budget: int | None = None,
    target: float | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    archive: tuple[Any, ...] | None = None,
    max_failures: int | None = 20,
    noisy: bool = False,
    journal: str | os.PathLike[str] | None = None,
    workers: Any = None,
    asynchronous: bool | None = None,
    callback: Callable[[Result], Any] | None = None,
    constraints: Any = None,
) -> Result:
    """Minimise an expensive function of D variables with surrogate-assisted CMA-ES, or another method.

    >>> import sacma
    >>> found = sacma.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] + 2) ** 2, [0, 0], 1, target=1e-8, seed=1)
    >>> found.success, found.nfev < 200
    (True, True)

    An evaluation that raises, or gives anything but one finite number, has failed: it counts and ranks behind all
    others; but where the first three raise the same, as a mistake in f does, see below. Ctrl-C ends the run as any
    other limit does: the result is what has been found. Evaluations that fail together with it have not been made.

    Args:
        fun: from an array of shape (D,), or in a ``space`` from a dict of its parameters, to a number, or an array of
            one.
        x0: initial point, shape (D,), or a dict in a ``space``; None: the centre of finite bounds. Of this and the six
            arguments that follow ``sacma.SurrogateCMAES`` has the details.
        sigma0: initial standard deviation, in units of ``scale``; None: a sixth of the widths of finite bounds.
        space: named parameters with their ranges, in place of ``bounds`` and ``scale``.
        bounds: None; a pair (lower, upper) for all coordinates; a pair a coordinate; or a scipy ``Bounds``.
        scale: size of a comparable change in each coordinate, shape (D,), or one for all; None: 1.
        method: name of a method, such as "sacma" or "cobyqa", or settings.
        population_size: λ of the first run; None: the method's own.
        budget: most evaluations, a hard limit; None: 250·D.
        target: the run ends at a value at or below it; where several workers evaluate, after what they have begun.
        time_limit: seconds after which no evaluation is begun, counted from when all that a journal knows is taken; a
            ``joblib.Parallel`` ends its generation.
        seed: of all random numbers; None: the journal's, where there is one, else drawn, and found in ``result.seed``.
            The same seed gives the same run, to the bit, unless workers evaluate asynchronously.
        archive: points evaluated already, and their values.
        max_failures: failed evaluations in a row that end the run; None: any number, whatever f raises.
        noisy: f differs from call to call: the last fifth of the budget evaluates the best points again, see
            ``sacma.SurrogateCMAES``. Workers evaluate whole rounds then, ``asynchronous=False``.
        journal: path of a file that keeps each evaluation as it ends. The same call goes on from there, whatever
            ended the last one, and pays for no evaluation twice; limits may differ.
        workers: what evaluates several points at a time: None: this thread, one after the other; an integer: so many
            processes of this machine, -1: one a core, where an evaluation whose process dies has failed; an executor of
            ``concurrent.futures``; a client of ``dask.distributed``, or its executor; or a ``joblib.Parallel``. Methods
            that call f themselves ask for one point at a time, and take none.
        asynchronous: True: an evaluation begins as soon as a worker is free, so that the run depends on the order in
            which evaluations end, and two runs with the same seed differ; each can be computed again from its journal.
            False: workers evaluate what the method asks for at a time, mostly a single point with the default method,
            a generation with "ada-kendall", and wait for its slowest point; the run is the same as without workers, to
            the bit. None: True but for workers that take whole generations: a ``joblib.Parallel``, and executors
            without a number of workers, ``max_workers``.
        callback: called with the result so far whenever the points that the method asked for, a generation or a part
            of one, are evaluated, those of a journal included; ends the run if it returns True or raises StopIteration.
            Where it has a method ``at_end``, that is called with the result before it is returned, whatever ended the
            run.
        constraints: besides bounds: a ``scipy.optimize.NonlinearConstraint`` or ``LinearConstraint``, a dict with
            ``type`` "ineq" (fun(x) ≥ 0) or "eq", ``fun`` and ``args``, or a sequence of them, evaluated together with
            ``fun`` wherever that is; or a number m: then ``fun`` returns (f, g), and a point is feasible where all m of
            g are at most 0. For methods that sample populations. Equalities count as kept up to 1e-6.

    Returns:
        The best that was found, why the run ended, and its history: see ``Result``.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it, what was given, and what is allowed.
        JournalError: an ``OSError``: the journal cannot be written any more. Its ``result`` is what was found.
        WorkersError: a ``BrokenExecutor``: an executor or ``joblib.Parallel`` of yours has lost a worker, or was shut
            down, and takes no more points. Its ``result`` is what was found.
        AttributeError, IndexError, KeyError, NameError, TypeError: f raised it at each of the first three evaluations,
            or returned a text, a dict, a complex number or several numbers (TypeError). Nothing of them is in the
            journal. Not with ``max_failures=None``.
    """
    checked_function("fun", fun)
    if callback is not None:
        checked_function("callback", callback)
    with interruption_afterwards(raised=False):
        crew = workers_of(workers, asynchronous, noisy=noisy)
        limits = checked_limits(budget=budget, target=target, time_limit=time_limit, max_failures=max_failures)
        chosen = {"method": method, "population_size": population_size, "constraints": constraints}
        call = checked_call(
            x0, sigma0, limits, bounds=bounds, scale=scale, seed=seed, archive=archive, space=space, **chosen
        )
        if call.method.strategy is None and crew.several:
            allowed = f"None with a method that asks for one point at a time; methods that take several: {COMPOSED}"
            refuse("workers", workers, allowed)
        if budget is None:
            call = replace(call, limits=replace(limits, budget=BUDGET_FACTOR * len(call.x0)))
        call = with_noise(call, noisy)
        kept = None if journal is None else Journal(journal, call)
        with _closing(kept):
            result = _minimized(call, fun, crew, kept, callback)
    _call_at_end(callback, result)
    return result


def _minimized(
    call: Call,
    given: Callable[..., Any],
    crew: Workers,
    journal: Journal | None,
    callback: Callable[[Result], Any] | None,
) -> Result:
    """Return the result of a run of ``call``, whatever ends it."""
    fun = call.constraints.beside(given)
    if call.space is not None:
        fun = _OfParams(fun, call.space)
    run = run_of(call, journal, None if callback is None else _calling(callback))
    with _closing(run), _closing(crew):
        try:
            _evaluate_all(run, fun, crew, journal)
        except KeyboardInterrupt:
            run.end(Status.INTERRUPTED)
        except NotSentError as error:
            refuse("fun", given, f"a function that can be sent to other processes ({error}), or threads as workers")
        except BrokenExecutor as error:
            raise workers_error(error, run.result()) from error
        except Exception as error:
            _attach(run.result(), error)
            raise
        with interruption_afterwards(raised=False):  # where a second one has come since
            return run.result()


@contextlib.contextmanager
def _closing(one: Run | Workers | Journal | None) -> Iterator[None]:
    """Close it at the end of the block; a Ctrl-C that no longer waits ends that alone."""
    try:
        yield
    finally:
        if one is not None:
            with contextlib.suppress(KeyboardInterrupt), interruption_afterwards():
                one.close()


def _call_at_end(callback: object, result: Result) -> None:
    """Call a callback's ``at_end``, where it has one; a Ctrl-C cannot end the run any more."""
    if callable(at_end := getattr(callback, "at_end", None)):
        try:
            with contextlib.suppress(KeyboardInterrupt):
                at_end(result)
        except Exception as error:
            _attach(result, error)
            raise


def _attach(result: Result, error: Exception) -> None:
    """Give an error, such as a callback's, what was found until then."""
    if result.nfev and not hasattr(error, "result"):
        with contextlib.suppress(AttributeError, TypeError):  # of a class that takes no more attributes
            error.result = result  # type: ignore[attr-defined]
            if not isinstance(error, MISTAKES):  # which have a note of their own
                error.add_note(f"what {result.nfev} evaluations have found is in this exception's attribute result")


@dataclass(frozen=True)
class _OfParams:
    """A function of parameters as one of their coordinates; it can be sent to other processes."""

    fun: Callable[[dict[str, Any]], Any]
    space: Space

    def __call__(self, point: Array) -> Any:
        return self.fun(self.space.params(point))


def _evaluate_all(run: Run, fun: Callable[[Array], Any], workers: Workers, journal: Journal | None) -> None:
    """Evaluate what the run asks for until it ends."""
    with interruptible():
        run.resume()
    first = FirstEvaluations(watched=run.call.limits.max_failures < math.inf)
    while run.status == Status.GOING_ON:
        with contextlib.closing(_evaluations(run, fun, workers)) as evaluations:
            latest: list[Numbered] = []
            try:
                while workers.several or run.status == Status.GOING_ON:
                    with interruptible():
                        latest[:] = itertools.islice(evaluations, 1)  # none is lost between its end and the next line
                    if not latest:
                        break
                    ((number, evaluation),) = latest
                    first.check(evaluation, any_value=run.evaluations > run.failures)
                    _record(run, number, evaluation)
            except BaseException as error:
                untaken = [each for each in latest if each[0] not in run.ended and each[0] != run.written]
                rest: Iterator[Numbered] = itertools.chain(
                    untaken, _until_interrupted(workers.rest(evaluations, error))
                )
                if isinstance(error, KeyboardInterrupt):  # which may have killed what f waits for
                    rest = (each for each in rest if not each[1].failure)
                with interruptible() if isinstance(error, Exception) else interruption_afterwards():
                    if error is first.mistake and journal is not None:
                        rest = iter(told := list(rest))
                        if all(evaluation.failure for _, evaluation in told):
                            journal.withdraw()
                            raise
                    _keep_rest(run, rest, records=not isinstance(error, JournalError))
                if isinstance(error, JournalError):
                    error.result = run.result()
                raise
    with interruptible():  # answers a Ctrl-C that came with the last evaluation
        pass


def _until_interrupted(rest: Iterator[Numbered]) -> Iterator[Numbered]:
    """Return what is awaited after an error, until a Ctrl-C: that ends the waiting, and the error is still raised."""
    with contextlib.suppress(KeyboardInterrupt):
        yield from rest


def _record(run: Run, number: int, evaluation: Evaluation) -> None:
    """Take an evaluation; at the end of the run, and unrecorded, where the journal cannot be written any more."""
    try:
        run.record(number, evaluation)
    except JournalError:
        run.keep(number, evaluation, records=False)
        run.end(Status.INTERRUPTED)
        raise


def _keep_rest(run: Run, rest: Iterator[Numbered], *, records: bool) -> None:
    """Take what other workers evaluated when something ended the call, and record it where that can be done."""
    for number, evaluation in rest:
        with interruption_afterwards(raised=False):
            try:
                run.keep(number, evaluation, records=records)
            except JournalError:
                records = False
                run.keep(number, evaluation, records=False)


def _evaluations(run: Run, fun: Callable[[Array], Any], workers: Workers) -> Evaluations:
    """Evaluate a generation, or asynchronously all until the run ends."""
    if workers.pool is None or not workers.asynchronous:
        return workers.evaluate(fun, run.tasks(), lambda: run.status == Status.TIME_LIMIT)
    return AsTheyCome(workers.pool, fun, run.begin, lambda: run.status not in {Status.GOING_ON, Status.BUDGET})


def _calling(callback: Callable[[Result], Any]) -> Callable[[Run], None]:
    def call(run: Run) -> None:
        try:
            result = run.result()
            with interruptible():
                ended = callback(result)
        except StopIteration:
            ended = True
        if isinstance(ended, bool | np.bool) and ended:
            run.end(Status.CALLBACK)

    return call
