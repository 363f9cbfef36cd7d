"""The optimizer: asked for points and told values, in any order."""

import math
import os
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from pydantic import BaseModel

from sacma.optimize.arguments import flag, refuse, says_ours, whole
from sacma.optimize.call import ARGUMENTS, LARGEST_COUNT, Tolerance, checked_call
from sacma.optimize.constraints import number_of_constraints
from sacma.optimize.evaluation import ConstrainedValue, Evaluation, Task, evaluation_of, pending_entries
from sacma.optimize.exchange import Exchange
from sacma.optimize.journal import Journal, JournalContent, JournalError, read_state, write_state
from sacma.optimize.methods import COMPOSED, DEFAULT
from sacma.optimize.model import Surrogate
from sacma.optimize.result import Result, Status
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from sacma.types import Array


class Optimizer:
    """CMA-ES whose populations a model ranks where f has not evaluated them, or another strategy, asked and told.

    ``ask`` gives points that f is to evaluate, and ``tell`` takes values: of these points or of any others, in any
    order. What models evaluate happens inside ``tell``.

    >>> import sacma
    >>> optimizer = sacma.Optimizer([2.0, -1.0, 0.5], 1.0, budget=150, target=1e-8, seed=1)
    >>> while not optimizer.stop():
    ...     X = optimizer.ask()
    ...     optimizer.tell(X, [float(np.sum(x**2)) for x in X])
    >>> optimizer.stop()
    {'target': 1e-08}
    >>> optimizer.result.fun <= 1e-8
    True

    A run is a function of its arguments, its seed, and the log of what it was told. Any thread may ask and tell.

    Args:
        x0: initial point, shape (D,), which the default method evaluates first, unless it is known; the other methods
            sample around it. A list of several: all are evaluated first, and the best takes its place. None: the centre
            of finite bounds, a pair a coordinate.
        sigma0: initial standard deviation in each coordinate, in units of its scale; about a third of the range where
            the optimum is expected. None: a sixth of the width of finite bounds, in each coordinate; with a ``scale``,
            a sixth of the least width in units of it. In a ``space``, in units of the ranges (of the logarithm, with
            ``log``); None: a sixth.
        space: named parameters with their ranges, in place of ``bounds`` and ``scale``. ``ask`` then gives dicts, and
            ``tell`` takes them; ``x0`` is a dict, too, in which any may be missing: these begin in the middle.
        bounds: None; a pair (lower, upper) for all coordinates; a pair a coordinate; or a scipy ``Bounds``. None or
            an infinite number is no bound. No point is ever outside.
        scale: of each coordinate, a change of the same size in all; or one for all; None: 1.
        method: name of one of sacma's own strategies, such as "sacma", "dts-cmaes" or "cmaes"; or settings:
            ``StrategySettings`` or a class of your own that is derived from it. Their σ₀ and ``initial_range`` have no
            effect. Methods that call f themselves, such as "cobyqa", are those of ``sacma.minimize``.
        population_size: λ of the first run; None: the method's own, in most 4 + ⌊3 ln D⌋, with the default
            2 ⌊2 (4 + 3 ln D)⌋.
        budget: most evaluations of points that were asked for; None: no limit.
        target: a value at and below which ``stop`` says so.
        time_limit: seconds from now after which ``stop`` says so.
        seed: of all random numbers; None: drawn from the system's entropy, and found in ``result.seed``.
        known: points evaluated already and their values, (X, y) of shapes (n, D) and (n,); in a ``space`` X may be a
            list of dicts. Models learn from them, and the best of them is the result as long as nothing better is
            found; the budget does not count them. They may as well be told before the first ``ask``.
        max_failures: number of failed evaluations in a row after which ``stop`` says so; None: any number.
        tolerance: least gain of the best value over 10 evaluations a dimension, or a ``Tolerance``. A run of the method
            that gains less ends, and a restart follows, but with ``restarts=0``. None: the method's own criteria alone
            end a run.
        restarts: most restarts, after which ``stop`` says so; None: as many as the method makes, most without an end.
        noisy: f differs from evaluation to evaluation. The search gets the first four fifths of the budget, which must
            be given then; in the last, ``ask`` gives up to ten of the best points again, as often as they are to be
            evaluated. ``result.fun`` is a mean then, and ``result.fun_error`` its standard error; the
            target is one of that mean.
        journal: path of a file for all evaluations. If it holds those of the same call, the optimizer goes on behind
            them; limits may differ.
        retry_failed: evaluations of the journal that failed are asked for again.
        constraints: number m of constraints g ≤ 0 that are told beside values; None: 0. ``known`` then is (X, y, G),
            with G of shape (n, m).

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it, what was given, and what is allowed.
    """

    __slots__ = ("_exchange", "_lock", "_run")

    @says_ours
    def __init__(
        self,
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
        constraints: int | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name in ARGUMENTS}
        call = checked_call(**arguments | {"constraints": number_of_constraints(constraints)})
        if call.method.strategy is None:
            refuse("method", method, f"{COMPOSED}; one that calls f itself is a method of sacma.minimize")
        again = flag("retry_failed", retry_failed)
        kept = None if journal is None else Journal(journal, call, retry_failed=again)
        try:
            self._begin(Run(call, kept), kept)
        except BaseException:
            if kept is not None:
                kept.close()
            raise

    def _begin(self, run: Run, earlier: Journal | JournalContent | None) -> Self:
        """Go on after earlier evaluations, and before those of pending points."""
        run.resume(earlier.entries if earlier else [], pending=earlier.pending if earlier else {})
        self._run, self._exchange, self._lock = run, Exchange(run), threading.RLock()
        return self

    def ask(self, n: int | None = None) -> list[Any]:
        """Return points for f to evaluate, arrays of shape (D,), in a ``space`` dicts.

        Args:
            n: number of points, none of which is evaluated or pending. Those that the method waits for come first, and
                then others of its search distribution, each the best of many by its model. Fewer where the budget has
                no more, a space of few combinations none that is new, or the last fifth of a noisy run waits for values
                of pending ones. None: all that the method waits for, pending
                or not: a population, or one or a few points where the method, as the default, evaluates a part of it.

        Raises:
            TypeError, ValueError: ``n`` is none. ValueError, too: the budget is used up, or the method has ended.
            JournalError: as of ``tell``; no point is pending then that was not before.
        """
        if n is not None:
            n = whole("n", n, "an integer ≥ 1, or None for all that the method waits for", least=1)
        with self._lock:
            tasks = self._exchange.ask(n)
            if n is not None:
                self._note(tasks)
            if not tasks and not self._run.asks:
                result, budget = self._run.result, self._run.call.limits.budget
                goes_on = f"; Optimizer.load(path, budget={budget + (n or 1)}) goes on from a journal or save(path)"
                remedy = goes_on if result.status == Status.BUDGET else ""
                raise ValueError(f"ask is called at the end: {result.message}; allowed: as long as not stop(){remedy}")
            return self._given([point for _, point in tasks])

    def _note(self, tasks: Sequence[Task]) -> None:
        """Note in a journal which points are pending, as they may be told in another process."""
        run, journal = self._run, self._run.log.journal
        if journal is None:
            return
        try:
            for entry in pending_entries(dict(tasks)):
                journal.record(entry)
        except JournalError as error:
            for number, _ in tasks:
                del run.pending[number]
            error.result = run.result
            raise

    def _given(self, points: Sequence[Array]) -> list[Any]:
        """Return points as the user has them."""
        space = self._run.call.space
        return list(points) if space is None else [space.params(point) for point in points]

    def tell(
        self,
        points: Sequence[Any] | Array,
        values: Sequence[Any] | Array,
        constraints: Sequence[Any] | Array | None = None,
    ) -> None:
        """Take values of points, asked for or not; all at once, or a few at a time, in any order.

        A point that was not asked for takes the place of the nearest pending one, where the search distribution
        reaches it, as where a device rounds its settings. Otherwise models learn from it, and it does not count as an
        evaluation, unless it answers an ``ask`` that has been answered so before. Before the first ``ask`` it is a
        known point, unless the method waits for it, as for x0. A point that is told again counts once, with its first
        value, except where f is noisy; a value after a failure is taken.

        Args:
            points: each of shape (D,), or a dict in a ``space``.
            values: f at each of them. None, NaN and infinite ones are failed evaluations: they rank behind all others.
            constraints: m numbers at each of them, shape (n, m), kept where at most 0; None without constraints.
                Where one has none that is finite, or all of them are None, the evaluation has failed.

        Raises:
            ValueError: a point beyond the bounds, or not as many values as points. Nothing is taken then.
            TypeError: no points, or no values.
            JournalError: an ``OSError``: the journal cannot be written any more. What is not in ``result`` then was not
                taken, and can be told again.
        """
        with self._lock:
            X = self._points(points)
            told = _checked_values(values, constraints, len(X), len(self._run.call.equalities))
            try:
                for (key, x), evaluation in zip(X, told, strict=True):
                    self._exchange.tell(key, x, evaluation)
            except JournalError as error:
                error.result = self._run.result
                raise

    def _points(self, points: Any) -> list[tuple[Hashable, Array]]:
        """Return told points in coordinates, each with its key."""
        given = points if isinstance(points, Sequence) else np.asarray(points)  # a data frame iterates over its names
        key, space = self._exchange.key, self._run.call.space
        if space is not None and not (isinstance(given, Sequence) and all(isinstance(each, Mapping) for each in given)):
            refuse("points", points, "a list of dicts, as ask gives them", of_type=True)
        X = self._run.call.coordinates("points", given)
        return [(key(x) if space is None else space.key(point), x) for point, x in zip(given, X, strict=True)]

    @property
    def pending(self) -> list[Any]:
        """The points that were asked for and not told, in the order in which they were asked for."""
        with self._lock:
            return self._given([point.copy() for _, point in sorted(self._run.pending.items())])

    def forget(self, points: Sequence[Any] | Array | None = None) -> None:
        """Give up pending points, or all of them; they can be told later all the same.

        Raises:
            TypeError, ValueError: these are no points.
        """
        with self._lock:
            keys = None if points is None else {key for key, _ in self._points(points)}
            for number, point in list(self._run.pending.items()):
                if keys is None or self._exchange.key(point) in keys:
                    del self._run.pending[number]

    def stop(self) -> dict[str, float]:
        """Return the reason of the end by name, with its limit; empty while the run goes on."""
        with self._lock:
            self._run.catch_up()
            status, limits = self._run.status, self._run.call.limits
        if status == Status.GOING_ON:
            return {}
        name = {Status.FAILURES: "max_failures"}.get(status, status.name.lower())
        return {name: getattr(limits, name, math.nan)}

    @property
    def model(self) -> Surrogate | None:
        """The model of f that was trained last; None before the first, and with methods that have none."""
        with self._lock:
            return self._run.model

    @property
    def result(self) -> Result:
        """The best that has been found so far; see ``Result``."""
        with self._lock:
            return self._run.result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, all or nothing: the call, all evaluations, and pending points.

        Raises:
            TypeError, ValueError: the file cannot be written, or is the journal of this optimizer.
        """
        with self._lock:
            log = self._run.log
            write_state(path, log.call, [*log.entries, *pending_entries(self._run.pending)])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, budget: int | None = None) -> Self:
        """Return the optimizer that was saved to, or that wrote its journal to, ``path``.

        It is computed again from its evaluations, and goes on bit by bit as the one that was saved. The time limit
        begins anew. Nothing is written to ``path``.

        Args:
            path: of the file.
            budget: most evaluations, those of the file included; None: the one that was saved, or the number of
                evaluations where that is larger.

        Raises:
            TypeError, ValueError: there is no such file, or its settings are of a class of your own: the same call with
                its ``journal`` goes on.
        """
        call, content = read_state(path)
        if call.method.strategy is None:
            refuse("path", path, f"a file of one of {COMPOSED}; others call f themselves, in sacma.minimize")
        most = max(call.limits.budget, sum(entry.number > 0 for entry in content.entries))
        if budget is not None:
            most = whole("budget", budget, "an integer ≥ 1, or None", least=1, most=LARGEST_COUNT)
        limits = replace(call.limits, budget=most)
        run = Run(replace(call, limits=limits))
        return cls.__new__(cls)._begin(run, content)  # noqa: SLF001 one of our own

    def close(self) -> None:
        """Let go of the journal, where there is one, for others to use."""
        with self._lock:
            if self._run.log.journal is not None:
                self._run.log.journal.close()


def _one_each(name: str, given: Any, count: int, allowed: str) -> list[Any]:
    """Return one item for each point as a list."""
    ordered = given if isinstance(given, Sequence) else np.asanyarray(given)
    if isinstance(ordered, str | bytes) or getattr(ordered, "ndim", 1) == 0:
        refuse(name, given, f"a list or an array, {allowed}, {count}", of_type=True)
    if len(ordered) != count:
        refuse(name, given, f"{allowed}, {count}")
    return list(ordered)


def _checked_values(values: Any, constraints: Any, count: int, m: int) -> list[Evaluation]:
    """Return the evaluations of ``count`` points with m constraints; refuse values that are no numbers."""
    told = _one_each("values", values, count, "as many as there are points")
    if m and constraints is None:
        refuse("constraints", None, f"{m} numbers for each of the points, {count}")
    if m:
        rows = _one_each("constraints", constraints, count, f"{m} numbers for each of the points")
        told = [ConstrainedValue(value, row, m) for value, row in zip(told, rows, strict=True)]
    elif constraints is not None:
        refuse("constraints", constraints, "None, as none were announced by Optimizer(constraints=m)")
    evaluations = list(map(evaluation_of, told))
    for i, evaluation in enumerate(evaluations):
        if evaluation.raised is not None:
            value, row = told[i][:2] if m else (told[i], None)
            of_value = not m or evaluation_of(value).raised is not None
            name, given, allowed = ("values", value, "a number") if of_value else ("constraints", row, f"{m} numbers")
            refuse(f"{name}[{i}]", given, f"{allowed}, or None where the evaluation failed", of_type=True)
    return evaluations
