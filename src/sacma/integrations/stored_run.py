"""A run of the optimizer whose evaluations are the trials of a study.

Any number of workers compute the same run from the same trials; their claims are all that they tell each other:

- The run asks for one population after another. Each of its points has a place, and a trial claims one of them. Where
  each place has a trial, one more trial gets a further point of the same distribution, whose value models learn from.
- A population ends when each place has a trial that has ended. Claims in the next population say which trials the
  strategy learned from then; where they differ, that of the trial with the lowest number counts.
- Where a claim does not fit, because its worker knew less or computes otherwise, models learn from the trial.
"""

import math
from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from sacma.integrations.claims import Closing, Founding, PointClaim, claim_of
from sacma.integrations.unit_cube import UnitCube
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation, Task, evaluation_of
from sacma.optimize.run import Run
from sacma.strategy.cma_es import default_population_size
from sacma.surrogate.whitening import Array

Trials = Mapping[int, FrozenTrial]  # of a study, by their numbers, ascending

PATIENCE = 2  # later trials that may end while one runs, per worker: of exponential durations one in seven is longer
MOST_LEARNED = 5_000  # trials that models learn from at a time; at the start of a run: the newest


class TrialValues:
    """Points and values of trials.

    Args:
        cube: the search space.
        maximize: the direction of the study.
        pruned: the last intermediate value of a pruned trial is its value; else it counts as failed.
    """

    def __init__(self, cube: UnitCube, *, maximize: bool, pruned: bool) -> None:
        self.cube = cube
        self._sign = -1.0 if maximize else 1.0
        self._pruned = pruned

    def evaluation(self, trial: FrozenTrial) -> Evaluation:
        """Return the evaluation of a trial that has ended."""
        value = self._value(trial)
        return Evaluation(math.nan, f"the trial ended as {trial.state.name}") if value is None else self._of(value)

    def has_value(self, trial: FrozenTrial) -> bool:
        """Return True if a trial has ended with a value."""
        return self._value(trial) is not None

    def archive(self, trials: Sequence[FrozenTrial]) -> tuple[Array, Array]:
        """Return points, shape (n, D), and finite values, shape (n,), of those trials that have both."""
        points, values = [], []
        for trial in trials:
            value, point = self._value(trial), self.cube.point(trial.params)
            if value is not None and point is not None and not self._of(value).failure:
                points.append(point)
                values.append(self._of(value).value)
        return np.array(points, dtype=float).reshape(-1, self.cube.dimension), np.array(values, dtype=float)

    def _value(self, trial: FrozenTrial) -> float | None:
        if trial.state == TrialState.COMPLETE and trial.values is not None and len(trial.values) == 1:
            return float(trial.values[0])
        if self._pruned and trial.state == TrialState.PRUNED and trial.intermediate_values:
            return float(trial.intermediate_values[max(trial.intermediate_values)])
        return None

    def _of(self, value: float) -> Evaluation:
        return evaluation_of(self._sign * value)


class OtherRunError(Exception):
    """The trials of a study tell of another run than the one that was computed."""


class StoredRun:
    """The run that a founding began; ``follow`` takes it to where the trials are."""

    def __init__(self, founding: Founding, call: Call, values: TrialValues) -> None:
        self.founding = founding
        self._run = Run(call)
        self._values = values
        self._closings: list[Closing] = []  # one a population that has ended
        self._refused: set[PointClaim] = set()  # whose closing does not fit
        self._earlier: list[list[FrozenTrial]] = []  # at the points of the first population, by place
        self._learned = set(founding.learned)
        self._oldest = min(founding.learned) if len(founding.learned) >= MOST_LEARNED else 0  # trial to learn from
        self.strangers: set[int] = set()  # trials that claim a place with another point
        self._settled: dict[int, list[PointClaim]] = {}  # claims of trials that have ended, by population
        self._read: set[int] = set()  # trials that have ended
        self._ended: list[int] = []  # the same, ascending
        self._open()

    def _open(self) -> None:
        self._tasks: list[Task] = self._run.tasks()
        self._evaluations: dict[tuple[int, int], Evaluation | None] = {}  # by trial and place

    @property
    def _population(self) -> int:
        return len(self._closings)

    @property
    def _closing(self) -> Closing | None:
        return self._closings[-1] if self._closings else None

    def follow(self, trials: Trials) -> None:
        """Take in all populations that have ended.

        Raises:
            OtherRunError: a population ended otherwise than this run knows.
        """
        self._trials = trials
        if self._population == 0:
            self._earlier = self._at_first_points()
        for population in self._read_claims(trials):
            told = next(self._told(population), None) if 0 < population <= self._population else None
            if told is not None and told.closing != self._closings[population - 1]:
                raise OtherRunError
        while self._tasks and (ended := self._told_closing()) is not None:
            self._close(ended)

    def ending(self, trial: FrozenTrial) -> PointClaim | None:
        """Return the claim that ends the open population, None as long as a point of it is not evaluated.

        It is to be written before the strategy learns, which takes time: others then learn from the same trials.
        """
        evaluated = []
        for place in range(len(self._tasks)):
            found = (other.number for other in self._at(place) if self._evaluation(other, place) is not None)
            number = next(found, None)
            if number is None:
                return None
            evaluated.append(number)
        if not evaluated:
            return None
        known = self._learned | set(evaluated)
        others = (n for n in self._trials if n >= self._oldest and n not in known)
        learned = islice((n for n in others if self._values.has_value(self._trials[n])), MOST_LEARNED)
        closing = Closing(tuple(evaluated), tuple(learned))
        return PointClaim(trial.number, self.founding.trial, self._population + 1, None, closing)

    def _read_claims(self, trials: Trials) -> set[int]:
        """Read the claims that are new, or of trials that run; return their populations."""
        self._unsettled: dict[int, list[PointClaim]] = {}
        read, running = set(), []
        for number, trial in trials.items():
            if number in self._read:
                continue
            claim = claim_of(number, trial.system_attrs)
            if claim is not None and claim.founder == self.founding.trial:
                claims = self._settled if trial.state.is_finished() else self._unsettled
                claims.setdefault(claim.population, []).append(claim)
                read.add(claim.population)
            if trial.state.is_finished():
                self._read.add(number)
                insort(self._ended, number)
            if trial.state == TrialState.RUNNING:
                running.append(number)
        self._lost = self._without_worker(running)
        return read

    def _without_worker(self, running: Sequence[int]) -> set[int]:
        """Return trials that seem to have lost their worker: while they run, too many later trials have ended.

        Too many are as many as a population has points, and ``PATIENCE`` times as many as there are workers: trials
        that run and are not lost.
        """
        fewest, workers, lost = default_population_size(self._values.cube.dimension), 0, set()
        for number in reversed(running):
            later = len(self._ended) - bisect_right(self._ended, number)
            if later < max(fewest, PATIENCE * (workers + 1)):
                workers += 1
            else:
                lost.add(number)
        return lost

    def claim(self, trial: FrozenTrial, conflicts: int) -> tuple[PointClaim, Array]:
        """Return the claim of a free place, or of a further point, and the point, shape (D,).

        After ``conflicts`` with another worker the place is any of the free ones: it may take the first one again.
        """
        place: int | None = None
        fixed = trial.system_attrs.get("fixed_params")
        if not isinstance(fixed, dict) or fixed.keys().isdisjoint(self._values.cube.names):
            free = [i for i in range(len(self._tasks)) if self._is_free(i, trial.number)]
            if free:
                place = free[trial.number % len(free) if conflicts else 0]
        claim = PointClaim(trial.number, self.founding.trial, self._population, place, self._closing)
        if place is not None:
            return claim, self._tasks[place][1]
        rng = np.random.default_rng([self.founding.seed, self.founding.trial, trial.number])
        return claim, self._run.further(rng)

    def confirms(self, claim: PointClaim) -> bool:
        """Return True if a claim fits and no other trial has its place."""
        fits = (claim.population, claim.closing) == (self._population, self._closing)
        return fits and (claim.place is None or self._is_free(claim.place, claim.trial))

    def _claims_in(self, population: int) -> Sequence[PointClaim]:
        claims = self._settled.get(population, []) + self._unsettled.get(population, [])
        return sorted(claims, key=lambda claim: claim.trial)

    def _at_first_points(self) -> list[list[FrozenTrial]]:
        """Return, by place of the first population, the trials without a value from before the run at its point."""
        numbers = takewhile(lambda number: number < self.founding.trial, self._trials)
        others = [self._trials[number] for number in numbers if number not in self._learned]
        return [[trial for trial in others if self._values.cube.is_at(trial.params, x)] for _, x in self._tasks]

    def _at(self, place: int) -> Iterator[FrozenTrial]:
        """Yield the trials that claim a place of the open population, of the first also earlier ones at its point."""
        if self._population == 0:
            yield from self._earlier[place]
        for claim in self._claims_in(self._population):
            if claim.place == place and claim.closing == self._closing:
                yield self._trials[claim.trial]

    def _evaluation(self, trial: FrozenTrial, place: int) -> Evaluation | None:
        """Return the evaluation of a point of the open population by a trial, None where there is none."""
        if not trial.state.is_finished():
            return None
        key = trial.number, place
        if key not in self._evaluations:
            at_its_point = self._values.cube.is_at(trial.params, self._tasks[place][1])
            if self._values.has_value(trial) and not at_its_point:
                self.strangers.add(trial.number)
                self._evaluations[key] = None
            else:
                self._evaluations[key] = self._values.evaluation(trial)
        return self._evaluations[key]

    def _is_free(self, place: int, for_trial: int) -> bool:
        """Return True if no trial but ``for_trial`` evaluates a place, or has evaluated it."""
        for trial in self._at(place):
            if trial.number == for_trial or trial.number in self._lost:
                continue
            if not trial.state.is_finished() or self._evaluation(trial, place) is not None:
                return False
        return True

    def _told(self, population: int) -> Iterator[PointClaim]:
        """Yield the claims that tell how the population before ended, by trials that have all ended."""
        for claim in self._claims_in(population):
            closing = claim.closing
            if closing is not None and claim not in self._refused:
                numbers = (*closing.evaluated, *closing.learned)
                if all(number in self._trials and self._trials[number].state.is_finished() for number in numbers):
                    yield claim

    def _told_closing(self) -> Closing | None:
        """Return the end of the open population that a claim tells of."""
        for claim in self._told(self._population + 1):
            if claim.closing is not None and self._fits(claim.closing):
                return claim.closing
            self._refused.add(claim)
        return None

    def _fits(self, closing: Closing) -> bool:
        """Return True if the trials of a closing, which have ended, are what it says."""
        if len(closing.evaluated) != len(self._tasks) or not self._learned.isdisjoint(closing.learned):
            return False
        for place, number in enumerate(closing.evaluated):
            if not any(t.number == number and self._evaluation(t, place) is not None for t in self._at(place)):
                return False
        return all(self._values.has_value(self._trials[number]) for number in closing.learned)

    def _close(self, closing: Closing) -> None:
        X, y = self._values.archive([self._trials[number] for number in closing.learned])
        if len(y):
            self._run.learn(X, y)
        self._learned.update(closing.evaluated, closing.learned)
        evaluations = [self._evaluation(self._trials[n], place) for place, n in enumerate(closing.evaluated)]
        for (number, _), evaluation in zip(self._tasks, evaluations, strict=True):
            assert evaluation is not None  # noqa: S101 a closing that fits
            self._run.record(number, evaluation)
        self._closings.append(closing)
        self._open()
