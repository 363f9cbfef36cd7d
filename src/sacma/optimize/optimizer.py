"""The optimizer: asked for points and told values, in any order."""

import itertools
import math
import os
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from pydantic import BaseModel

from sacma.optimize.arguments import holds_text, real_array, refuse, whole, within_box
from sacma.optimize.call import Call, checked_call, checked_limits, with_noise
from sacma.optimize.constraints import number_of_constraints
from sacma.optimize.evaluation import (
    BESIDE,
    KNOWN,
    ConstrainedValue,
    Entry,
    Evaluation,
    Task,
    as_arrays,
    evaluation_of,
    never_a_number,
    outcome_of,
)
from sacma.optimize.journal import Journal, JournalError
from sacma.optimize.log import Log, best_of
from sacma.optimize.methods import COMPOSED, DEFAULT
from sacma.optimize.noise import NoisySearch
from sacma.optimize.result import Result, Status
from sacma.optimize.saved import read_journal, write_state
from sacma.optimize.search import MOST_DRAWS, KnownPoints, Search, Value, strategy_of
from sacma.optimize.space import Space
from sacma.strategy.generation import Generation
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import Sample
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread


class _Request:
    """The points that the search waits for.

    It closes as soon as there are as many values as it has points: of its own, or of others that the search takes in
    their place.
    """

    def __init__(self, points: Array) -> None:
        self.first: int | None = None  # number of its first point, once it has been asked for
        self.points = points  # for f, shape (n, D)
        self.values: list[Value | None] = [None] * len(points)
        self.others: list[tuple[Sample, Value]] = []

    @property
    def open_places(self) -> list[int]:
        """The places of points without a value."""
        return [place for place, value in enumerate(self.values) if value is None]

    def place_of(self, number: int) -> int | None:
        """Return the place of the point with a number, where it has no value yet."""
        place = -1 if self.first is None else number - self.first
        return place if 0 <= place < len(self.points) and self.values[place] is None else None

    @property
    def filled(self) -> bool:
        """True where it closes."""
        return len(self.open_places) <= len(self.others)


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
        noisy: f differs from evaluation to evaluation. The search gets the first four fifths of the budget, which must
            be given then; in the last, ``ask`` gives up to ten of the best points again, as often as they are to be
            evaluated. ``result.fun`` is a mean then, and ``result.fun_error`` its standard error. There is no target.
        journal: path of a file for all evaluations. If it holds those of the same call, the optimizer goes on behind
            them; limits may differ.
        retry_failed: evaluations of the journal that failed are asked for again.
        constraints: number m of constraints g ≤ 0 that are told beside values; None: 0. ``known`` then is (X, y, G),
            with G of shape (n, m).

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it, what was given, and what is allowed.
    """

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
        noisy: bool = False,
        journal: str | os.PathLike[str] | None = None,
        retry_failed: bool = False,
        constraints: int | None = None,
    ) -> None:
        limits = checked_limits(budget=budget, target=target, time_limit=time_limit, max_failures=max_failures)
        chosen = {"method": method, "population_size": population_size, "seed": seed, "known": known}
        chosen["constraints"] = number_of_constraints(constraints)
        call = checked_call(x0, sigma0, limits, bounds=bounds, scale=scale, space=space, **chosen)
        call = with_noise(call, noisy)
        if call.method.strategy is None:
            refuse("method", method, f"{COMPOSED}; one that calls f itself is a method of sacma.minimize")
        self._begin(call, None if journal is None else Journal(journal, call, retry_failed=retry_failed))

    @classmethod
    def of_call(
        cls,
        call: Call,
        journal: Journal | None = None,
        entries: Sequence[Entry] = (),
        watch: Callable[["Optimizer"], None] | None = None,
    ) -> Self:
        """Return the optimizer of a checked call, which goes on from its journal, or from evaluations of its own.

        With a ``watch``, which is called after each request, it goes on only until something ends the run.
        """
        made = cls.__new__(cls)
        made._begin(call, journal, entries, watch)  # noqa: SLF001 one of our own
        return made

    def _begin(
        self,
        call: Call,
        journal: Journal | None,
        entries: Sequence[Entry] = (),
        watch: Callable[["Optimizer"], None] | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self.log = Log(call.seeded() if journal is None else journal.call, journal)
        self._pending: dict[int, Array] = {}  # points that were asked for and not told, by number
        self._next = 1  # number of the next point to be asked for
        self._forget_search()
        self._resume(list(entries if journal is None else journal.entries), watch)
        self.log.restart_clock()

    # The search, which follows from the log.

    def _resume(self, entries: list[Entry], watch: Callable[["Optimizer"], None] | None) -> None:
        """Take the evaluations of an earlier run."""
        self._next = 1 + max((entry.number for entry in entries), default=0)
        for i in range(len(entries)):
            ended = watch is not None and self.status not in {Status.GOING_ON, Status.TIME_LIMIT}
            if ended and not entries[i].late:
                return
            if entries[i].number and not self._computed:
                self._catch_up()
            if self._computed and not self._is_followed_by(entries[i]):
                # Computed elsewhere, or behind a failure that is tried again: models alone learn of the rest.
                entries[i:] = [entry._replace(place=KNOWN, moved=False) for entry in entries[i:]]
                if self._request is not None:
                    self._request.first = None  # the numbers of its other points may be taken
                if self.log.journal is not None:
                    self.log.journal.rewrite(entries)
            closed = self.closed
            self.log.keep(entries[i])
            if self._computed:
                with np.errstate(all="ignore"):
                    self._learn(entries[i])
            if watch is not None and self.closed > closed:
                watch(self)

    def _forget_search(self) -> None:
        self._search: Search | None = None
        self._request: _Request | None = None
        self._generations: list[Generation] = []
        self._founding: list[Entry] = []  # evaluations before the search begins
        self._computed = False  # the search has learned from all of the log
        self.closed = 0  # requests

    def _catch_up(self) -> None:
        """Compute the search from the log, where that is not done, or was interrupted."""
        if self._computed:
            return
        self._forget_search()
        entries = self.log.entries
        self._founding = list(itertools.takewhile(lambda entry: not entry.number, entries))
        with np.errstate(all="ignore"):
            self._open()
            for entry in entries[len(self._founding) :]:
                self._is_followed_by(entry)
                self._learn(entry)
        for number, point in self._pending.items():  # asked for before it was interrupted
            for place in [] if self._request is None else self._request.open_places:
                if self._request is not None and np.array_equal(point, self._request.points[place]):
                    self._request.first = number - place
        self._computed = True

    def _is_followed_by(self, entry: Entry) -> bool:
        """Return False for an evaluation of a point that the search does not ask for, though an earlier one did."""
        if isinstance(entry.place, str):
            return True
        request = self._request
        if request is None or entry.place not in request.open_places:
            return False
        if not entry.moved and not np.array_equal(entry.point, request.points[entry.place]):
            return False
        request.first = entry.number - entry.place
        return True

    def _learn(self, entry: Entry) -> None:
        """Let the search learn from an evaluation."""
        request, search = self._request, self._search
        value = outcome_of(entry.evaluation, len(self.log.call.equalities))
        scaled = self.log.call.box.scaled(entry.point)
        sample = Sample(scaled, scaled)
        if search is None:
            self._founding.append(entry)
        if not isinstance(entry.place, str):
            assert request is not None  # noqa: S101 it has this place
            if entry.moved and search is not None:
                search.move(entry.place, sample)
            request.values[entry.place] = value
        elif search is not None and entry.place == KNOWN:
            if not entry.evaluation.failure:
                search.learn(scaled[None], np.array([value]))
        elif search is not None and (search.take(sample, value) or search.may_miss):
            if request is not None:
                request.others.append((sample, value))
        if request is not None and request.filled:
            self._close(request)

    def _open(self) -> None:
        """Ask the search for points."""
        call = self.log.call
        if self._search is None and len(call.guesses) > 1 and not self.closed:
            self._request = _Request(np.array(call.guesses))
            return
        with one_thread():
            if self._search is None:
                self._search = _search_of(_founded(call, self._founding), self._generations.append)
            samples = list(self._search.asked)
        self._request = _Request(call.box.points([sample.seen for sample in samples])) if samples else None

    def _close(self, request: _Request) -> None:
        """Let the search learn from the values of a request, and ask it for the next."""
        if self._search is not None:
            others = iter(request.others)
            m = len(self.log.call.equalities)
            values: list[Value] = []
            for place, value in enumerate(request.values):
                if value is not None:
                    values.append(value)
                else:
                    sample, other = next(others)
                    missing = np.full(1 + m, math.nan) if m else math.nan
                    values.append(other if self._search.replace(place, sample) else missing)
            with one_thread():
                self._search.tell(np.array(values))
        self.closed += 1
        self._open()

    # Points that are asked for, by number.

    @property
    def call(self) -> Call:
        """The call, with its seed."""
        return self.log.call

    @property
    def evaluations(self) -> int:
        """Number of evaluations of points that were asked for."""
        return self.log.evaluations

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has."""
        with self._lock:
            stopped = self._computed and self._request is None
            return self.log.status(stopped=stopped)

    def end(self, status: Status) -> None:
        """End the run from outside."""
        self.log.ended = status

    def tasks(self) -> list[Task]:
        """Return all points that the search waits for, with their numbers; at most as many as the budget has left."""
        with self._lock:
            self._catch_up()
            request = self._request
            if request is None:
                return []
            numbered = [self._numbered(request, place) for place in request.open_places]
            if self.log.left < len(numbered):
                numbered = numbered[: int(max(0, self.log.left))]
            self._pending.update(numbered)
            return [(number, point.copy()) for number, point in numbered]  # f may write to its argument

    def begin(self) -> Task | None:
        """Return one more point that is neither evaluated nor pending; None where there is none."""
        with self._lock:
            self._catch_up()
            request, search = self._request, self._search
            if request is None or self.log.left - len(self._pending) <= 0:
                return None
            for place in request.open_places:
                number, point = self._numbered(request, place)
                if number not in self._pending:
                    break
            else:
                if search is None or (drawn := self._beside(search)) is None:
                    return None
                number, point = drawn
            self._pending[number] = point
            return number, point.copy()

    def _numbered(self, request: _Request, place: int) -> Task:
        if request.first is None:
            request.first = self._next
        self._next = max(self._next, request.first + len(request.points))
        return request.first + place, request.points[place]

    def _beside(self, search: Search) -> Task | None:
        """Return a point beside those that the search waits for; None where none is found that is not pending."""
        rng = np.random.default_rng(np.random.SeedSequence(self.call.seed, spawn_key=(2, self._next)))
        for _ in range(MOST_DRAWS):
            with np.errstate(all="ignore"), one_thread():
                sample = search.further(rng)
            (point,) = self.call.box.points([sample.seen])
            if self.call.noisy or not any(np.array_equal(point, other) for other in self._pending.values()):
                self._next += 1
                return self._next - 1, point
        return None

    def record(self, number: int, evaluation: Evaluation, point: Array | None = None) -> None:
        """Take the evaluation of a pending point, or of one near it; nothing where it is not pending any more.

        The log has it before the search learns from it: where that is interrupted, it is computed again.
        """
        with self._lock:
            if number not in self._pending:
                return
            self._catch_up()
            place = None if self._request is None else self._request.place_of(number)
            moved = point is not None and place is not None
            asked = self._pending[number] if point is None else point
            late = self.status != Status.GOING_ON
            self._take(Entry(number, asked, evaluation, BESIDE if place is None else place, moved, late))

    def observe(self, key: Hashable, point: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of a point that another optimizer of the same call may have been asked for.

        In a space, ``key`` tells its parameters from others.
        """
        with self._lock:
            self._catch_up()
            number = self._number_at(key)
            if number is None:
                number, self._next = self._next, self._next + 1
                self._pending[number] = point
            self.record(number, evaluation)

    def beside(self, pending: Mapping[Hashable, Array], sampled: int, number: int) -> Array:
        """Return a point of the search beside ``pending`` ones, and so many others that are being ``sampled``.

        The optimizer stays as it is. Where none is new, the point may be known.

        Args:
            pending: points that others evaluate, by what tells each from others.
            sampled: number of points before this one.
            number: of the source of random numbers.
        """
        with self._lock:
            self._catch_up()
            for key, point in pending.items():
                if self._number_at(key) is None:
                    self._pending[self._next] = point
                    self._next += 1
            tasks = [self.begin() for _ in range(sampled + 1)]
            self._pending.clear()
            self._next = self.log.next_number
            if tasks[-1] is not None:
                return tasks[-1][1]
            assert self._search is not None  # noqa: S101 it has been asked
            sample = self._search.further(np.random.default_rng([self.call.seed or 0, number]))
            return self.call.box.points([sample.seen])[0]

    def _number_at(self, key: Hashable) -> int | None:
        """Return the number of the point that the search waits for, or that is pending, with a key."""
        request = self._request
        asked = {} if request is None else dict(self._numbered(request, place) for place in request.open_places)
        for number, point in {**asked, **self._pending}.items():
            if self._key(point) == key:
                self._pending[number] = point
                return number
        return None

    def keep(self, number: int, evaluation: Evaluation, *, records: bool = False) -> None:
        """Take the evaluation of a pending point into the log alone, from which nothing follows before the next ask.

        It goes to a journal if one ``records``.
        """
        if number in self._pending:
            place = None if self._request is None else self._request.place_of(number)
            entry = Entry(number, self._pending[number], evaluation, BESIDE if place is None else place, late=True)
            (self.log.append if records else self.log.keep)(entry)
            del self._pending[number]
            self._computed = False

    def _take(self, entry: Entry) -> None:
        computed = self._computed
        self.log.append(entry)
        self._computed = False
        self._pending.pop(entry.number, None)
        if computed:
            with np.errstate(all="ignore"):
                self._learn(entry)
            self._computed = True

    # The interface.

    def ask(self, n: int | None = None) -> list[Any]:
        """Return points for f to evaluate, arrays of shape (D,), in a ``space`` dicts.

        Args:
            n: number of points, none of which is evaluated or pending. Those that the method waits for come first, and
                then others of its search distribution. Fewer where the budget has no more, or a space of few
                combinations none that is new. None: all that the method waits for, pending or not: a population, or
                one or a few points where the method, as the default, evaluates a part of it with f.

        Raises:
            TypeError, ValueError: ``n`` is none. ValueError, too: the budget is used up, or the method has ended.
        """
        count = (
            None if n is None else whole("n", n, "an integer ≥ 1, or None for all that the method waits for", least=1)
        )
        with self._lock:
            if count is None:
                tasks = self.tasks()
            else:
                tasks = list(itertools.islice(iter(self.begin, None), count))
            if not tasks and (self._request is None or self.log.left <= 0):
                raise ValueError(f"ask is called at the end: {self.result.message}; allowed: as long as not stop()")
            space = self.call.space
            return [point if space is None else space.params(point) for _, point in tasks]

    def tell(
        self,
        points: Sequence[Any] | Array,
        values: Sequence[Any] | Array,
        constraints: Sequence[Any] | Array | None = None,
    ) -> None:
        """Take values of points, asked for or not; all at once, or a few at a time, in any order.

        A point that was not asked for takes the place of the nearest pending one, where the search distribution reaches
        it, as where a device rounds its settings; otherwise models learn from it, and it does not count as an
        evaluation. Before the first ``ask`` it is a known point.

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
            told = _checked_values(values, constraints, len(X), len(self.call.equalities))
            for (key, x), value in zip(X, told, strict=True):
                try:
                    self._tell(key, x, evaluation_of(value))
                except JournalError as error:
                    error.result = self.result
                    raise

    def _points(self, points: Any) -> list[tuple[Hashable, Array]]:
        """Return points that are told, in coordinates, each with what tells it from others."""
        if not hasattr(points, "__len__"):
            refuse("points", points, "a list or an array of points", of_type=True)
        call = self.call
        if call.space is not None:
            if not isinstance(points, Sequence) or isinstance(points, str | bytes):
                refuse("points", points, "dicts, as ask gives them", of_type=True)
            X = list(call.space.points(points, "points"))
            return [(call.space.key(params), x) for params, x in zip(points, X, strict=True)]
        D = len(call.x0)
        allowed = f"points of {D} coordinates, one a row"
        X = real_array("points", points if len(points) else np.empty((0, D)), allowed)
        if X.ndim != 2 or X.shape[1] != D:  # noqa: PLR2004 a matrix
            refuse("points", points, allowed)
        for i, x in enumerate(X):
            within_box(f"points[{i}]", x, call.box.lower, call.box.upper, call.box.scale)
        return [(self._key(x), x) for x in X]

    def _tell(self, key: Hashable, x: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of a point."""
        self._catch_up()
        if (number := self._number_at(key)) is not None:
            self.record(number, evaluation)
            return
        new = not any(np.array_equal(entry.point, x) for entry in self.log.entries)
        scaled = self.call.box.scaled
        if new and self._pending and self._search is not None and self._search.is_near(scaled(x)):
            number = min(self._pending, key=lambda n: float(np.linalg.norm(scaled(self._pending[n] - x))))
            self.record(number, evaluation, x)
            return
        begun = self.log.evaluations or self._pending
        self._take(Entry(0, x, evaluation, KNOWN))
        if not begun:
            self._forget_search()  # it is known before anything was asked for

    def _key(self, point: Array) -> Hashable:
        """Return what tells a point from others."""
        space = self.call.space
        return (point + 0.0).tobytes() if space is None else space.key(space.params(point))

    @property
    def pending(self) -> list[Any]:
        """The points that were asked for and not told, in the order in which they were asked for."""
        space = self.call.space
        points = [self._pending[number].copy() for number in sorted(self._pending)]
        return [point if space is None else space.params(point) for point in points]

    def forget(self, points: Sequence[Any] | Array | None = None) -> None:
        """Give up pending points, or all of them; they can be told later all the same.

        Raises:
            TypeError, ValueError: these are no points.
        """
        with self._lock:
            keys = None if points is None else {key for key, _ in self._points(points)}
            for number, point in list(self._pending.items()):
                if keys is None or self._key(point) in keys:
                    del self._pending[number]

    def stop(self) -> dict[str, float]:
        """Return what has ended the run, by name, with its limit; empty while it goes on."""
        status, limits = self.status, self.call.limits
        if status == Status.GOING_ON:
            return {}
        name = {Status.FAILURES: "max_failures"}.get(status, status.name.lower())
        return {name: getattr(limits, name, math.nan)}

    @property
    def result(self) -> Result:
        """The best that has been found so far; see ``Result``."""
        with self._lock:
            recommended = None
            if isinstance(self._search, NoisySearch) and self._computed:
                told = [] if self._request is None else self._request.values
                values = [math.nan if value is None else float(value) for value in told]  # no constraints
                recommended = self._search.recommended(values, self.log.single)
            return self.log.result(self.status, self._generations, recommended)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, all or nothing: the call, and all evaluations.

        Raises:
            TypeError, ValueError: the file cannot be written, or is the journal of this optimizer.
        """
        with self._lock:
            if self.log.journal is not None and self.log.journal.is_at(path):
                refuse("path", path, "another file than the journal, which has all that save writes")
            write_state(path, self.call, self.log.entries)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, budget: int | None = None, method: StrategySettings | None = None
    ) -> Self:
        """Return the optimizer that was saved to, or that wrote its journal to, ``path``.

        It is computed again from its evaluations, and goes on bit by bit as the one that was saved. The time limit
        begins anew. Nothing is written to ``path``.

        Args:
            path: of the file.
            budget: most evaluations, those of the file included; None: the one that was saved, or the number of
                evaluations where that is larger.
            method: settings of your own class, where the saved optimizer had some, with any values: the class is taken
                from here, and the values from the file.

        Raises:
            TypeError, ValueError: there is no such file, or it needs a ``method``.
        """
        content = read_journal(path)
        if content.call.method.strategy is None:
            refuse("path", path, f"a file of one of {COMPOSED}; others call f themselves, in sacma.minimize")
        return cls.of_call(content.call_with(method, budget, path), entries=content.entries)

    def close(self) -> None:
        """Let go of the journal, where there is one, for others to use."""
        with self._lock:
            if self.log.journal is not None:
                self.log.journal.close()
                self.log.journal = None

    def __repr__(self) -> str:
        state = ", ".join(self.stop()) or "going on"
        return f"<sacma.Optimizer in {len(self.call.x0)}-D: {self.evaluations} evaluations, {state}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.log.journal is not None:
            raise TypeError(
                "an Optimizer with a journal cannot be copied or pickled, since a journal is one run's; "
                "optimizer.save(path) writes its state, and sacma.Optimizer.load(path) makes another of it"
            )
        return type(self).of_call, (self.call, None, self.log.entries)


def _founded(call: Call, entries: Sequence[Entry]) -> Call:
    """Return the call of a search that begins after evaluations: known points, or several first guesses."""
    valued = [entry for entry in entries if not entry.evaluation.failure]
    if not valued:
        return call
    m = len(call.equalities)
    known = as_arrays(valued, len(call.x0), m)[: 3 if m else 2]
    if call.known is not None:
        known = tuple(np.concatenate(parts) for parts in zip(call.known, known, strict=True))
    guesses = [entry for entry in valued if not isinstance(entry.place, str)]
    if not guesses:
        return replace(call, known=known)
    standing = best_of(call, guesses)
    return replace(call, known=known, x0=standing.point)


def _search_of(call: Call, on_generation: Callable[[Generation], None]) -> Search:
    """Return a new search."""
    strategy = strategy_of(call, on_generation)
    if call.noisy:
        return NoisySearch(call, strategy) if call.limits.budget < math.inf else strategy
    return KnownPoints(call, strategy)


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
        refuse("constraints", constraints, "None, as none were announced by Optimizer(constraints=m)")
    checked = [ConstrainedValue(value, row, m) if m else value for value, row in zip(told, rows, strict=True)]
    for i, (value, row) in enumerate(zip(told, rows, strict=True)):
        if never_a_number(checked[i]) or holds_text(value) or holds_text(row):
            given = (value, row) if m else value
            refuse(f"values[{i}]", given, "a number, or None where the evaluation failed", of_type=True)
    return checked
