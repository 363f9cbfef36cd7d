"""Searches that call f themselves: f is wrapped, so that each evaluation is in the log, and limits end the search."""

import math
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np

from sacma.algorithms.registry import ALGORITHMS, BUILT_IN
from sacma.optimize.evaluation import Entry, Evaluation
from sacma.optimize.log import Log, Recommended
from sacma.optimize.noise import NoisySearch, evaluations_again
from sacma.optimize.result import Status
from sacma.optimize.search import KnownValues, Passes, generators, initial_points
from sacma.process_wide import quiet
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread

FARTHEST = 1e150  # largest coordinate of a point that an algorithm can have evaluated: its square is finite

MOST_IN_A_ROW = 100
"""Calls at points with known values in a row, before f is called again at one."""


class _Ended(BaseException):
    """Ends a search at its next evaluation; no ``Exception``, which an algorithm may catch."""


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
        earlier: Sequence[Entry],
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
        self.stopped = False

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has; not the time limit before all earlier evaluations are taken."""
        if self._earlier:
            self.log.restart_clock()
        return self.log.status(stopped=self.stopped)

    @property
    def recommended(self) -> Recommended | None:
        """The point that is recommended where it is not that of the lowest value."""
        return None if self._noisy is None else self._noisy.recommended(self._told, self.log.single)

    def go(self) -> None:
        """Search until something ends the run."""
        call = self.log.call
        problem = _Problem(self)
        if call.noisy:
            problem.most = int(call.limits.budget) - evaluations_again(int(call.limits.budget))
        try:
            self._search(problem)
        except _Ended:
            if not call.noisy or self.status != Status.GOING_ON:
                return
        if call.noisy:
            self._measure(problem)
        self.stopped = True

    def _search(self, problem: "_Problem") -> None:
        """Minimise; an error of SciPy or pycma, as of values that overflow, ends one run of them: the next begins."""
        call = self.log.call
        starts, samples = generators(call)
        problem.next_start = initial_points(call, starts)
        algorithm, settings = ALGORITHMS[call.method.algorithm], call.method.settings
        while True:
            before = problem.calls
            try:
                with problem.turns.inside():
                    algorithm.run(problem, settings, samples)
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
            entry = Entry(self._next, point, self._evaluate(point), 0)
            self._next += 1
            self.log.append(entry)
        evaluation = entry.evaluation
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
        self.dimension = len(call.x0)
        self.lower_bounds, self.upper_bounds = call.box.scaled_bounds
        self._reach = FARTHEST * np.minimum(1.0, 1.0 / call.box.scale)
        self._run = run
        self._starts = 0
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

        Raises ValueError if ``point`` has the wrong shape, is not finite, or is too far away.
        """
        x = np.array(point, dtype=float)
        if x.shape != (self.dimension,) or not np.all(np.abs(x) <= self._reach):
            raise ValueError(f"evaluated at {point!r}; allowed: {self.dimension} numbers up to {FARTHEST:g}")
        self.calls += 1
        call = self._run.log.call
        (key,) = self._known.keys([x])
        known = None if call.noisy else self._known.get(key)
        if known is not None and self._passes.left:
            self._passes.spend(1)
            return float(known)
        if self._run.status != Status.GOING_ON or len(self.evaluated) >= self.most:
            raise _Ended
        self._passes.renew(in_vain=known is not None)
        seen = call.box.points([x])[0]
        with self.turns.outside():
            evaluation = self._run.evaluated(seen, max(0, self._starts - 1))
        self.evaluated.append((seen, evaluation))
        value = math.inf if evaluation.failure else evaluation.value
        self._known.add(key, value)
        return value

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

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Give the search its turn."""
        self._swap()
        self._enter()
        try:
            yield
        finally:
            self._entered.close()
            self._swap()

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Give f its turn."""
        self._entered.close()
        self._swap()
        try:
            yield
        finally:
            self._swap()
            self._enter()

    def _enter(self) -> None:
        self._entered = ExitStack()
        for context in (quiet(), one_thread(), np.errstate(all="ignore")):
            self._entered.enter_context(context)

    def _swap(self) -> None:
        here = np.random.get_state()  # noqa: NPY002 idem
        np.random.set_state(self._other)  # noqa: NPY002 idem
        self._other = here
