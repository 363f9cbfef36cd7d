"""Searches that call f themselves: f is wrapped, so that each evaluation is in the log, and limits end the search."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from sacma.algorithms.registry import ALGORITHMS, BUILT_IN
from sacma.optimize.evaluation import Evaluation, LogEntry
from sacma.optimize.log import Course, Log, founded
from sacma.optimize.result import Result, Status
from sacma.optimize.search import Memo, generator, initial_points
from sacma.process_wide import afterwards, one_thread, quiet, surely
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.types import Array

FARTHEST = 1e150  # largest coordinate of a point that an algorithm can have evaluated: its square is finite
MOST_IN_A_ROW = 100  # calls at points with known values in a row, before the search is restarted
MOST_RUNS = 3  # of a search that ask for points with known values alone


class _Ended(BaseException):
    """Ends a search at its next evaluation; no ``Exception``, which an algorithm may catch."""


class _NoNewPoint(BaseException):
    """Ends a search that asks for known points alone."""


class DirectRun:
    """A run of a search that calls f itself, and the problem as its algorithm sees it, in units of the scale.

    The problem tells nothing of the limits of the call, which do not change what a run does until then.

    Args:
        log: of the run.
        earlier: evaluations of an earlier run, which are taken instead of calls of f where the search asks for them.
        evaluate: evaluates f at a point.
        watch: called after each evaluation.
    """

    evaluations_left = sys.maxsize
    target_hit = False

    def __init__(
        self, log: Log, earlier: Sequence[LogEntry], evaluate: Callable[[Array], Evaluation], watch: Callable[[], None]
    ) -> None:
        self.log, self._evaluate, self._watch = log, evaluate, watch
        self._earlier = list(earlier)
        self._next = 1 + max((entry.number for entry in earlier), default=0)  # number of the next call of f
        self.generations: list[Generation] = []
        self._course = Course(log.call)
        self._ended = Status.GOING_ON  # by the search
        box = log.call.box
        self.dimension = box.dimension
        self.lower_bounds, self.upper_bounds = box.scaled_bounds
        self._reach = FARTHEST / np.maximum(1.0, box.scale[box.free])
        self._drawn, self._samples, self._rng = (generator(log.call, stream) for stream in (0, 1, 3))
        self._next_start, self._starts = initial_points(log.call, self._drawn), 0
        self._known = Memo(log.call)
        self._passed = 0  # points with known values in a row
        self._calls = 0  # of known values, too
        self._turns = _Turns()

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has; not the time limit before all earlier evaluations are taken."""
        if self._earlier:
            self.log.restart_clock()
        return self.log.status(self._ended)

    @property
    def result(self) -> Result:
        """The best that has been found so far."""
        return self.log.result(self.status, self.generations, None)

    def go(self) -> None:
        """Search until something ends the run.

        An error of SciPy or pycma, as of values that overflow, ends one run of the algorithm: the next begins. So do
        known points alone, until restarts lead to no other.
        """
        method = self.log.call.method
        algorithm = ALGORITHMS[method.algorithm]
        self.log.restart_clock()
        while self._ended == Status.GOING_ON:
            before = self._calls
            try:
                with self._turns.given(to_search=True):
                    if before == 0 and self.log.call.guesses:
                        self._begin()
                    algorithm.run(self, method.settings, self._samples)
                self._ended = self.status if self.status != Status.GOING_ON else Status.RESTARTS
            except _NoNewPoint:
                if self._passed >= MOST_RUNS * MOST_IN_A_ROW or not self._known.missing:
                    endless = self.log.call.combinations == math.inf
                    self._ended = Status.NO_NEW_POINT if endless else Status.SPACE_USED_UP
            except _Ended as ended:
                if ended.__cause__ is not None:
                    raise ended.__cause__ from None
                return
            except Exception:
                if algorithm not in BUILT_IN or self._calls == before:
                    raise

    def _begin(self) -> None:
        """Evaluate several first guesses, of which the best takes the place of x₀."""
        call = self.log.call
        for guess in call.guesses:
            self(call.box.scaled(guess))
        self._next_start = initial_points(founded(call, self.log.entries), self._drawn)

    def __call__(self, point: Array) -> float:
        """Return f(point), infinity where the evaluation fails; f is not called at a point whose value is known.

        After many of these in a row it is called at another combination of discrete parameters, or else raises
        _NoNewPoint. Raises ValueError if ``point`` has the wrong shape, is not finite, or is too far away.
        """
        x = np.array(point, dtype=float)
        if x.shape != (self.dimension,) or not np.all(np.abs(x) <= self._reach):
            raise ValueError(f"evaluated at {point!r}; allowed: {self.dimension} numbers up to {FARTHEST:g}")
        self._calls += 1
        (key,) = self._known.keys([x])
        if (known := self._known.get(key)) is None:
            self._passed = 0
            return self._value(x)
        self._passed += 1
        if self._passed % MOST_IN_A_ROW == 0 or not self._known.missing:
            if (other := self._known.further(self._rng)) is None:
                raise _NoNewPoint
            self._value(other)
        return float(known)

    def _value(self, x: Array) -> float:
        """Return the value of a point that is not known, which is then; infinity where its evaluation fails."""
        if self.status != Status.GOING_ON:
            raise _Ended
        seen = self.log.call.box.points([x])[0]
        try:
            with self._turns.given(to_search=False):
                evaluation = self._taken(seen)
        except Exception as error:  # not the algorithm's, which could catch it
            raise _Ended from error
        value = math.inf if evaluation.failure else evaluation.value
        self._known.add(self._known.keys([x])[0], value)
        return value

    def _taken(self, point: Array) -> Evaluation:
        """Evaluate f at a point, or take the evaluation from the log where it has one."""
        place = next((i for i, earlier in enumerate(self._earlier) if np.array_equal(earlier.point, point)), None)
        if place is None:
            entry = LogEntry(self._next, point, self._evaluate(point), 0)
            self._next += 1
            self.log.append(entry)
        else:  # the first, unless it was computed elsewhere
            entry = self._earlier.pop(place)
            self.log.keep(entry)
        self._course.append(entry.evaluation)
        if self._course.settled:
            self._ended = Status.TOLERANCE
        number, restart = len(self.generations) + 1, max(0, self._starts - 1)
        values: dict[str, Any] = {"true_evaluations": number, "sigma": math.nan, "best_value": self.log.best.value}
        self.generations.append(Generation(number, restart, EvaluatedBy.TRUTH, 1, **values))
        self._watch()
        return entry.evaluation

    def initial_point(self, half_width: float) -> Array:  # noqa: ARG002 the problem's
        """Return x₀ of the call, then points of restarts; ``half_width`` has no effect."""
        self._starts += 1
        return self._next_start()

    def trace(self, generation: Generation) -> None:
        """Take no notice of the algorithm's own generations: each evaluation is one."""


class _Turns:
    """Turns of a search and of f: each has its own state of NumPy's global generator.

    The search computes with one thread, and its numeric noise is not shown; f has what the caller has.
    """

    def __init__(self) -> None:
        self._other = np.random.get_state()  # noqa: NPY002 the old interface, which algorithms use, is what is contained
        self._entered = ExitStack()
        self._is_search = False

    @contextmanager
    def given(self, *, to_search: bool) -> Iterator[None]:
        """Give the search its turn, or f within that of the search."""
        # Also where f is interrupted: the search puts back filters of its own on its way out.
        with afterwards(lambda: self._give(not to_search)):
            surely(lambda: self._give(to_search))
            yield

    def _give(self, to_search: bool) -> None:  # noqa: FBT001 as above
        if to_search == self._is_search:
            return
        self._is_search = to_search
        here = np.random.get_state()  # noqa: NPY002 idem
        np.random.set_state(self._other)  # noqa: NPY002 idem
        self._other = here
        self._entered.close()
        for context in (quiet(), one_thread(), np.errstate(all="ignore")) if to_search else ():
            self._entered.enter_context(context)
