"""Searches that call f themselves: f is wrapped, so that each evaluation is in the log, and limits end the search."""

import math
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np

from sacma.algorithms.registry import ALGORITHMS, BUILT_IN
from sacma.optimize.evaluation import Evaluation, LogEntry
from sacma.optimize.log import Course, Log, Recommended
from sacma.optimize.noise import NoisySearch, evaluations_again
from sacma.optimize.result import Result, Status
from sacma.optimize.search import KnownValues, Passes, generators, initial_points
from sacma.process_wide import afterwards, quiet, surely
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread

FARTHEST = 1e150  # largest coordinate of a point that an algorithm can have evaluated: its square is finite

MOST_IN_A_ROW = 100
"""Calls at points with known values in a row, before the search is restarted."""


class _Ended(BaseException):
    """Ends a search at its next evaluation; no ``Exception``, which an algorithm may catch."""


class _NoNewPoint(BaseException):
    """Ends a search that asks for known points alone."""


class DirectRun:
    """A run of a search that calls f itself; with noise, of its best points again.

    Args:
        log: of the run.
        earlier: evaluations of an earlier run, which are taken instead of calls of f where the search asks for them.
        evaluate: evaluates f at a point.
        watch: called after each evaluation.
    """

    def __init__(
        self,
        log: Log,
        earlier: Sequence[LogEntry],
        evaluate: Callable[[Array], Evaluation],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self.log = log
        self._evaluate = evaluate
        self._watch = watch
        self._earlier = deque(earlier)
        self._next = 1 + max((entry.number for entry in earlier), default=0)  # number of the next call of f
        self._noisy: NoisySearch | None = None
        self._told: list[float] = []  # of the points that the noisy search waits for
        self.generations: list[Generation] = []
        self._course = Course(log.call)
        self._ended = Status.GOING_ON  # by the search

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has; not the time limit before all earlier evaluations are taken."""
        if self._earlier:
            self.log.restart_clock()
        recommended = self.recommended if self._ended != Status.GOING_ON else None
        return self.log.status(self._ended, math.inf if recommended is None else recommended.value)

    @property
    def recommended(self) -> Recommended | None:
        """The point that is recommended where it is not that of the lowest value."""
        return None if self._noisy is None else self._noisy.recommended(self._told, self.log.single)

    @property
    def result(self) -> Result:
        """The best that has been found so far."""
        return self.log.result(self.status, self.generations, self.recommended)

    def go(self) -> None:
        """Search until something ends the run."""
        call = self.log.call
        self.log.restart_clock()
        problem = _Problem(self)
        if call.noisy:
            problem.most = int(call.limits.budget) - evaluations_again(int(call.limits.budget))
        try:
            self._search(problem)
        except _Ended as ended:
            if ended.__cause__ is not None:
                raise ended.__cause__ from None
            if not call.noisy or self.status != Status.GOING_ON:
                return
        except _NoNewPoint:
            self._ended = Status.NO_NEW_POINT if call.combinations == math.inf else Status.SPACE_USED_UP
            return
        if call.noisy:
            self._measure(problem)
        self._ended = Status.RESTARTS

    def _search(self, problem: "_Problem") -> None:
        """Minimise.

        An error of SciPy or pycma, as of values that overflow, ends one run of the algorithm: the next begins. So do
        known points alone, until restarts lead to no other.
        """
        call = self.log.call
        starts, samples = generators(call)
        problem.next_start = initial_points(call, starts)
        algorithm, settings = ALGORITHMS[call.method.algorithm], call.method.settings
        while True:
            before = problem.calls
            try:
                with problem.turns.inside():
                    algorithm.run(problem, settings, samples)
            except _NoNewPoint:
                if not problem.restarts():
                    raise
            except Exception:
                if algorithm not in BUILT_IN or problem.calls == before:
                    raise
            else:
                return

    def _measure(self, problem: "_Problem") -> None:
        """Evaluate the best points again."""
        values = [math.inf if evaluation.failure else evaluation.value for _, evaluation in problem.evaluated]
        points = [self.log.call.box.scaled(point) for point, _ in problem.evaluated]
        self._noisy = NoisySearch(self.log.call, None, points, values)
        while not self._noisy.stopped:
            self._told = []
            for sample in self._noisy.asked:
                evaluation = self.evaluated(self.log.call.box.points([sample.seen])[0], restart=0)
                self._told.append(math.inf if evaluation.failure else evaluation.value)
                if self.status != Status.GOING_ON:
                    return
            told, self._told = self._told, []
            self._noisy.tell(told)

    def evaluated(self, point: Array, restart: int) -> Evaluation:
        """Return the evaluation of a point, of the log if that goes on with it."""
        places = (i for i, entry in enumerate(self._earlier) if np.array_equal(entry.point, point))
        if (place := next(places, None)) is not None:  # the first, unless it was computed elsewhere
            entry = self._earlier[place]
            del self._earlier[place]
            self.log.keep(entry)
        else:
            entry = LogEntry(self._next, point, self._evaluate(point), 0)
            self._next += 1
            self.log.append(entry)
        evaluation = entry.evaluation
        self._course.append(evaluation)
        if self._course.settled and self._noisy is None:
            self._ended = Status.TOLERANCE
        self._report(restart)
        return evaluation

    def _report(self, restart: int) -> None:
        number = len(self.generations) + 1
        self.generations.append(
            Generation(
                generation=number,
                restart=restart,
                evaluated_by=EvaluatedBy.TRUTH,
                population_size=1,
                true_evaluations=number,
                sigma=math.nan,
                best_value=self.log.best.value,
            )
        )
        self._watch()


class _Problem:
    """The problem of a call as an algorithm sees it: ``sacma.algorithms.base.Problem``, in units of the scale.

    It tells nothing of the limits of the call, which do not change what a run does until then.
    """

    evaluations_left = sys.maxsize
    target_hit = False
    most = sys.maxsize  # evaluations
    next_start: Callable[[], Array]

    def __init__(self, run: DirectRun) -> None:
        call = run.log.call
        self.dimension = call.box.dimension
        self.lower_bounds, self.upper_bounds = call.box.scaled_bounds
        self._reach = FARTHEST * np.minimum(1.0, 1.0 / call.box.scale[call.box.free])
        self._run = run
        self._starts = 0
        self._rng = np.random.default_rng(np.random.SeedSequence(call.seed, spawn_key=(3,)))
        self._known = KnownValues(call)
        self._passes = Passes(MOST_IN_A_ROW)
        self.turns = _Turns()
        self.calls = 0  # of known values, too
        self.evaluated: list[tuple[Array, Evaluation]] = []

    @property
    def evaluations(self) -> int:
        """Number of evaluations of f."""
        return len(self.evaluated)

    def __call__(self, point: Array) -> float:
        """Return f(point), infinity where the evaluation fails; f is not called at a point whose value is known.

        After many of these in a row it is called at another combination of discrete parameters, or else raises
        _NoNewPoint. Raises ValueError if ``point`` has the wrong shape, is not finite, or is too far away.
        """
        x = np.array(point, dtype=float)
        if x.shape != (self.dimension,) or not np.all(np.abs(x) <= self._reach):
            raise ValueError(f"evaluated at {point!r}; allowed: {self.dimension} numbers up to {FARTHEST:g}")
        self.calls += 1
        (key,) = self._known.keys([x])
        known = None if self._run.log.call.noisy else self._known.get(key)
        if known is None:
            self._passes.renew(MOST_IN_A_ROW)
            return self._evaluated(x)
        if not self._passes.left or not self._known.missing:
            if (other := self._known.further(self._rng)) is None:
                raise _NoNewPoint
            self._passes.halve()
            self._evaluated(other)
        self._passes.spend(1)
        return float(known)

    def _evaluated(self, x: Array) -> float:
        if self._run.status != Status.GOING_ON or len(self.evaluated) >= self.most:
            raise _Ended
        seen = self._run.log.call.box.points([x])[0]
        try:
            with self.turns.outside():
                evaluation = self._run.evaluated(seen, max(0, self._starts - 1))
        except Exception as error:  # not the algorithm's, which could catch it
            raise _Ended from error
        self.evaluated.append((seen, evaluation))
        value = math.inf if evaluation.failure else evaluation.value
        self._known.add(self._known.keys([x])[0], value)
        return value

    def restarts(self) -> bool:
        """Return True if a restart may lead to a new point."""
        self._passes.halve()
        return self._passes.left > 0 and self._known.missing > 0

    def initial_point(self, half_width: float) -> Array:  # noqa: ARG002 the problem's
        """Return x₀ of the call, then points of restarts; ``half_width`` has no effect."""
        self._starts += 1
        return self.next_start()

    def trace(self, generation: Generation) -> None:
        """Take no notice of the algorithm's own generations: each evaluation is one."""


class _Turns:
    """Turns of a search and of f: each has its own state of NumPy's global generator.

    The search computes with one thread, and its numeric noise is not shown; f has what the caller has.
    """

    def __init__(self) -> None:
        self._other = np.random.get_state()  # noqa: NPY002 the old interface, which algorithms use, is what is contained
        self._entered = ExitStack()
        self._inside = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Give the search its turn."""
        with afterwards(self._leave):
            surely(self._enter)
            yield

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Give f its turn."""
        with afterwards(self._enter):  # also where f is interrupted: the search puts back filters of its own then
            surely(self._leave)
            yield

    def _leave(self) -> None:
        if self._inside:
            self._entered.close()
            self._swap()

    def _enter(self) -> None:
        if not self._inside:
            self._swap()
            self._entered = ExitStack()
            for context in (quiet(), one_thread(), np.errstate(all="ignore")):
                self._entered.enter_context(context)

    def _swap(self) -> None:
        self._inside = not self._inside
        here = np.random.get_state()  # noqa: NPY002 idem
        np.random.set_state(self._other)  # noqa: NPY002 idem
        self._other = here
