"""The optimizer as an object that is asked and told, with pycma's habits."""

import math
import os
import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from pydantic import BaseModel

from sacma.optimize.arguments import holds_text, real_array, refuse
from sacma.optimize.call import checked_call, checked_limits, with_noise
from sacma.optimize.constraints import number_of_constraints
from sacma.optimize.evaluation import ConstrainedValue, evaluation_of, never_a_number
from sacma.optimize.interruption import interruption_afterwards
from sacma.optimize.journal import Journal, JournalError, run_of
from sacma.optimize.methods import DEFAULT
from sacma.optimize.result import Result, Status
from sacma.optimize.run import Run
from sacma.optimize.saved import read_journal, write_state
from sacma.optimize.space import Space
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array


def _one_each(name: str, given: Any, count: int, allowed: str) -> list[Any]:
    """Return what was told of each point."""
    ordered = given if isinstance(given, Sequence) else np.asanyarray(given) if hasattr(given, "__array__") else None
    if ordered is None or isinstance(ordered, str | bytes) or getattr(ordered, "ndim", 1) == 0:
        refuse(name, given, f"a list or an array, {allowed}, {count}", of_type=True)
    if len(ordered) != count:
        refuse(name, given, f"{allowed}, {count}")
    return list(ordered)


def _checked_values(values: Any, constraints: Any, count: int, m: int) -> list[Any]:
    """Return what was told of each of so many points, with m constraints ``ConstrainedValue``; refuse what is none."""
    told = _one_each("values", values, count, "as many as there are points")
    rows: list[Any] = [None] * count
    if m and constraints is None:
        refuse("constraints", None, f"{m} numbers for each of the points, {count}")
    if m:
        rows = _one_each("constraints", constraints, count, f"{m} numbers for each of the points")
    elif constraints is not None:
        refuse("constraints", constraints, "None, as none were announced by SurrogateCMAES(constraints=m)")
    checked = [ConstrainedValue(value, row, m) if m else value for value, row in zip(told, rows, strict=True)]
    for i, (value, row) in enumerate(zip(told, rows, strict=True)):
        if never_a_number(checked[i]) or holds_text(value) or holds_text(row):
            given = (value, row) if m else value
            refuse(f"values[{i}]", given, "a number, or None where the evaluation failed", of_type=True)
    return checked


Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """Let no other thread do anything with the optimizer while the method runs."""

    @wraps(method)
    def run(self: "SurrogateCMAES", *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


class SurrogateCMAES:
    """CMA-ES whose populations a model ranks where f has not evaluated them, or another method, to be asked and told.

    ``ask`` gives points that f is to evaluate, with the default method x₀ and then one or a few at a time; what models
    evaluate happens inside ``tell``. Any thread may ask and tell: each waits until the others are done.

    >>> import sacma
    >>> es = sacma.SurrogateCMAES([2.0, -1.0, 0.5], 1.0, budget=150, target=1e-8, seed=1)
    >>> while not es.stop():
    ...     X = es.ask()
    ...     es.tell(X, [float(np.sum(x**2)) for x in X])
    >>> es.stop()
    {'target': 1e-08}
    >>> es.result.fun <= 1e-8
    True

    Args:
        x0: initial point, shape (D,). The default method evaluates it first, unless the archive has it, and so do
            SciPy's searches (COBYQA may move it away from bounds); the other CMA-ES methods sample around it, random
            search does not use it. None: the centre of finite bounds, a pair a coordinate.
        sigma0: initial standard deviation in each coordinate, in units of its scale; about a third of the range where
            the optimum is expected. None: a sixth of the width of finite bounds, in each coordinate; with a ``scale``,
            a sixth of the least width in units of it. In a ``space``, in units of the ranges (of the logarithm, with
            ``log``); None: a sixth.
        space: named parameters with their ranges, in place of ``bounds`` and ``scale``. ``ask`` then gives dicts, and
            ``tell`` takes them; ``x0`` is a dict, too, in which any may be missing: these begin in the middle.
        bounds: None; a pair (lower, upper) for all coordinates; a pair a coordinate; or a scipy ``Bounds``. None or
            an infinite number is no bound. No point is ever outside.
        scale: of each coordinate, what is a change of the same size in all; or one for all; None: 1.
        method: name of a shipped config, such as "sacma", "dts-cmaes", "cmaes" or "cobyqa"; name of another
            registered algorithm; or settings: ``StrategySettings`` or a class of your own that is derived from it, of
            which the strategy is composed, or those of a registered algorithm. Their σ₀ and
            ``initial_range`` have no effect. A method that calls f itself, such as "cobyqa", asks for one point at a
            time; its generations are single evaluations.
        population_size: λ of the first run; None: the method's own, in most 4 + ⌊3 ln D⌋, with the default
            2 ⌊2 (4 + 3 ln D)⌋.
        budget: most evaluations; None: no limit.
        target: a value at and below which ``stop`` says so.
        time_limit: seconds from now after which ``stop`` says so.
        seed: of all random numbers; None: drawn from the system's entropy, and found in ``result.seed``.
        archive: points evaluated already and their values, (X, y) of shapes (n, D) and (n,); in a ``space`` X may be a
            list of dicts. sacma's models learn from them, and the best of them is the result as long as nothing better
            is found; the budget does not count them.
        max_failures: number of failed evaluations in a row after which ``stop`` says so; None: any number.
        noisy: f differs from evaluation to evaluation. The search gets the first four fifths of the budget, which must
            be given then; in the last, ``ask`` gives up to ten of the best points again, as often as they are to be
            evaluated. ``result.fun`` is a mean then, and ``result.fun_error`` its standard error. There is no target.
        journal: path of a file for all evaluations. If it holds those of the same call, the optimizer goes on behind
            them.
        constraints: number m of constraints g ≤ 0 that are told beside values; None: 0. An ``archive`` then is
            (X, y, G), with G of shape (n, m). For methods that sample populations.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it, what was given, and what is allowed.
    """

    __slots__ = ("__weakref__", "_journal", "_lock", "_run")

    def __init__(
        self,
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
        constraints: int | None = None,
    ) -> None:
        self._unlock()
        self._journal: Journal | None = None
        limits = checked_limits(budget=budget, target=target, time_limit=time_limit, max_failures=max_failures)
        chosen = {
            "method": method,
            "population_size": population_size,
            "constraints": number_of_constraints(constraints),
        }
        with interruption_afterwards():  # nothing that is imported is left by halves
            call = checked_call(
                x0, sigma0, limits, bounds=bounds, scale=scale, seed=seed, archive=archive, space=space, **chosen
            )
        call = with_noise(call, noisy)
        if journal is not None:
            self._journal = Journal(journal, call)
        self._begin(lambda: run_of(call, self._journal))

    def _unlock(self) -> None:
        self._lock = threading.RLock()
        _optimizers.add(self)

    def _begin(self, run: Callable[[], Run]) -> None:
        try:
            self._run = run()
            self._run.replay()
        except BaseException:
            self.close()
            raise

    @_alone
    def ask(self) -> list[Any]:
        """Return points for f to evaluate, arrays of shape (D,), in a ``space`` dicts, or what is left of them.

        They are a population, or one or a few points where the method, as the default, evaluates a part of it with f;
        fewer where the budget has no more, where some have been told, and where some are known from a journal. Asked
        again before all are told, it gives what is missing.

        Raises:
            ValueError: the budget is used up, or the settings allow no further restart.
        """
        tasks = self._run.tasks()
        while not tasks:
            if self._run.exhausted:
                raise ValueError(f"ask is called at the end: {self.result.message}; allowed: as long as not stop()")
            tasks = self._run.tasks()
        space = self._run.call.space
        return [point if space is None else space.params(point) for _, point in tasks]

    @_alone
    def tell(
        self,
        points: Sequence[Any] | Array,
        values: Sequence[Any] | Array,
        constraints: Sequence[Any] | Array | None = None,
    ) -> None:
        """Take values of points that were asked for; all at once, or a few at a time, in any order.

        Args:
            points: as ``ask`` gave them, each of shape (D,), or a dict.
            values: f at each of them. None, NaN and infinite ones are failed evaluations: they rank behind all others.
            constraints: m numbers at each of them, shape (n, m), kept where at most 0; None without constraints.
                Where one has none that is finite, or all of them are None, the evaluation has failed.

        Raises:
            ValueError: a point that was not asked for, or not as many values as points.
            TypeError: no points, or no values.
            JournalError: an ``OSError``: the journal cannot be written any more. What is not in ``result`` then was not
                taken, and can be told again.
        """
        if not hasattr(points, "__len__"):
            refuse("points", points, "a list or an array of points as ask gave them", of_type=True)
        if not isinstance(points, Sequence):
            points = np.asarray(points)  # a data frame gives its columns, one by one
        keys, space = self._keys(points), self._run.call.space
        values = _checked_values(values, constraints, len(keys), len(self._run.call.equalities))
        missing: dict[Hashable, list[int]] = {}
        for number, point in reversed(self._run.tasks()):
            key: Hashable = point.tobytes() if space is None else space.key(space.params(point))
            missing.setdefault(key, []).append(number)
        numbers = []
        for point, key in zip(points, keys, strict=True):
            if not missing.get(key):
                allowed = (
                    "points that ask gave and that have not been told yet, unchanged; values of others are for archive="
                )
                refuse("points", point, allowed)
            numbers.append(missing[key].pop())
        for number, value in zip(numbers, values, strict=True):
            try:
                self._run.record(number, evaluation_of(value))
            except JournalError as error:
                error.result = self.result
                raise

    def _keys(self, points: Sequence[Any] | Array) -> list[Hashable]:
        """Return what tells each of the points from others."""
        space, D = self._run.call.space, len(self._run.call.x0)
        if space is not None:
            if not isinstance(points, Sequence) or isinstance(points, str | bytes):
                refuse("points", points, "dicts as ask gave them", of_type=True)
            return [space.key(params) for params in points]
        allowed = "points as ask gave them, arrays of the same length, one a row"
        X = real_array("points", points if len(points) else np.empty((0, D)), allowed)
        if X.ndim != 2 or X.shape[1] != D:  # noqa: PLR2004 a matrix
            refuse("points", points, allowed)
        return [point.tobytes() for point in X]

    @_alone
    def stop(self) -> dict[str, float]:
        """Return what has ended the run, by name, with its limit; empty while it goes on."""
        status, limits = self._run.status, self._run.call.limits
        if status == Status.GOING_ON:
            return {}
        named = {Status.FAILURES: "max_failures"}.get(status, status.name.lower())
        return {named: getattr(limits, named, math.nan)}

    @property
    @_alone
    def result(self) -> Result:
        """The best that has been found so far; see ``Result``."""
        return self._run.result()

    @property
    @_alone
    def population_size(self) -> int:
        """Number of points that were last asked for together, those that are told included; 0 before ``ask``."""
        return self._run.population_size

    @_alone
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, all or nothing: the call, and all evaluations.

        Raises:
            TypeError, ValueError: the file cannot be written, or is the journal of this optimizer.
        """
        if self._journal is not None and self._journal.is_at(path):
            refuse("path", path, "another file than the journal, which has all that save writes")
        write_state(path, self._run.call, self._run.ended)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, method: StrategySettings | None = None) -> Self:
        """Return the optimizer that was saved to, or that wrote its journal to, ``path``.

        It is computed again from its evaluations, and goes on bit by bit as the one that was saved, with its budget, or
        that of all evaluations where calls with larger ones went on. The time limit begins anew. Nothing is written to
        ``path``.

        Args:
            path: of the file.
            method: settings of your own class, where the saved optimizer had some, with any values: the class is taken
                from here, and the values from the file.

        Raises:
            TypeError, ValueError: there is no such file, it needs a ``method``, or it does not lead to the same points
                any more.
        """
        content = read_journal(path)
        loaded = cls.__new__(cls)
        loaded._unlock()  # noqa: SLF001 one of our own
        loaded._journal = None  # noqa: SLF001 idem
        call, source = content.call_with(method, path), content.source(path)
        loaded._begin(lambda: Run(call, known=content.evaluations, source=source))  # noqa: SLF001 idem
        return loaded

    @_alone
    def close(self) -> None:
        """Let go of the journal, where there is one, for others to use, and end the thread of a method that has one."""
        if hasattr(self, "_run"):
            self._run.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def __repr__(self) -> str:
        result, ended = self.result, ", ".join(self.stop())
        return f"<sacma.SurrogateCMAES in {len(result.x)}-D: {result.nfev} evaluations, {ended or 'going on'}>"

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(
            "a SurrogateCMAES cannot be copied or pickled, since a journal is one run's; es.save(path) writes its "
            "state, and sacma.SurrogateCMAES.load(path) makes another of it"
        )

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()


_optimizers = weakref.WeakSet[SurrogateCMAES]()
"""Optimizers of this process. In one that is forked from it no thread is left that could release their locks."""


def _unlock_all() -> None:
    for each in list(_optimizers):
        each._unlock()  # noqa: SLF001 one of our own


os.register_at_fork(after_in_child=_unlock_all)
