"""The log of a run: its evaluations, which with call and seed decide every point, and its result."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation, LogEntry, as_arrays
from sacma.optimize.journal import Journal
from sacma.optimize.model import Surrogate
from sacma.optimize.result import Result, Status, history_of
from sacma.process_wide import unbroken
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.lagrangian import violations
from sacma.strategy.proposals import NoProposals
from sacma.types import Array


class Best(NamedTuple):
    """A point and its standing: of two, that with the smaller violation, then value, then number is the better one."""

    violation: float  # the largest of a constraint; 0 where all are kept
    value: float  # of f; inf where none is known
    number: int  # of the evaluation; 0: the point is known from elsewhere
    point: Array  # shape (D,)
    error: float | None = None  # standard error of the value, where it is a mean; the violation is one of means then
    meaning: str = ""  # of the value, for people
    constraints: tuple[float, ...] = ()  # m of them, where the value is finite

    @property
    def reached(self) -> float:
        """The value, infinite where a constraint is violated."""
        return self.value if self.violation == 0.0 else math.inf


_RANK = itemgetter(0, 1, 2)


class Log:
    """All evaluations of a call with a seed, in the order in which they ended.

    Args:
        call: without a seed it gets one, of the journal where there is one.
        journal: keeps each evaluation that is appended before anything follows from it.
    """

    def __init__(self, call: Call, journal: Journal | None = None) -> None:
        self.call = call.seeded() if journal is None else journal.call
        self.journal = journal
        self._began = math.inf
        self.ended = Status.GOING_ON  # by a caller
        self.entries: list[LogEntry] = []
        self.by_number: dict[int, LogEntry] = {}  # those of this run, not those known from elsewhere
        self._last = 0  # largest number
        self.failures_in_a_row = 0  # at most, in the order of numbers
        self.best = _best_known(call)

    def __call__(self, **values: float) -> None:
        """Keep no state of an algorithm, which logs it to the problems of trials."""

    @property
    def evaluations(self) -> int:
        """Number of evaluations of this run."""
        return len(self.by_number)

    @property
    def any_value(self) -> bool:
        """True once an evaluation of this run has not failed."""
        return any(not entry.evaluation.failure for entry in self.by_number.values())

    @property
    def left(self) -> float:
        """Number of evaluations that the budget has left."""
        return self.call.limits.budget - len(self.by_number)

    @property
    def next_number(self) -> int:
        """Number of the next point to be asked for, after all that have been evaluated."""
        return self._last + 1

    def restart_clock(self) -> None:
        """Begin the time limit now: evaluations of an earlier run cost no time."""
        self._began = time.monotonic()

    @property
    def is_late(self) -> bool:
        """True after the time limit."""
        return time.monotonic() - self._began >= self.call.limits.time_limit

    def append(self, entry: LogEntry) -> None:
        """Take an evaluation, which is recorded first."""
        with unbroken():
            if self.journal is not None:
                self.journal.record(entry)
            self.keep(entry)

    def keep(self, entry: LogEntry) -> None:
        """Take an evaluation that is recorded already, or cannot be."""
        kept = entry._replace(evaluation=entry.evaluation._replace(raised=None))  # an exception holds frames of f
        self.entries.append(kept)
        if entry.number:
            self.by_number[entry.number] = kept
            self._last = max(self._last, entry.number)
        if not entry.evaluation.failure:
            self.best = min(self.best, _standing(entry, self.call.equalities), key=_RANK)
        elif entry.number:
            beside = range(entry.number - 1, 0, -1), range(entry.number + 1, self._last + 1)
            self.failures_in_a_row = max(self.failures_in_a_row, 1 + sum(map(self._failures_at_first, beside)))

    def _failures_at_first(self, numbers: Iterable[int]) -> int:
        """Count failures before the first value; evaluations that have not ended are left out."""
        ended = filter(None, map(self.by_number.get, numbers))
        return sum(1 for _ in takewhile(lambda entry: entry.evaluation.failure, ended))

    def status(self, search: Status, mean: float = math.inf) -> Status:
        """Return the reason why the run has ended, if it has, perhaps with its ``search``.

        With noise no single value reaches the target, but the ``mean`` of the point that is recommended in the end.
        """
        limits = self.call.limits
        lowest = mean if self.call.noisy else self.best.reached
        reasons = (
            (Status.TARGET, lowest <= limits.target),
            (Status.FAILURES, self.failures_in_a_row >= limits.max_failures),
            (self.ended, self.ended != Status.GOING_ON),
            (Status.BUDGET, self.left <= 0),
            (search, search != Status.GOING_ON),
            (Status.TIME_LIMIT, self.is_late),
        )
        return next((reason for reason, holds in reasons if holds), Status.GOING_ON)

    def result(
        self,
        status: Status,
        generations: Sequence[Generation],
        recommended: Best | None,
        model: Surrogate | None = None,
    ) -> Result:
        """Return the result of the run so far."""
        call = self.call
        given = recommended or self.best
        no_target = call.limits.target == -math.inf
        entries = [self.by_number[number] for number in sorted(self.by_number)]
        history = history_of(entries, call, generations)
        return Result(
            **({} if call.space is None else {"params": call.space.params(given.point)}),
            **({"constraint_violation": given.violation} if call.equalities else {}),
            x=given.point.copy(),
            fun=given.value,
            fun_error=given.error,
            nfev=len(entries),
            nit=len(generations),
            success=math.isfinite(given.reached) and (status == Status.TARGET or (no_target and status.converged)),
            status=status,
            message=self._message(status, given.violation) + (f"; {given.meaning}" if given.meaning else ""),
            seed=call.seed,
            restarts=generations[-1].restart if generations else 0,
            model_generations=sum(g.evaluated_by == EvaluatedBy.MODEL for g in generations),
            failures=len(history.failures),
            history=history,
            model=model,
        )

    def _message(self, status: Status, violation: float) -> str:
        """Return the reason of the end, with remarks on an unusual result."""
        call, best, limits = self.call, self.best, self.call.limits
        messages = {
            Status.GOING_ON: "the run has not ended yet: this is the best so far",
            Status.TARGET: f"the target, {limits.target:g}, is reached",
            Status.BUDGET: f"the budget of {_evaluations(limits.budget)} is used up",
            Status.TIME_LIMIT: f"the time limit of {limits.time_limit:g} s is over",
            Status.CALLBACK: "the callback ended the run",
            Status.RESTARTS: "the method has ended, with its last restart",
            Status.FAILURES: f"{_evaluations(limits.max_failures)} failed in a row (is there a better x0?)",
            Status.INTERRUPTED: "interrupted",
            Status.TOLERANCE: "the last evaluations gained less than the tolerance",
            Status.SPACE_USED_UP: f"all {call.combinations:.0f} combinations of the space are evaluated",
            Status.NO_NEW_POINT: "the method asks for no point that is not evaluated yet, wherever it restarts; where "
            "floats near x0 are as far apart as steps of sigma0, subtract x0 from the coordinates",
        }
        message = messages[status]
        last = next((entry.evaluation.failure for entry in reversed(self.entries) if entry.evaluation.failure), "")
        if last and (status == Status.FAILURES or not math.isfinite(best.value)):
            message += f"; the last failure: {last}"
        if violation > 0.0 and math.isfinite(best.value):
            message += f"; no point kept all constraints: that of the smallest violation, {violation:g}, is given"
        if not best.number and not call.noisy:
            message += "; nothing better than the known points was found"
        return message


def _evaluations(number: float) -> str:
    return f"{number} evaluation{'' if number == 1 else 's'}"


# Share of its gain so far that a run has to gain in 3 evaluations a parameter, until all choices have had their turn.
# See benchmarks/mixed.py: a smaller share gives the first choice more digits, and others less time.
LEAST_GAIN = 1e-4


class Course:
    """The best values of a run between two restarts, which ends when they gain less than its tolerance.

    In a space with choices a run whose model proposes its optimum ends, too, when it gains little and others have not
    begun yet: from one choice the way to another is seldom short.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._best: list[float] = []
        # Without proposals a search gains nothing in many a generation: benchmarks/mixed.py found fewer choices then.
        strategy = call.method.strategy
        proposes = strategy is not None and not isinstance(strategy.proposals, NoProposals)
        ends_early = proposes and not call.noisy and call.tolerance is None
        choices = call.space.choices if call.space is not None and ends_early else []
        # Whatever the limits are: they may be others when the run goes on, and decide no point.
        self._others = math.prod(axes.count for _, axes in choices) if choices else 0

    def restart(self) -> None:
        """Begin again."""
        self._best.clear()
        self._others -= 1

    def append(self, evaluation: Evaluation) -> None:
        """Take the next evaluation."""
        counts = not evaluation.failure and _violation(evaluation, self._call.equalities) == 0.0
        self._best.append(min([evaluation.value if counts else math.inf, *self._best[-1:]]))

    @property
    def settled(self) -> bool:
        """True where the last evaluations gained less than the tolerance."""
        tolerance = self._call.tolerance
        if self._others > 0 and self._call.space is not None:
            length = 3 * len(self._call.space.parameters)
            finite = [value for value in self._best if math.isfinite(value)]
            return len(finite) > length and finite[-1 - length] - finite[-1] <= LEAST_GAIN * (finite[0] - finite[-1])
        if tolerance is None or tolerance.evaluations is None or len(self._best) <= tolerance.evaluations:
            return False
        before, now = self._best[-1 - tolerance.evaluations], self._best[-1]
        return before - now <= max(tolerance.absolute, tolerance.relative * abs(now))  # not for inf - inf


def _standing(entry: LogEntry, equalities: tuple[bool, ...]) -> Best:
    """Return the standing of an evaluation that did not fail."""
    evaluation = entry.evaluation
    violation = _violation(evaluation, equalities)
    return Best(violation, evaluation.value, entry.number, entry.point, constraints=evaluation.constraints)


def _violation(evaluation: Evaluation, equalities: tuple[bool, ...]) -> float:
    """Return the largest violation of a constraint by an evaluation that did not fail."""
    return float(violations(np.array([evaluation.constraints]), equalities)[0]) if equalities else 0.0


def _best_known(call: Call) -> Best:
    """Return the best of the known points; without any x₀, the value of which is not known."""
    if call.known is None:
        return Best(math.inf if call.equalities else 0.0, math.inf, 1, call.x0)
    X, y, *constraints = call.known
    violation = violations(constraints[0], call.equalities) if constraints else np.zeros(len(y))
    best = min(range(len(y)), key=lambda i: (violation[i], y[i]))
    rows = constraints[0][best].tolist() if constraints else ()
    return Best(float(violation[best]), float(y[best]), 0, X[best], constraints=tuple(rows))


def founded(call: Call, entries: Sequence[LogEntry]) -> Call:
    """Return the call of a search that begins after evaluations: known points, or several first guesses."""
    valued = [entry for entry in entries if not entry.evaluation.failure]
    if not valued:
        return call
    m = len(call.equalities)
    known = as_arrays(valued, len(call.x0), m)[: 3 if m else 2]
    if call.known is not None:
        known = tuple(np.concatenate(parts) for parts in zip(call.known, known, strict=True))
    guesses = [entry for entry in valued if not isinstance(entry.place, str)]
    standings = [_standing(entry, call.equalities) for entry in guesses]
    return replace(call, known=known, x0=min(standings, key=_RANK).point if standings else call.x0)
