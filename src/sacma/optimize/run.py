"""A run: every point that it asks for follows from its call and from the values that it got."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from sacma.files.printable import shown
from sacma.optimize.arguments import refuse
from sacma.optimize.asked import AskedSearch
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation, Known, Task, as_arrays
from sacma.optimize.result import History, Result, Status
from sacma.optimize.search import strategy_of
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.whitening import Array


class Run:
    """The optimizer behind ``minimize`` and ask and tell, for a call with a seed.

    Evaluations that are ``known`` from an earlier run of the same call are taken instead of asked for; errors name
    their ``source``. ``on_record`` is called with each other evaluation before anything follows from it, and
    ``on_generation`` after each true-evaluated generation.
    """

    def __init__(
        self,
        call: Call,
        *,
        known: Known | None = None,
        source: str = "what is known",
        on_record: Callable[[int, Array, Evaluation], None] | None = None,
        on_generation: Callable[["Run"], None] | None = None,
    ) -> None:
        self.call = call
        self._known = dict(known or {})
        self._source = source
        self._on_record = on_record
        self._on_generation = on_generation
        self._began = time.monotonic()
        self._ended = Status.GOING_ON  # by a caller
        self.generations: list[Generation] = []
        strategy = call.method.strategy
        self._uses_models = strategy is None or strategy.model is not None
        with one_thread() if self._uses_models else nullcontext():
            self._strategy = strategy_of(call, self.generations.append)
        self._evaluated: dict[int, tuple[Array, Evaluation]] = {}
        self._points: Array = np.empty((0, len(call.x0)))  # the population that is open; none: it is closed
        self._closed = 0  # evaluations of those before it
        self._settled = 0  # evaluations before the first that is missing
        self._failed_in_a_row = 0  # of them
        self._last_failure = ""
        self.failures = 0
        self.best_value, self.best_point, self._best_number = _best_of(call)

    @property
    def evaluations(self) -> int:
        """Number of evaluations."""
        return len(self._evaluated)

    @property
    def status(self) -> Status:
        """The reason why the run has ended, if it has."""
        limits = self.call.limits
        reasons = (
            (Status.TARGET, self.best_value <= limits.target),
            (Status.FAILURES, self._failed_in_a_row >= limits.max_failures),
            (self._ended, self._ended != Status.GOING_ON),
            (Status.BUDGET, self.evaluations >= limits.budget),
            (Status.RESTARTS, self._strategy.stopped),
            (Status.TIME_LIMIT, time.monotonic() - self._began >= limits.time_limit),
        )
        return next((reason for reason, holds in reasons if holds), Status.GOING_ON)

    @property
    def exhausted(self) -> bool:
        """No further point can be asked for, whatever else may have ended the run."""
        return self.evaluations >= self.call.limits.budget or self._strategy.stopped

    @property
    def population_size(self) -> int:
        """Number of points of the open population; 0 where none is open."""
        return len(self._points)

    def end(self, status: Status) -> None:
        """End the run from outside."""
        self._ended = status

    def close(self) -> None:
        """End the thread of a search that has one; it begins again where it is needed."""
        if isinstance(self._strategy, AskedSearch):
            self._strategy.close()

    def replay(self) -> None:
        """Take all that is known, up to the first point that is not, whatever would have ended the run before."""
        while self._known and not self.exhausted and not self.tasks():
            pass

    def tasks(self) -> list[Task]:
        """Return what is to be evaluated before the run goes on, copies; at most what the budget has left.

        Nothing where a generation has closed with known evaluations alone, or the run has ended. A known evaluation
        of another point is a ValueError.
        """
        if not len(self._points):
            if self._strategy.stopped:
                return []
            self._sample()
        numbered = enumerate(self._points.copy(), self._closed + 1)  # f may write to its argument
        missing = [task for task in numbered if task[0] not in self._evaluated]
        left = self.call.limits.budget - self.evaluations
        return missing if left >= len(missing) else missing[: int(left)]

    def record(self, number: int, evaluation: Evaluation) -> None:
        """Take the evaluation of a task; the last of a population updates the strategy."""
        if self._on_record is not None:
            self._on_record(number, self._point(number), evaluation)
        self._take(number, evaluation)

    def keep(self, number: int, evaluation: Evaluation) -> None:
        """Take the evaluation of a task at the end of a run: nothing is recorded, and nothing follows from it."""
        point = self._point(number)
        self._evaluated[number] = (point, evaluation)
        if evaluation.failure:
            self.failures += 1
        elif (evaluation.value, number) < (self.best_value, self._best_number):
            self.best_value, self.best_point, self._best_number = evaluation.value, point, number

    def further(self, rng: np.random.Generator) -> Array:
        """Draw a point beside those asked for, shape (D,), from the same distribution; the run stays as it is."""
        assert isinstance(self._strategy, SurrogateStrategy)  # noqa: S101 others have no distribution
        with one_thread() if self._uses_models else nullcontext():
            point: Array = self.call.space.points([self._strategy.further(rng)])[0]
        return point

    def learn(self, points: Array, values: Array) -> None:
        """Let models learn from points beside those asked for, shape (n, D), and their finite values, shape (n,)."""
        assert isinstance(self._strategy, SurrogateStrategy)  # noqa: S101 others have no models of their own
        self._strategy.learn(self.call.space.scaled(points), values)

    def result(self) -> Result:
        """Return what has been found so far."""
        status, found, evaluated = self.status, math.isfinite(self.best_value), self.evaluated()
        reasons = {number: e.failure for number, (_, e) in evaluated.items() if e.failure}
        by_choice = {Status.BUDGET, Status.TIME_LIMIT, Status.CALLBACK, Status.RESTARTS}
        no_target = self.call.limits.target == -math.inf
        return Result(
            x=self.best_point.copy(),
            fun=self.best_value,
            nfev=self.evaluations,
            nit=len(self.generations),
            success=found and (status == Status.TARGET or (no_target and status in by_choice)),
            status=status,
            message=self._message(status),
            seed=self.call.seed,
            restarts=self.generations[-1].restart if self.generations else 0,
            model_generations=sum(g.evaluated_by == EvaluatedBy.MODEL for g in self.generations),
            failures=self.failures,
            history=History(*as_arrays(evaluated, len(self.call.x0)), reasons, tuple(self.generations)),
        )

    def evaluated(self) -> Known:
        """Return all evaluations in the order of their numbers."""
        return {number: self._evaluated[number] for number in sorted(self._evaluated)}

    def _point(self, number: int) -> Array:
        point: Array = self._points[number - self._closed - 1]
        return point

    def _sample(self) -> None:
        """Open the next population, and take what is known of it."""
        if not (asked := self._strategy.ask()):
            return
        self._points = self.call.space.points(asked)
        first = self._closed + 1
        for number, point in enumerate(self._points, first) if self._known else ():
            if number in self._known and self.evaluations < self.call.limits.budget:
                known, evaluation = self._known.pop(number)
                if not np.array_equal(known, point):
                    refuse(
                        f"evaluation {number} of {self._source}",
                        known,
                        f"the point that this run asks for, {shown(point)}; values, machine or versions are not what "
                        "they were: hand over what is known as archive=sacma.read_journal(path).archive, with another "
                        "journal",
                    )
                self._take(number, evaluation)

    def _take(self, number: int, evaluation: Evaluation) -> None:
        self.keep(number, evaluation)
        self._settle()
        if self._settled == self._closed + len(self._points):
            self._close()

    def _settle(self) -> None:
        """Count failures in the order of the points, whatever the order in which evaluations come."""
        while (number := self._settled + 1) in self._evaluated:
            if failure := self._evaluated[number][1].failure:
                self._failed_in_a_row += 1
                self._last_failure = failure
            elif self._failed_in_a_row < self.call.limits.max_failures:
                self._failed_in_a_row = 0
            self._settled = number

    def _close(self) -> None:
        """Let the strategy learn from the population that is now evaluated."""
        evaluations = [self._evaluated[number][1] for number in range(self._closed + 1, self._settled + 1)]
        self._closed, self._points = self._settled, self._points[:0]
        with one_thread() if self._uses_models else nullcontext():
            self._strategy.tell([math.inf if e.failure else e.value for e in evaluations])
        if self._on_generation is not None:
            self._on_generation(self)

    def _message(self, status: Status) -> str:
        limits = self.call.limits
        messages = {
            Status.GOING_ON: "the run goes on",
            Status.TARGET: f"the target, {limits.target:g}, is reached",
            Status.BUDGET: f"the budget of {limits.budget} evaluations is used up",
            Status.TIME_LIMIT: f"the time limit of {limits.time_limit:g} s is over",
            Status.CALLBACK: "the callback ended the run",
            Status.RESTARTS: "the last restart that the settings allow has ended"
            if self.call.method.strategy is not None
            else "the method has ended",
            Status.FAILURES: f"{limits.max_failures} evaluations failed in a row",
            Status.INTERRUPTED: "interrupted",
        }
        message = messages[status]
        only_failures = self.failures and not math.isfinite(self.best_value)
        if self._last_failure and (status == Status.FAILURES or only_failures):
            message += f"; the last failure: {self._last_failure}"
        if not self._best_number:
            message += "; nothing better than the given archive was found"
        return message


def _best_of(call: Call) -> tuple[float, Array, int]:
    """Return value, point and number of the best there is at the start: of the archive; else inf, at x₀."""
    if call.archive is None:
        return math.inf, call.x0, 1
    X, y = call.archive
    best = int(np.argmin(y))
    return float(y[best]), X[best], 0


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread: its bits do not depend on the number of cores, and it is faster so."""
    controlled: AbstractContextManager[object] = _pools().limit(limits=1)
    return controlled


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()
