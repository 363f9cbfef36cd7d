"""A run: every point that it asks for follows from its call and from the values that it got."""

import math
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sacma.files.printable import shown
from sacma.optimize.best import best_at_start
from sacma.optimize.call import LARGEST_KEPT, MOST_BESIDE, Call
from sacma.optimize.conclusion import result_of
from sacma.optimize.evaluation import Evaluated, Evaluation, Known, Task, outcome_of, refuse_known
from sacma.optimize.failures import FailuresInARow
from sacma.optimize.interruption import interruption_afterwards
from sacma.optimize.known_points import KnownPoints
from sacma.optimize.noise import NoisySearch, Recommended
from sacma.optimize.result import Result, Status
from sacma.optimize.search import Begun, Sampled, beside, computing, end_of_search, number_at, strategy_of
from sacma.strategy.surrogate_cmaes import Sample
from sacma.surrogate.whitening import Array

if TYPE_CHECKING:
    from sacma.strategy.generation import Generation


class Run:
    """The optimizer behind ``minimize`` and ask and tell, for a call with a seed.

    It asks for one population after another. A population closes, and the strategy learns from it, as soon as there
    are as many values as it has points: of its own points, or of others in their place, which were begun before it, or
    beside it when all of its own points were. What it does follows from the order in which evaluations begin and end;
    where all points of a population are begun and evaluated before the next, no others have a part in it, and the order
    in which they end makes no difference.

    Evaluations that are ``known`` from an earlier run of the same call are taken instead of asked for, in their order;
    errors name their ``source``. ``on_record`` is called with the number and the record of each other evaluation before
    anything follows from it, and ``on_generation`` after each true-evaluated generation.

    Ctrl-C in the main thread waits until what the run computes is done. What an error leaves in the middle, or a second
    Ctrl-C long after the first, is computed again where the run goes on.
    """

    def __init__(
        self,
        call: Call,
        *,
        known: Known | None = None,
        source: str = "what is known",
        on_record: Callable[[int, Evaluated], None] | None = None,
        on_generation: Callable[["Run"], None] | None = None,
    ) -> None:
        self.call = call
        self._known = deque((known or {}).items())
        self._source = source
        self._on_record = on_record
        self._on_generation = on_generation
        self._began = time.monotonic()
        self._ended = Status.GOING_ON  # by a caller
        self.generations: list[Generation] = []
        strategy = call.method.strategy
        self._uses_models = strategy is None or strategy.model is not None
        with interruption_afterwards(), computing(models=self._uses_models):
            self._strategy = strategy_of(call, self.generations.append)
        self._torn = False  # True while the strategy learns: an exception ends it in the middle
        self.ended: dict[int, Evaluated] = {}  # evaluations by number, in the order in which they ended
        self._running: dict[int, Begun] = {}  # by number
        self._waiting: deque[int] = deque()  # numbers of those that nobody has been given yet
        self._begun = 0  # number of the last evaluation that has begun
        self._recorded = 0  # the same, at the last one that ended
        self._open: list[Begun] = []  # points of the open population; none: it is closed
        self._places: list[int] = []  # their numbers in the same order, 0 of one that has not begun
        self._filled = 0  # of them, evaluated
        self._others: list[tuple[int, Sample]] = []  # number and point of evaluations that take the place of others
        self._failed = FailuresInARow(call.limits.max_failures)
        self.failures = 0
        self.written = 0  # number of the last evaluation that ``on_record`` was called with
        self._number = len(call.equalities)  # m, of constraints
        self._most_beside = min(MOST_BESIDE, LARGEST_KEPT**2 // len(call.x0))
        self.best = best_at_start(call)
        self._pass_known()

    @property
    def evaluations(self) -> int:
        """Number of evaluations."""
        return len(self.ended)

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has."""
        limits = self.call.limits
        reasons = (
            (Status.TARGET, self.best.found and self.best.value <= limits.target),
            (Status.FAILURES, self._failed.number >= limits.max_failures),
            (self._ended, self._ended != Status.GOING_ON),
            (Status.BUDGET, self.evaluations >= limits.budget),
            (end_of_search(self.call, self._strategy), self._strategy.stopped and not self._torn),
            (Status.TIME_LIMIT, self._is_late),
        )
        return next((reason for reason, holds in reasons if holds), Status.GOING_ON)

    @property
    def _is_late(self) -> bool:
        """True after the time limit; not before all is taken that is known: that costs no evaluation."""
        return not self._known and time.monotonic() - self._began >= self.call.limits.time_limit

    @property
    @interruption_afterwards()
    def exhausted(self) -> bool:
        """No further point can be asked for, whatever else may have ended the run."""
        self._mend()
        return self.evaluations >= self.call.limits.budget or self._strategy.stopped

    @property
    def population_size(self) -> int:
        """Number of points of the open population; 0 where none is open."""
        return len(self._open)

    def end(self, status: Status) -> None:
        """End the run from outside."""
        self._ended = status

    @interruption_afterwards()
    def close(self) -> None:
        """End the thread of a search that has one; it begins again where it is needed."""
        if not isinstance(self._strategy, Sampled):
            self._strategy.close()

    def replay(self) -> None:
        """Take all that is known, whatever would have ended the run before, and start the clock of the time limit."""
        while self._known and not self.exhausted and not self._is_open():
            pass
        self._began = time.monotonic()

    def resume(self) -> None:
        """Take what is known as far as this call goes, and start the clock of the time limit.

        What had begun when the run ended was waited for, and counts.
        """
        while self._known and self.status == Status.GOING_ON and not self._is_open():
            pass
        if self.status != Status.GOING_ON:
            for number, known in [each for each in self._known if each[0] in self._running]:
                if self.evaluations < self.call.limits.budget:
                    with interruption_afterwards():
                        self._open_next()
                        closed = self._take_known(number, known)
                    self._tell_of(closed)
        self._began = time.monotonic()

    def tasks(self) -> list[Task]:
        """Return what is to be evaluated before the run goes on, copies; at most what the budget has left.

        Nothing where a generation has closed with known evaluations alone, or the run has ended. A known evaluation
        of another point is a ValueError.
        """
        if not self._is_open(begins=True):
            return []
        self._waiting.clear()
        tasks = [self._task(number) for number in self._running]
        left = self.call.limits.budget - self.evaluations
        return tasks if left >= len(tasks) else tasks[: int(left)]

    def begin(self) -> Task | None:
        """Begin one more evaluation, of a point of the population or, when all of these have begun, beside it.

        What an interrupted run had begun comes first. None where the budget has no more, where the run has ended, where
        a generation has closed with known evaluations alone, where these follow on others that have begun, or where all
        other points are known or running.
        """
        if not self._is_open():
            return None
        if self.evaluations + len(self._running) - len(self._waiting) >= self.call.limits.budget:
            return None
        if not self._waiting:
            if self._known and 0 not in self._places:
                return None
            with interruption_afterwards():
                self._begin()
        return self._task(self._waiting.popleft()) if self._waiting else None

    def _task(self, number: int) -> Task:
        return number, self._running[number].point.copy()  # f may write to its argument

    def record(self, number: int, evaluation: Evaluation) -> None:
        """Take the evaluation of a task; that which closes a population updates the strategy."""
        with interruption_afterwards():
            self._mend()
            closed = self._take(number, self._recorded_as(number, evaluation, records=True))
        self._tell_of(closed)

    @interruption_afterwards()
    def keep(self, number: int, evaluation: Evaluation, *, records: bool) -> None:
        """Take the evaluation of a task, and record it or not; of itself nothing follows from it."""
        self._keep(number, self._recorded_as(number, evaluation, records=records))

    def further(self, rng: np.random.Generator) -> Array:
        """Draw a point beside those asked for, shape (D,), from the same distribution; the run stays as it is."""
        assert isinstance(self._strategy, Sampled)  # noqa: S101 others have no distribution
        with interruption_afterwards(), computing(models=self._uses_models):
            return np.array(self.call.box.points([self._strategy.further(rng).seen])[0])

    @interruption_afterwards()
    def learn(self, points: Array, values: Array) -> None:
        """Let models learn from points beside those asked for, shape (n, D), and their finite values, shape (n,)."""
        assert isinstance(self._strategy, Sampled)  # noqa: S101 others have no models of their own
        self._strategy.learn(self.call.box.scaled(points), values)

    @interruption_afterwards()
    def result(self) -> Result:
        """Return what has been found so far."""
        return result_of(
            self.call,
            self.status,
            best=self.best,
            recommended=self._recommended(),
            evaluated=self.ended,
            generations=self.generations,
            last_failure=self._failed.latest,
        )

    def evaluated(self) -> Known:
        """Return all evaluations in the order of their numbers."""
        return {number: self.ended[number] for number in sorted(self.ended)}

    def _is_open(self, *, begins: bool = False) -> bool:
        """Open the next population where none is open, take what is known and, if it ``begins``, begin the rest."""
        opens, closed = not self._open or self._torn, False
        if opens or (begins and 0 in self._places):
            with interruption_afterwards():
                if opens:
                    self._mend()
                    self._open_next()
                    closed = self._replay()
                if begins:
                    self._begin_population()
            self._tell_of(closed)
        return bool(self._open)

    def _open_next(self) -> None:
        """Open the next population where none is open and there is one; points that are running belong to it."""
        if not self._open:
            self._pass_known()
        if not self._open and (asked := self._strategy.asked):
            points = self.call.box.points([sample.seen for sample in asked])
            self._open = [Begun(*each) for each in zip(points, asked, strict=True)]
            self._places = [0 if self.call.noisy else number_at(point, self._running) for point in points]

    def _pass_known(self) -> None:
        """Tell the strategy populations that are known, one or, as long as there is time, all."""
        if isinstance(self._strategy, KnownPoints) and self._strategy.passing:
            torn, self._torn = self._torn, True
            with computing(models=self._uses_models):
                self._strategy.proceed(lambda: self._is_late)
            self._torn = torn

    def _begin(self) -> bool:
        """Begin the next evaluation; return False where there is no point for it."""
        number = self._begun + 1
        if 0 in self._places:
            place = self._places.index(0)  # all of them begin before any beside them
            begun: Begun | None = self._open[place]
            self._places[place] = number
        else:
            with computing(models=self._uses_models):
                begun = beside(self.call, self._strategy, self._running, number)
        if begun is not None:
            self._begun = number
            self._running[number] = begun
            self._waiting.append(number)
        return begun is not None

    def _begin_population(self) -> None:
        """Begin all that the population has left."""
        while 0 in self._places:
            self._begin()

    def _recorded_as(self, number: int, evaluation: Evaluation, *, records: bool) -> Evaluated:
        """Return the record of an evaluation that ends now, with how many have begun if not just the population."""
        if not self._torn:  # what was running when a run ended comes in the next population
            self._open_next()
        none_beside = self._begun in {self._recorded, max(self._places, default=self._recorded)}
        whole = none_beside and 0 not in self._places and not self._torn  # then it is closed before
        kept = evaluation._replace(raised=None)  # without the frames of f
        record = Evaluated(self._running[number].point, kept, None if whole else self._begun)
        if records and self._on_record is not None:
            self.written = number
            self._on_record(number, record)
        return record

    def _replay(self) -> bool:
        """Take what is known of the open population, in its order; return True if that closes it."""
        closed = False
        while self._known and (self._open or self._strategy.stopped) and self.evaluations < self.call.limits.budget:
            number, known = self._known[0]
            if known.begun is None:
                self._begin_population()
                if number not in self._running:  # one of a later population
                    break
            elif self._open and known.begun <= self._begun + len(self._open) + self._most_beside - len(self._running):
                while self._begun < known.begun and self._begin():
                    pass
            if number not in self._waiting or known.begun not in {None, self._begun}:
                refuse_known(self._source, number, known, "one of a point that this run asks for")
            closed |= self._take_known(number, known)
        return closed

    def _take_known(self, number: int, known: Evaluated) -> bool:
        """Take the known evaluation of a point that has begun; return True if it closes the population."""
        if not np.array_equal(known.point, point := self._running[number].point):
            refuse_known(self._source, number, known, f"the point that this run asks for, {shown(point)}")
        self._known.remove((number, known))
        self._waiting.remove(number)
        return self._take(number, known)

    def _keep(self, number: int, record: Evaluated) -> Sample:
        """Take an evaluation; return its point as the strategy asked for it."""
        begun = self._running.pop(number)
        self.ended[number] = record
        self._recorded = self._begun
        evaluation = record.evaluation
        if evaluation.failure:
            self.failures += 1
        else:
            self.best = self.best.after(number, begun.point, evaluation, self.call.equalities)
        return begun.sample

    def _take(self, number: int, record: Evaluated) -> bool:
        """Take an evaluation, from which the strategy learns; return True if it closes the population."""
        self._torn = True
        sample = self._keep(number, record)
        with np.errstate(all="ignore"):
            closed = self._learn_from(number, sample)
        self._pass_known()
        self._torn = False
        return closed

    def _tell_of(self, closed: bool) -> None:  # noqa: FBT001 as it is returned
        """Call ``on_generation`` if a population has closed; not while Ctrl-C waits, as it may do anything."""
        if closed and self._on_generation is not None:
            self._on_generation(self)

    def _mend(self) -> None:
        """Compute the strategy again where something has ended it in the middle."""
        if not self._torn:
            return
        self.close()
        again = Run(self.call, known={**self.ended, **dict(self._known)}, source=self._source)
        again.replay()
        kept = {name: vars(self)[name] for name in ("_on_record", "_on_generation", "_began", "_ended")}
        vars(self).update(vars(again) | kept)

    def _learn_from(self, number: int, sample: Sample) -> bool:
        """Return True if the evaluation closes the population."""
        self._failed.count(number, self.ended, self._is_passed)
        if number in self._places:
            self._filled += 1
        else:
            assert isinstance(self._strategy, Sampled)  # noqa: S101 others have no points beside
            if self._strategy.take(sample, self._value(number)) or self._strategy.may_miss:
                self._others.append((number, sample))
        closes = bool(self._open) and self._filled + len(self._others) == len(self._open)
        if closes:
            self._close()
        return closes

    def _value(self, number: int) -> float | Array:
        """Return the value of an evaluation as strategies take it: infinity where it failed."""
        return outcome_of(self.ended[number].evaluation, self._number)

    def _is_passed(self, number: int) -> bool:
        """Return True while an evaluation is running beside others, or others have begun beside it."""
        return number in self._running and (number not in self._places or self._begun not in self._places)

    def _close(self) -> None:
        """Let the strategy learn from the population of which there are values now."""
        others = iter(self._others)
        values: list[float | Array] = []
        missing = np.full(1 + self._number, math.nan) if self._number else math.nan
        for place in range(len(self._open)):
            if (number := self._places[place]) in self.ended:
                values.append(self._value(number))
            else:
                assert isinstance(self._strategy, Sampled)  # noqa: S101 idem
                other, sample = next(others)
                values.append(self._value(other) if self._strategy.replace(place, sample) else missing)
        self._open, self._places, self._others, self._filled = [], [], [], 0
        with computing(models=self._uses_models):
            self._strategy.tell(np.array(values))

    def _recommended(self) -> Recommended:
        """Return the best that has been found."""
        best = Recommended(self.best.point, self.best.value)
        if not isinstance(self._strategy, NoisySearch) or self._torn:
            return best
        told = [float(self._value(i)) if i in self.ended else math.nan for i in self._places]  # no constraints
        return self._strategy.recommended(told, best)
