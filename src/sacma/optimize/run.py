"""A run: every point that it asks for follows from its call and from the values that it got."""

import math
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from sacma.files.printable import shown
from sacma.optimize.arguments import refuse
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Outcome, Task
from sacma.optimize.result import History, Result, Status
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.whitening import Array

Known = Mapping[int, tuple[Array, Outcome]]
"""Evaluations by their number, from 1."""


class Run:
    """The optimizer behind ``minimize`` and ask and tell.

    Args:
        call: what is asked for, with a seed.
        known: evaluations of an earlier run of the same call. Their outcomes are taken instead of asked for.
        source: where they come from, for errors.
        on_record: called with number, point and outcome of each evaluation, before anything follows from it; not with
            those that are known.
        on_generation: called after each true-evaluated generation.
    """

    def __init__(
        self,
        call: Call,
        *,
        known: Known | None = None,
        source: str = "what is known",
        on_record: Callable[[int, Array, Outcome], None] | None = None,
        on_generation: Callable[["Run"], None] | None = None,
    ) -> None:
        self.call = call
        self._known = dict(known or {})
        self._source = source
        self._on_record = on_record
        self._on_generation = on_generation
        self._began = time.monotonic()
        self._ended: Status | None = None
        self.generations: list[Generation] = []
        self._uses_models = call.settings.model is not None
        with one_thread() if self._uses_models else nullcontext():
            self._strategy = _strategy(call, self.generations.append)
        self._points: Array = np.empty((0, len(call.x0)))  # the population that is open; none: it is closed
        self._outcomes: list[Outcome | None] = []
        self._settled = 0  # outcomes of it before the first that is not there yet
        self._populations: list[tuple[Array, list[Outcome | None]]] = []  # those that are closed
        self._closed = 0  # their evaluations
        self._failed_in_a_row = 0
        self._last_failure = ""
        self.evaluations = 0
        self.failures = 0
        self.best_value, self.best_point, self._best_number = _best_of(call)

    @property
    def status(self) -> Status:
        """Whether the run has ended, and why."""
        limits = self.call.limits
        holds = {
            Status.TARGET: self.best_value <= limits.target,
            Status.FAILURES: self._failed_in_a_row >= limits.max_failures,
            self._ended: self._ended is not None,
            Status.BUDGET: self.evaluations >= limits.budget,
            Status.RESTARTS: self._strategy.stopped,
            Status.TIME_LIMIT: time.monotonic() - self._began >= limits.time_limit,
        }
        return next((status for status, ended in holds.items() if ended and status is not None), Status.GOING_ON)

    @property
    def goes_on(self) -> bool:
        """Whether the run has not ended: the same as its status, said in less time."""
        limits = self.call.limits
        return (
            self.best_value > limits.target
            and self.evaluations < limits.budget
            and self._failed_in_a_row < limits.max_failures
            and self._ended is None
            and not self._strategy.stopped
            and (limits.time_limit == math.inf or time.monotonic() - self._began < limits.time_limit)
        )

    @property
    def exhausted(self) -> bool:
        """Whether no further point can be asked for, whatever else may have ended the run."""
        return self.evaluations >= self.call.limits.budget or self._strategy.stopped

    @property
    def population_size(self) -> int:
        """How many points the open population has; 0 where none is open."""
        return len(self._points)

    def end(self, status: Status) -> None:
        """End the run from outside."""
        self._ended = status

    def replay(self) -> None:
        """Take all that is known, up to the first point that is not, whatever would have ended the run before."""
        while self._known and not self.exhausted and not self.tasks():
            pass

    def tasks(self) -> list[Task]:
        """Return what is to be evaluated before the run goes on, copies; at most what the budget has left.

        Nothing where a generation has closed with known outcomes alone, or the run has ended.

        Raises:
            ValueError: a known evaluation is not of this run.
        """
        if not len(self._points):
            if self._strategy.stopped:
                return []
            self._sample()
        copies = self._points.copy()  # f may write to its argument
        missing = [(i, copies[i]) for i, outcome in enumerate(self._outcomes) if outcome is None]
        left = self.call.limits.budget - self.evaluations
        return missing if left >= len(missing) else missing[: int(left)]

    def record(self, place: int, outcome: Outcome) -> None:
        """Take the outcome of the task at ``place``; the last of a population updates the strategy."""
        if self._on_record is not None:
            self._on_record(self._closed + place + 1, self._points[place], outcome)
        self._take(place, outcome)

    def keep(self, place: int, outcome: Outcome) -> None:
        """Take the outcome of a task at the end of a run: nothing is recorded, and nothing follows from it."""
        self._outcomes[place] = outcome
        self.evaluations += 1
        if outcome.failure:
            self.failures += 1
        elif outcome.value <= self.best_value:
            value, number = outcome.value, self._closed + place + 1
            if value < self.best_value or number < self._best_number:
                self.best_value, self.best_point, self._best_number = value, self._points[place], number

    def result(self) -> Result:
        """Return what has been found so far."""
        status, found = self.status, math.isfinite(self.best_value)
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
            history=self.history(),
        )

    def history(self) -> History:
        """Return all evaluations, in the order of their numbers, and all generations."""
        there = [place for place, outcome in enumerate(self._outcomes) if outcome is not None]
        points = [*(points for points, _ in self._populations), self._points[there]]
        outcomes = [o for _, population in self._populations for o in population if o is not None]
        outcomes += [o for o in self._outcomes if o is not None]
        failures = {} if not self.failures else {n: o.failure for n, (_, o) in self.evaluated().items() if o.failure}
        values = np.array([outcome.value for outcome in outcomes], dtype=float)
        return History(np.concatenate(points), values, failures, tuple(self.generations))

    def evaluated(self) -> dict[int, tuple[Array, Outcome]]:
        """Return all evaluations by their number, from 1; what is not there yet of a population is left out."""
        found = {}
        number = 0
        for points, outcomes in (*self._populations, (self._points, self._outcomes)):
            for point, outcome in zip(points, outcomes, strict=True):
                number += 1
                if outcome is not None:
                    found[number] = (point, outcome)
        return found

    def _sample(self) -> None:
        """Open the next population, and take what is known of it."""
        population = self._strategy.ask()
        self._points = self.call.space.points(population)
        self._outcomes = [None] * len(population)
        if not self._known:
            return
        points, first = self._points, self._closed + 1
        for place, point in enumerate(points):
            if first + place in self._known and self.evaluations < self.call.limits.budget:
                known, outcome = self._known.pop(first + place)
                if not np.array_equal(known, point):
                    refuse(
                        f"evaluation {first + place} of {self._source}",
                        known,
                        f"the point that this run asks for, {shown(point)}; values, machine or versions are not what "
                        "they were: hand over what is known as archive=sacma.read_journal(path).archive, with another "
                        "journal",
                    )
                self._take(place, outcome)

    def _take(self, place: int, outcome: Outcome) -> None:
        self.keep(place, outcome)
        if place == self._settled:
            self._settle()
        if self._settled == len(self._outcomes):
            self._close()

    def _settle(self) -> None:
        """Count failures in the order of the points, whatever the order in which outcomes come."""
        outcomes = self._outcomes
        while self._settled < len(outcomes) and (outcome := outcomes[self._settled]) is not None:
            if not outcome.failure and self._failed_in_a_row < self.call.limits.max_failures:
                self._failed_in_a_row = 0
            elif outcome.failure:
                self._failed_in_a_row += 1
                self._last_failure = outcome.failure
            self._settled += 1

    def _close(self) -> None:
        """Let the strategy learn from the population that is now evaluated."""
        values = [math.inf if o is None or o.failure else o.value for o in self._outcomes]
        self._populations.append((self._points, self._outcomes))
        self._closed += len(self._points)
        self._points, self._outcomes, self._settled = self._points[:0], [], 0
        with one_thread() if self._uses_models else nullcontext():
            self._strategy.tell(values)
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
            Status.RESTARTS: "the last restart that the settings allow has ended",
            Status.FAILURES: f"{limits.max_failures} evaluations failed in a row",
            Status.INTERRUPTED: "interrupted",
        }
        message = messages[status]
        only_failures = self.failures and not math.isfinite(self.best_value)
        if self._last_failure and (status == Status.FAILURES or only_failures):
            message += f"; the last failure: {self._last_failure}"
        if self.best_point is not None and not self._best_number:
            message += "; nothing better than the given archive was found"
        return message


def _best_of(call: Call) -> tuple[float, Array, int]:
    """Return value, point and number of the best there is at the start: of the archive; else inf, at x₀."""
    if call.archive is None:
        return math.inf, call.x0, 1
    X, y = call.archive
    best = int(np.argmin(y))
    return float(y[best]), X[best], 0


def _strategy(call: Call, on_generation: Callable[[Generation], None]) -> SurrogateStrategy:
    starts, samples = (np.random.default_rng(s) for s in np.random.SeedSequence(call.seed).spawn(2))
    space, sigma0 = call.space, call.settings.sampling.sigma0
    first = [call.x0]

    def initial_point() -> Array:
        return space.scaled(first.pop() if first else space.another_start(call.x0, sigma0, starts))

    archive = None if call.archive is None else (space.scaled(call.archive[0]), call.archive[1])
    return SurrogateStrategy(
        call.settings,
        initial_point=initial_point,
        box=space.box,
        rng=samples,
        on_generation=on_generation,
        archive=archive,
    )


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread: its bits do not depend on the number of cores, and it is faster so."""
    controlled: AbstractContextManager[object] = _pools().limit(limits=1)
    return controlled


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()
