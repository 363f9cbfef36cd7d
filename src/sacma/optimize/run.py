"""The run behind an optimizer: a search that follows from the log, and the points that it waits for."""

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from sacma.optimize.call import Call
from sacma.optimize.evaluation import BESIDE, KNOWN, Evaluation, LogEntry, Task, outcome_of
from sacma.optimize.journal import Journal
from sacma.optimize.log import Log, founded
from sacma.optimize.model import Foresight, Surrogate
from sacma.optimize.noise import NoisySearch
from sacma.optimize.result import Result, Status
from sacma.optimize.search import AskedSearch, KnownPoints, Request, Value, strategy_of
from sacma.strategy.generation import Generation
from sacma.strategy.population import Sample
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread


class Run:
    """A run of a call, asked for points by number and told evaluations, in any order.

    Its state follows from the call, its seed, and the log: where a step was interrupted, it is computed again.

    Args:
        call: without a seed it gets one, of the journal where there is one.
        journal: holds evaluations of an earlier run, for ``resume``, and keeps all further ones.
    """

    def __init__(self, call: Call, journal: Journal | None = None) -> None:
        self.log = Log(call.seeded() if journal is None else journal.call, journal)
        self._pending: dict[int, Array] = {}  # points that were asked for and not told, by number
        self._next = 1  # number of the next point to be asked for
        self._asked: list[int] = []  # numbers of the points of the last ``ask``
        self._doubtful: set[int] = set()  # numbers of points that were nearest to others that were told
        self._in_vain = False  # the next points that are told take the places of pending ones
        self._forget_search()

    # The search, which follows from the log.

    def resume(self, entries: Sequence[LogEntry], watch: Callable[["Run"], None] | None = None) -> None:
        """Take the evaluations of an earlier run, and begin the time limit.

        Args:
            entries: in the order in which they ended.
            watch: called after each request that they close; with it, the run goes on only until something ends it.
        """
        self._take_earlier(list(entries), watch)
        self.log.restart_clock()

    def _take_earlier(self, entries: list[LogEntry], watch: Callable[["Run"], None] | None) -> None:
        self._next = 1 + max((entry.number for entry in entries), default=0)
        for i in range(len(entries)):
            ended = watch is not None and self.status not in {Status.GOING_ON, Status.TIME_LIMIT}
            if ended and not entries[i].late:
                return
            if entries[i].number and not self._computed:
                self.catch_up()
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
        self._search: AskedSearch | None = None
        self._request: Request | None = None
        self._generations: list[Generation] = []
        self._foresight = Foresight()
        self._founding: list[LogEntry] = []  # evaluations before the search begins
        self._computed = False  # the search has learned from all of the log
        self.closed = 0  # requests

    def catch_up(self) -> None:
        """Compute the search from the log, where that is not done, or was interrupted."""
        if self._computed:
            return
        self._forget_search()
        entries = self.log.entries
        for entry in entries:
            self._pending.pop(entry.number, None)
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

    def _is_followed_by(self, entry: LogEntry) -> bool:
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

    def _learn(self, entry: LogEntry) -> None:
        """Let the search learn from an evaluation."""
        request, search = self._request, self._search
        value = outcome_of(entry.evaluation, len(self.log.call.equalities))
        scaled = self.log.call.box.scaled(entry.point)
        sample = Sample(scaled, scaled)
        if search is None:
            self._founding.append(entry)
        else:
            self._foresight.note(search.model, scaled, entry.evaluation)
        if not isinstance(entry.place, str):
            assert request is not None  # noqa: S101 it has this place
            if entry.moved and search is not None:
                search.move(entry.place, sample)
            request.values[entry.place] = value
        elif search is not None and entry.place == KNOWN:
            if not entry.evaluation.failure:
                search.learn(scaled[None], np.array([value]))
        elif (place := self._place_at(entry.point)) is not None and request is not None:
            request.values[place] = value  # it was running when the search asked for it
        elif search is not None and (search.take(sample, value) or search.may_miss) and request is not None:
            request.others.append((sample, value))
        if request is not None and request.filled:
            self._close(request)

    def _place_at(self, point: Array) -> int | None:
        """Return the place of a point that the search waits for, None for another; with noise each is another."""
        places = [] if self._request is None or self.call.noisy else self._request.open_places
        return next((i for i in places if self._request and np.array_equal(point, self._request.points[i])), None)

    @property
    def model(self) -> Surrogate | None:
        """The model that the search has trained last; None before the first."""
        return self._foresight.model(self.call, None if self._search is None else self._search.model)

    def _open(self) -> None:
        """Ask the search for points."""
        call = self.log.call
        if self._search is None and len(call.guesses) > 1 and not self.closed:
            self._request = Request(np.array(call.guesses))
            return
        with one_thread():
            if self._search is None:
                call = founded(call, self._founding)
                self._search = _search_of(call, self._generations.append, lambda: self.log.is_late)
            samples = list(self._search.asked)
        self._request = Request(call.box.points([sample.seen for sample in samples])) if samples else None

    def _close(self, request: Request) -> None:
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
    def status(self) -> Status:
        """The reason why the run has ended, if it has."""
        search = self._search
        if not self._computed or search is None or not search.stopped:
            return self.log.status(Status.GOING_ON)
        if not search.used_up:
            return self.log.status(Status.RESTARTS)
        used_up = Status.NO_NEW_POINT if self.call.combinations == math.inf else Status.SPACE_USED_UP
        return self.log.status(used_up)

    def ask(self, count: int | None) -> list[Task]:
        """Return so many new points, or all that the search waits for.

        Where other points were told in the place of the last ones, as by a device whose steps are wider than those of
        the search, the next ones take the places of pending ones, wherever they are.
        """
        self._in_vain = bool(self._asked) and self._doubtful >= set(self._asked)
        asked = self.tasks() if count is None else list(itertools.islice(iter(self.begin, None), count))
        if not asked and self._doubtful:  # the others are their answers
            self._pending.clear()
            asked, self._in_vain = self.tasks()[:count], True
        self._asked = [number for number, _ in asked]
        self._in_vain |= not self._doubtful.isdisjoint(self._asked)
        return asked

    def tasks(self) -> list[Task]:
        """Return all points that the search waits for, with their numbers; at most as many as the budget has left."""
        self.catch_up()
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
        self.catch_up()
        request, search = self._request, self._search
        if request is None or self.log.left - len(self._pending) <= 0:
            return None
        running = {self._place_at(point) for point in self._pending.values()}
        for place in request.open_places:
            number, point = self._numbered(request, place)
            if number not in self._pending and place not in running:
                break
        else:
            if search is None or (drawn := self._beside(search)) is None:
                return None
            number, point = drawn
        self._pending[number] = point
        return number, point.copy()

    def _numbered(self, request: Request, place: int) -> Task:
        if request.first is None:
            request.first = self._next
        self._next = max(self._next, request.first + len(request.points))
        return request.first + place, request.points[place]

    def _beside(self, search: AskedSearch) -> Task | None:
        """Return a point beside those that the search waits for; None where none is found that is not pending."""
        box = self.call.box
        rng = np.random.default_rng(np.random.SeedSequence(self.call.seed, spawn_key=(2, self._next)))
        with np.errstate(all="ignore"), one_thread():
            sample = search.further(rng, [box.scaled(point) for point in self._pending.values()])
        if sample is None:
            return None
        self._next += 1
        return self._next - 1, box.points([sample.seen])[0]

    def record(self, number: int, evaluation: Evaluation, point: Array | None = None) -> None:
        """Take the evaluation of a pending point, or of one near it; nothing where it is not pending any more.

        The log has it before the search learns from it: where that is interrupted, it is computed again.
        """
        if number not in self._pending:
            return
        self.catch_up()
        place = None if self._request is None else self._request.place_of(number)
        moved = point is not None and place is not None
        asked = self._pending[number] if point is None else point
        late = self.status != Status.GOING_ON
        self._take(LogEntry(number, asked, evaluation, BESIDE if place is None else place, moved, late))

    def observe(self, key: Hashable, point: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of a point that another optimizer of the same call may have been asked for.

        In a space, ``key`` tells its parameters from others.
        """
        self.catch_up()
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
        self.catch_up()
        for key, point in pending.items():
            if self._number_at(key) is None:
                self._pending[self._next] = point
                self._next += 1
        tasks = [self.begin() for _ in range(sampled + 1)]
        self._pending.clear()
        self._next = self.log.next_number
        if tasks[-1] is not None:
            return tasks[-1][1]
        rng = np.random.default_rng([self.call.seed or 0, number])
        return self.call.box.another_start(self.call.x0, self.call.sigma0, rng)

    def _number_at(self, key: Hashable) -> int | None:
        """Return the number of the point that the search waits for, or that is pending, with a key."""
        request = self._request
        asked = {} if request is None else dict(self._numbered(request, place) for place in request.open_places)
        for number, point in {**asked, **self._pending}.items():
            if self.key(point) == key:
                self._pending[number] = point
                return number
        return None

    def keep(self, number: int, evaluation: Evaluation, *, records: bool = False) -> None:
        """Take the evaluation of a pending point into the log alone, from which nothing follows before the next ask.

        It goes to a journal if one ``records``.
        """
        if number in self._pending:
            place = None if self._request is None else self._request.place_of(number)
            entry = LogEntry(number, self._pending[number], evaluation, BESIDE if place is None else place, late=True)
            (self.log.append if records else self.log.keep)(entry)
            del self._pending[number]
            self._computed = False

    def _take(self, entry: LogEntry) -> None:
        computed, self._computed = self._computed, False
        self.log.append(entry)
        self._pending.pop(entry.number, None)
        if computed:
            with np.errstate(all="ignore"):
                self._learn(entry)
            self._computed = True

    def tell(self, key: Hashable, x: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of any point, with the ``key`` that tells it from others."""
        self.catch_up()
        if (number := self._number_at(key)) is not None:
            self.record(number, evaluation)
            return
        scaled = self.call.box.scaled
        new = not any(np.array_equal(entry.point, x) for entry in self.log.entries)
        if not new and not self._pending and not self.call.noisy:
            return  # it is told again
        near = new and self._search is not None and self._search.is_near(scaled(x))
        if self._pending:
            number = min(self._pending, key=lambda n: float(np.linalg.norm(scaled(self._pending[n] - x))))
            if near or self._in_vain:
                self.record(number, evaluation, x)
                return
            self._doubtful.add(number)
        begun = self.log.evaluations or self._pending
        self._take(LogEntry(0, x, evaluation, KNOWN))
        if not begun:
            self._forget_search()  # it is known before anything was asked for

    def key(self, point: Array) -> Hashable:
        """Return what tells a point from others."""
        space = self.call.space
        return (point + 0.0).tobytes() if space is None else space.key(space.params(point))

    @property
    def result(self) -> Result:
        """The best that has been found so far."""
        recommended = None
        if isinstance(self._search, NoisySearch) and self._computed:
            told = [] if self._request is None else self._request.values
            values = [math.nan if value is None else float(value) for value in told]  # no constraints
            recommended = self._search.recommended(values, self.log.single)
        return self.log.result(self.status, self._generations, recommended, self.model)

    @property
    def pending(self) -> Mapping[int, Array]:
        """The points that were asked for and not told, by number."""
        return self._pending

    @property
    def asks(self) -> bool:
        """True while there are points to be asked for."""
        return self._request is not None and self.log.left > 0

    def forget(self, number: int) -> None:
        """Give up a pending point."""
        del self._pending[number]


def _search_of(call: Call, on_generation: Callable[[Generation], None], is_late: Callable[[], bool]) -> AskedSearch:
    """Return a new search."""
    strategy = strategy_of(call, on_generation)
    if call.noisy:
        return NoisySearch(call, strategy)
    return KnownPoints(call, strategy, is_late)
