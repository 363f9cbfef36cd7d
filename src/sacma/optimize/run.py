"""The run behind an optimizer: a search that follows from the log, and the points that it waits for."""

import itertools
import math
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sacma.optimize.call import Call
from sacma.optimize.evaluation import BESIDE, KNOWN, Evaluation, LogEntry, Task, outcome_of
from sacma.optimize.journal import Journal
from sacma.optimize.log import Best, Course, Log, founded
from sacma.optimize.model import BestPoint, Foresight, Surrogate
from sacma.optimize.noise import Halving, evaluations_again, recommended, rounds_of
from sacma.optimize.result import Result, Status
from sacma.optimize.search import MemoizedStrategy, Request, Value, generator
from sacma.process_wide import one_thread
from sacma.strategy.population import Sample
from sacma.types import Array


class Run:
    """A run of a call, asked for points by number and told evaluations, in any order.

    Its state follows from the call, its seed, and the log: where a step was interrupted, it is computed again.

    Args:
        call: without a seed it gets one, of the journal where there is one.
        journal: holds evaluations of an earlier run, for ``resume``, and keeps all further ones.
    """

    def __init__(self, call: Call, journal: Journal | None = None) -> None:
        self.log = Log(call, journal)
        self.pending: dict[int, Array] = {}  # points that were asked for and not told, by number
        self._forget_search()

    # The search, which follows from the log.

    def resume(
        self,
        entries: Sequence[LogEntry],
        watch: Callable[["Run"], None] | None = None,
        pending: Mapping[int, Array] | None = None,
    ) -> None:
        """Take the evaluations of an earlier run, and begin the time limit.

        Args:
            entries: in the order in which they ended.
            watch: called after each request that they close; with it, the run goes on only until something ends it.
            pending: points that were asked for and not told, by number.
        """
        entries = list(entries)
        for i in range(len(entries)):
            ended = watch is not None and self.status not in {Status.GOING_ON, Status.TIME_LIMIT}
            if ended and not entries[i].late:
                break
            if entries[i].number and not self._computed:
                self.catch_up()
            if self._computed and not self._is_followed_by(entries[i]):
                # Computed elsewhere, or behind a failure that is tried again: models alone learn of the rest.
                entries[i:] = [entry._replace(place=KNOWN, moved=False) for entry in entries[i:]]
                self._request.first = None  # the numbers of its other points may be taken
                if self.log.journal is not None:
                    self.log.journal.rewrite(entries)
            closed = self.closed
            self.log.keep(entries[i])
            if self._computed:
                self._learn(entries[i])
            if watch is not None and self.closed > closed:
                watch(self)
        self.pending.update(pending or {})
        if self._computed:  # else catch_up does it
            self._number_pending()
        self.log.restart_clock()

    def _forget_search(self) -> None:
        self._search: MemoizedStrategy | None = None  # None, too, before the first guesses have values
        self._rounds: Halving | None = None  # of the best points, behind a noisy search
        self._request = Request([])
        self._foresight = Foresight()
        self._course = Course(self.call)
        self._settled = False  # the present run of the search gains less than the tolerance, and is to end
        self._learned: list[LogEntry] = []
        self._counted = 0  # of these, evaluations of this run
        self._computed = False  # the search has learned from all of the log
        self.closed = 0  # requests

    def catch_up(self) -> None:
        """Compute the search from the log, where that is not done, or was interrupted."""
        if self._computed:
            return
        self._forget_search()
        entries = self.log.entries
        for entry in entries:
            self.pending.pop(entry.number, None)
        self._learned = list(itertools.takewhile(lambda entry: not entry.number, entries))
        with np.errstate(all="ignore"):
            self._open()
        for entry in entries[len(self._learned) :]:
            self._is_followed_by(entry)
            self._learn(entry)
        self._number_pending()
        self._computed = True

    def _number_pending(self) -> None:
        """Give pending points that the search waits for the numbers that they had when they were asked for."""
        request = self._request
        for number, point in sorted(self.pending.items()):
            for place in request.open_places:
                if request.first is None and np.array_equal(point, request.points[place]):
                    request.first = number - place

    def _is_followed_by(self, entry: LogEntry) -> bool:
        """Return False for an evaluation of a point that the search does not ask for, though an earlier one did."""
        if isinstance(entry.place, str):
            return True
        request, place = self._request, entry.place
        if place in request.open_places and (entry.moved or np.array_equal(entry.point, request.points[place])):
            request.first = entry.number - place
            return True
        return False

    def _learn(self, entry: LogEntry) -> None:
        """Let the search learn from an evaluation."""
        request, search = self._request, self._search
        value = outcome_of(entry.evaluation, len(self.call.equalities))
        scaled = self.call.box.scaled(entry.point)
        self._learned.append(entry)
        if entry.number:
            self._counted += 1
            self._course.append(entry.evaluation)
        with np.errstate(all="ignore"):
            if search is not None:
                self._foresight.note(search.strategy.model, scaled, entry.evaluation, self.call)
            place = entry.place if isinstance(entry.place, int) else self._place_at(entry.point)
            if place is not None and entry.place != KNOWN:  # BESIDE: it was running when the search asked for it
                if entry.moved and search is not None and self._rounds is None:
                    search.move(place, Sample(scaled, scaled))
                request.values[place] = value
            elif search is not None:
                self._learn_beside(search, entry, Sample(scaled, scaled), value)
            if request.filled or (self._rounds is None and self._left_to_search <= 0):
                self._close(request)

    def _learn_beside(self, search: MemoizedStrategy, entry: LogEntry, sample: Sample, value: Value) -> None:
        if entry.place == KNOWN:
            if not entry.evaluation.failure:
                search.learn(sample.learned[None], np.array([value]))
        elif self._rounds is not None:
            self._rounds.take(entry.point, value)
        elif search.take(sample, value):
            self._request.others.append((sample, value))

    def _place_at(self, point: Array) -> int | None:
        """Return the place of a point that the search waits for, None for another; with noise each is another."""
        request = self._request
        places = [] if self.call.noisy else request.open_places
        return next((place for place in places if np.array_equal(point, request.points[place])), None)

    @property
    def model(self) -> Surrogate | None:
        """The model that the search has trained last, which knows the best point, too; None before the first."""
        best = self._recommended or self.log.best
        outcomes = np.array([best.value, *best.constraints])
        known = BestPoint(self.call.box.scaled(best.point), outcomes) if np.isfinite(outcomes).all() else None
        return self._foresight.model(self.call, None if self._search is None else self._search.strategy.model, known)

    def _open(self) -> None:
        """Ask the search for points, or where a noisy one has ended, the rounds that follow it."""
        call = self.call
        if self._search is None and call.guesses and not self.closed:
            self._request = Request(call.guesses)
            return
        with one_thread():
            if self._search is None:
                self._search = MemoizedStrategy(founded(call, self._learned), lambda: self.log.is_late)
            samples = self._search.asked[: max(0, self._left_to_search)]
        if call.noisy and not samples and self._rounds is None:
            again = evaluations_again(call.limits.budget) + min(0, self._left_to_search)
            self._rounds = rounds_of(call, self._learned, again)
        points = list(call.box.points([sample.seen for sample in samples])) if samples else []
        self._request = Request(points if self._rounds is None else self._rounds.points)

    @property
    def _left_to_search(self) -> int:
        """Number of evaluations that the search has left; a noisy one's budget is for the rounds, too."""
        budget = self.call.limits.budget
        if not self.call.noisy or budget == math.inf:
            return sys.maxsize
        return int(budget) - evaluations_again(budget) - self._counted

    def _close(self, request: Request) -> None:
        """Let the search learn from the values of a request, and ask it for the next."""
        if self._rounds is not None:
            self._rounds.tell([value for value in request.values if value is not None])
        elif self._search is not None and self._left_to_search > 0:
            self._tell(self._search, request)
        self.closed += 1
        self._open()

    def _tell(self, search: MemoizedStrategy, request: Request) -> None:
        others = iter(request.others)
        m = len(self.call.equalities)
        values: list[Value] = []
        for place, value in enumerate(request.values):
            if value is not None:
                values.append(value)
            else:
                sample, other = next(others)
                missing = np.full(1 + m, math.nan) if m else math.nan
                values.append(other if search.replace(place, sample) else missing)
        strategy = search.strategy
        if self._course.settled:
            strategy.end_run()
            self._settled = True
        runs = strategy.runs
        with one_thread():
            search.tell(values)
        if strategy.runs > runs:
            self._course.restart()
            self._settled = False

    # Points that are asked for, by number.

    @property
    def call(self) -> Call:
        """The call, with its seed."""
        return self.log.call

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has."""
        search, rounds = self._search, self._rounds
        ended, mean = Status.GOING_ON, math.inf
        if self._computed and search is not None:
            if search.used_up:
                ended = Status.NO_NEW_POINT if self.call.combinations == math.inf else Status.SPACE_USED_UP
            elif search.strategy.stopped if rounds is None else rounds.left <= 0:
                ended = Status.TOLERANCE if self._settled else Status.RESTARTS
                mean = math.inf if (best := self._recommended) is None else best.reached
        return self.log.status(ended, mean)

    def tasks(self) -> list[Task]:
        """Return all points that the search waits for, with their numbers; at most as many as the budget has left."""
        self.catch_up()
        numbered = list(self.waited_for.items())
        if self.log.left < len(numbered):
            numbered = numbered[: int(max(0, self.log.left))]
        self.pending.update(numbered)
        return [(number, point.copy()) for number, point in numbered]  # f may write to its argument

    def begin(self) -> Task | None:
        """Return one more point that is neither evaluated nor pending; None where there is none."""
        self.catch_up()
        left = self.log.left if self._rounds is not None else min(self.log.left, self._left_to_search)
        if not self._request.values or left - len(self.pending) <= 0:
            return None
        running = {self._place_at(point) for point in self.pending.values()}
        numbered = [self._numbered(place) for place in self._request.open_places if place not in running]
        new = [task for task in numbered if task[0] not in self.pending]
        if (task := new[0] if new else self._beside()) is None:
            return None
        number, point = task
        self.pending[number] = point
        return number, point.copy()

    @property
    def next_number(self) -> int:
        """Number of the next point to be asked for, behind all that are evaluated, pending or waited for."""
        request = self._request
        waited_for = 0 if request.first is None else request.first + len(request.points)
        return max(self.log.next_number, waited_for, 1 + max(self.pending, default=0))

    def _numbered(self, place: int) -> Task:
        request = self._request
        if request.first is None:
            request.first = self.next_number
        return request.first + place, request.points[place]

    def _beside(self) -> Task | None:
        """Return a new point that the search does not wait for; None where none is found."""
        if self._search is None or self._rounds is not None:  # a round is chosen from when all its values are there
            return None
        box, number = self.call.box, self.next_number
        rng = generator(self.call, 2, number)
        with np.errstate(all="ignore"), one_thread():
            sample = self._search.further(rng, [box.scaled(point) for point in self.pending.values()])
        return None if sample is None else (number, box.points([sample.seen])[0])

    def record(self, number: int, evaluation: Evaluation, point: Array | None = None) -> None:
        """Take the evaluation of a point that is pending or waited for, or of another in its place.

        The log has it before the search learns from it: where that is interrupted, it is computed again. Nothing is
        taken where the point is not expected any more.
        """
        self.catch_up()
        if (asked := {**self.waited_for, **self.pending}.get(number)) is None:
            return
        place = self._request.place_of(number)
        evaluated = asked if point is None else point
        moved = place != BESIDE and not np.array_equal(evaluated, asked)
        self._take(LogEntry(number, evaluated, evaluation, place, moved, late=self.status != Status.GOING_ON))

    @property
    def waited_for(self) -> dict[int, Array]:
        """The points that the search waits for, by number."""
        return dict(map(self._numbered, self._request.open_places))

    def is_near(self, point: Array) -> bool:
        """Return True for a point where the search distribution can have sampled it."""
        search = self._search if self._rounds is None else None
        return search is not None and search.strategy.is_near(self.call.box.scaled(point))

    def learn_of(self, point: Array, evaluation: Evaluation) -> None:
        """Take an evaluation of a point that takes no place; before anything is asked for, the point is known."""
        begun = self.log.evaluations or self.pending
        self._take(LogEntry(0, point, evaluation, KNOWN))
        if not begun:
            self._forget_search()

    def keep(self, number: int, evaluation: Evaluation) -> None:
        """Take the evaluation of a pending point into the log alone, from which nothing follows before the next ask."""
        if number in self.pending:
            self._computed = False
            place = self._request.place_of(number)
            self._take(LogEntry(number, self.pending[number], evaluation, place, late=True))

    def _take(self, entry: LogEntry) -> None:
        computed, self._computed = self._computed, False
        self.log.append(entry)
        self.pending.pop(entry.number, None)
        if computed:
            self._learn(entry)
            self._computed = True

    @property
    def _recommended(self) -> Best | None:
        """The recommended point of a noisy run."""
        if not self.call.noisy or not self._computed:
            return None
        return recommended(self._rounds, self._request.values, self.log.best)

    @property
    def result(self) -> Result:
        """The best that has been found so far."""
        generations = [] if self._search is None else self._search.generations
        return self.log.result(self.status, generations, self._recommended, self.model)

    @property
    def asks(self) -> bool:
        """True while there are points to be asked for."""
        return bool(self._request.values) and self.log.left > 0
