"""One call that minimises an expensive function."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from pydantic import BaseModel

from sacma.optimize.arguments import checked_function, flag, refuse, says_ours
from sacma.optimize.call import ARGUMENTS, Call, Tolerance, checked_call
from sacma.optimize.direct import DirectRun
from sacma.optimize.evaluation import MISTAKES, Evaluation, FirstEvaluations
from sacma.optimize.journal import Journal, JournalError
from sacma.optimize.log import Log
from sacma.optimize.methods import COMPOSED, DEFAULT
from sacma.optimize.pool import Crew, WorkersError, crew_of
from sacma.optimize.result import Result, Status
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from sacma.process_wide import surely, unbroken
from sacma.types import Array

BUDGET_FACTOR = 250  # evaluations a dimension, where the call has no budget: the study's


@says_ours
def minimize(
    fun: Callable[..., Any],
    x0: Any = None,
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
    known: tuple[Any, ...] | None = None,
    max_failures: int | None = 20,
    tolerance: Tolerance | float | None = None,
    restarts: int | None = None,
    noisy: bool = False,
    journal: str | os.PathLike[str] | None = None,
    retry_failed: bool = False,
    evaluation_timeout: float | None = None,
    workers: Any = None,
    asynchronous: bool | None = None,
    callback: Callable[[Result], Any] | None = None,
    progress: bool = False,
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
        x0: initial point, shape (D,), or a dict in a ``space``; or a list of several, all of which are evaluated first;
            None: the centre of finite bounds. Of this and the six arguments that follow ``sacma.Optimizer`` has the
            details.
        sigma0: initial standard deviation, in units of ``scale``; None: a sixth of the widths of finite bounds.
        space: named parameters with their ranges, in place of ``bounds`` and ``scale``.
        bounds: None; a pair (lower, upper) for all coordinates; a pair a coordinate; or a scipy ``Bounds``.
        scale: size of a comparable change in each coordinate, shape (D,), or one for all; None: 1.
        method: name of a method, such as "sacma" or "cobyqa", or settings.
        population_size: λ of the first run; None: the method's own.
        budget: most evaluations, a hard limit; None: 250·D.
        target: the run ends at a value at or below it; where several workers evaluate, after what they have begun.
        time_limit: seconds after which no evaluation is begun, counted from when all that a journal knows is taken.
        seed: of all random numbers; None: the journal's, where there is one, else drawn, and found in ``result.seed``.
            The same seed gives the same run, to the bit, unless workers evaluate asynchronously.
        known: points evaluated already, and their values.
        max_failures: failed evaluations in a row that end the run; None: any number, whatever f raises.
        tolerance: least gain of the best value over 10 evaluations a dimension, or a ``sacma.Tolerance``: a run of the
            method that gains less ends, and the call only with ``restarts=0``, or with a method that calls f itself:
            else a restart follows.
        restarts: most restarts of the method, 0: none; None: as many as it makes. None with methods that call f
            themselves.
        noisy: f differs from call to call: the last fifth of the budget evaluates the best points again, see
            ``sacma.Optimizer``.
        journal: path of a file that keeps each evaluation as it ends. The same call goes on from there, whatever
            ended the last one, and pays for no evaluation twice; limits and workers may differ.
        retry_failed: evaluations of the journal that failed are tried again, as where f has been corrected.
        evaluation_timeout: seconds after which an evaluation has failed, and its process is ended; f then runs in
            processes of this call, one or ``workers``.
        workers: what evaluates several points at a time: None: this thread, one after the other; an integer: so many
            processes of this machine, -1: one a core, where an evaluation whose process dies has failed; an executor of
            ``concurrent.futures``, of joblib's loky for instance; a client of ``dask.distributed``, or its executor.
            Methods that call f themselves take none.
        asynchronous: True: an evaluation begins as soon as a worker is free, so that the run depends on the order in
            which evaluations end, and two runs with the same seed differ.
            False: workers evaluate what the method asks for at a time, mostly a single point with the default method,
            a generation with "ada-kendall", and wait for its slowest point; the run is the same as without workers, to
            the bit. None: True but for executors without a number of workers, ``max_workers``.
        callback: called with the result so far whenever the points that the method asked for, a generation or a part
            of one, are evaluated, those of a journal included; ends the run if it returns True or raises StopIteration.
            Where it has a method ``at_end``, that is called with the result before it is returned, whatever ended the
            run.
        progress: show evaluations, the best value and the time that is left in a line on standard error.
        constraints: besides bounds: a ``scipy.optimize.NonlinearConstraint`` or ``LinearConstraint``, a dict with
            ``type`` "ineq" (fun(x) ≥ 0) or "eq", ``fun`` and ``args``, or a sequence of them, evaluated together with
            ``fun`` wherever that is; or a number m: then ``fun`` returns (f, g), and a point is feasible where all m of
            g are at most 0. For methods that sample populations. Equalities count as kept up to 1e-6.

    Returns:
        The best that was found, why the run ended, and its history: see ``Result``.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it, what was given, and what is allowed.
        JournalError: an ``OSError``: the journal cannot be written any more. Its ``result`` is what was found.
        WorkersError: a ``BrokenExecutor``: an executor of yours has lost a worker, was shut down, or cannot be sent f.
            Its ``result`` is what was found.
        AttributeError, IndexError, KeyError, NameError, TypeError: f raised it at each of the first three evaluations,
            or returned a text, a dict, a complex number or several numbers (TypeError). Nothing of them is in the
            journal. Not with ``max_failures=None``.
    """
    arguments = {name: value for name, value in locals().items() if name in ARGUMENTS}
    checked_function("fun", fun)
    if callback is not None:
        checked_function("callback", callback)
    crew = crew_of(workers, asynchronous, evaluation_timeout)
    call = checked_call(**arguments, budget_factor=BUDGET_FACTOR)
    if call.method.strategy is None and crew.several and evaluation_timeout is None:
        allowed = f"None with a method that calls f itself; methods that take several points: {COMPOSED}"
        refuse("workers", workers, allowed)
    watchers = [] if callback is None else [callback]
    shows, again = flag("progress", progress), flag("retry_failed", retry_failed)
    given = call.constraints.beside(fun)  # both can be sent to other processes
    evaluated = given if call.space is None else partial(_at_params, given, call.space)
    with ExitStack() as opened:
        opened.callback(surely, crew.close, raised=False)
        kept = None if journal is None else Journal(journal, call, retry_failed=again)
        if kept is not None:
            opened.callback(surely, kept.close, raised=False)
        if shows:
            watchers.insert(0, opened.enter_context(_progress_line(call.limits.budget)))
        result = _Minimization(call, kept, evaluated, crew, watchers).result()
        if shows:
            watchers[0](result)
    try:
        if callable(at_end := getattr(callback, "at_end", None)):
            with suppress(KeyboardInterrupt):  # which cannot end the run any more
                at_end(result)
    except Exception as error:
        _attach(result, error)
        raise
    return result


class _Minimization:
    """A run of a call, with the workers that evaluate its points, and callbacks that watch it."""

    def __init__(
        self,
        call: Call,
        journal: Journal | None,
        fun: Callable[[Array], Any],
        crew: Crew,
        watchers: Sequence[Callable[[Result], Any]],
    ) -> None:
        self._journal, self._fun, self._crew, self._watchers = journal, fun, crew, watchers
        self._first = FirstEvaluations(watched=call.limits.max_failures < math.inf)
        self._earlier = [] if journal is None else journal.entries
        self.run: Run | DirectRun
        if call.method.strategy is not None:
            self.run = Run(call, journal)
        else:
            self.run = DirectRun(Log(call, journal), self._earlier, self._evaluate, self._watch)

    def result(self) -> Result:
        """Return the result, whatever ends the run."""
        errors = np.geterr()
        try:
            try:
                return self._gone()
            except KeyboardInterrupt:
                return self._answered(errors)
        except KeyboardInterrupt:  # a second one, before the first was answered
            return self._answered(errors)

    def _answered(self, errors: Any) -> Result:
        """Return the result of a run that was interrupted, and put back the state of NumPy's errors."""
        with unbroken(raised=False):
            np.seterr(**errors)  # as an interrupted block may not have put it back
            self.run.log.ended = Status.INTERRUPTED
            return self.run.result

    def _gone(self) -> Result:
        """Return the result at the end; an error that ends the run has it, too."""
        run = self.run
        try:
            if isinstance(run, Run):
                self._ask_and_tell(run)
            else:
                run.go()
            return run.result  # noqa: TRY300 a Ctrl-C that comes now is answered, too
        except Exception as error:
            if isinstance(error, JournalError):
                run.log.ended = Status.INTERRUPTED
            _attach(run.result, error)
            raise

    def _ask_and_tell(self, run: Run) -> None:
        """Ask, evaluate and tell until something ends the run."""
        run.resume(self._earlier, lambda _: self._watch())
        goes_on = {Status.GOING_ON, Status.BUDGET}
        while run.status == Status.GOING_ON:
            if self._crew.asynchronous:
                evaluations = self._crew.evaluate(self._fun, run.begin, lambda: run.status not in goes_on)
            else:
                begin = partial(next, iter(run.tasks()), None)
                evaluations = self._crew.evaluate(self._fun, begin, lambda: run.status == Status.TIME_LIMIT)
            try:
                for number, evaluation in evaluations:
                    self._take(run, number, evaluation)
            except BaseException as error:
                self._take_rest(run, error)
                raise

    def _take(self, run: Run, number: int, evaluation: Evaluation) -> None:
        """Take an evaluation; it is in the result, too, where the journal cannot be written any more."""
        closed = run.closed
        self._first.check(evaluation, any_value=run.log.any_value)
        try:
            run.record(number, evaluation)
        except JournalError:
            run.log.journal = None
            run.keep(number, evaluation)
            raise
        if run.closed > closed:
            self._watch()

    def _take_rest(self, run: Run, error: BaseException) -> None:
        """Take the evaluations of other workers after an error."""
        evaluated = self._crew.rest(error)
        mistaken = error is self._first.mistake and all(evaluation.failure for _, evaluation in evaluated)
        if mistaken and self._journal is not None:
            self._journal.withdraw()
            return
        for number, evaluation in evaluated:
            # What is ended by the Ctrl-C that ends the run is no evaluation.
            if evaluation.failure and isinstance(error, KeyboardInterrupt):
                continue
            with suppress(JournalError):
                run.keep(number, evaluation)

    def _evaluate(self, point: Array) -> Evaluation:
        """Evaluate f for a search that calls it."""
        ((_, evaluation),) = self._crew.evaluate(self._fun, partial(next, iter([(1, point.copy())]), None))
        try:
            self._first.check(evaluation, any_value=self.run.log.any_value)
        except Exception:
            if self._journal is not None:
                self._journal.withdraw()
            raise
        return evaluation

    def _watch(self) -> None:
        """Call the callbacks, any of which may end the run."""
        if not self._watchers:
            return
        result = self.run.result
        for watcher in self._watchers:
            try:
                answer = watcher(result)
            except StopIteration:
                answer = True
            if isinstance(answer, bool | np.bool) and answer:
                self.run.log.ended = Status.CALLBACK


def _attach(result: Result, error: Exception) -> None:
    """Attach the result so far to an error, such as a callback's."""
    if result.nfev and getattr(error, "result", None) is None:
        with suppress(AttributeError, TypeError):  # of a class that takes no more attributes
            error.result = result  # type: ignore[attr-defined]
            if not isinstance(error, (*MISTAKES, JournalError, WorkersError)):  # which say so themselves
                error.add_note(f"what {result.nfev} evaluations have found is in this exception's attribute result")


def _at_params(fun: Callable[[dict[str, Any]], Any], space: Space, point: Array) -> Any:
    """Return f at the parameters of a point."""
    return fun(space.params(point))


@contextmanager
def _progress_line(budget: float) -> Iterator[Callable[[Result], None]]:
    """Show evaluations, the best value and the time that is left, in a line on standard error."""
    rich, console = import_module("rich.progress"), import_module("rich.console").Console(stderr=True)
    words = rich.TextColumn("evaluations{task.fields[words]},")
    columns = rich.BarColumn(), rich.MofNCompleteColumn(), words, rich.TimeRemainingColumn()
    with rich.Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False) as shown:
        task = shown.add_task("", total=budget, words="; the first call compiles, once in an installation")
        yield lambda result: shown.update(task, completed=result.nfev, words=f", best {result.fun:g}")
