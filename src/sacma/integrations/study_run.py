"""A run that follows a study of Optuna: it is told the trials that have ended, and asked for the next."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from sacma.optimize.call import ROUNDING, Call
from sacma.optimize.constraints import MOST_CONSTRAINTS
from sacma.optimize.evaluation import ConstrainedValue, Evaluation, evaluation_of
from sacma.optimize.exchange import Exchange
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from sacma.surrogate.whitening import Array

CONSTRAINTS = "constraints"  # Optuna's
MOST_REPEATED = 20  # points in a row that are known or running
MOST_LEARNED = 5_000  # newest trials that models know from the start of a run


@dataclass
class StudyRun:
    """A run that is told the trials of a study.

    Those that ended before it began are known to its models.
    """

    space: Space
    seed: int
    call: Call
    start: datetime  # when the trial began with which it begins
    exchange: Exchange | None = None
    told: list[int] = field(default_factory=list)  # numbers of trials that have ended, in that order
    keys: set[Hashable] = field(default_factory=set)  # of their points

    def follow(self, trials: Sequence[FrozenTrial], maximize: bool, *, pruned: bool) -> None:  # noqa: FBT001 one of our own
        """Tell the run all trials that have ended."""
        sign = -1.0 if maximize else 1.0
        ended = [trial for trial in trials if trial.state.is_finished()]
        ended.sort(key=lambda trial: (trial.datetime_complete or datetime.min, trial.number))  # noqa: DTZ901 idem
        known = [trial for trial in ended if (trial.datetime_complete or datetime.min) < self.start]  # noqa: DTZ901 idem
        numbers = [trial.number for trial in ended]
        if self.exchange is None or numbers[: len(self.told)] != self.told:
            m = len(self.call.equalities)
            pairs = [(self._point(trial), evaluation_of_trial(trial, sign, m, pruned=pruned)) for trial in known]
            located = [(x, each) for x, each in pairs if x is not None]
            valued = [(x, each) for x, each in located if not each.failure][-MOST_LEARNED:]
            call, centre = self.call, self.space.centred(self.call.x0)
            begun = [(x, each) for x, each in located if np.max(np.abs(x - centre)) <= ROUNDING]
            if begun:  # at x₀, but for the rounding of parameters
                x0 = begun[-1][0]
                call = replace(call, x0=np.where(np.abs(x0 - call.x0) <= ROUNDING, x0, call.x0))
            if valued:
                X, y = np.array([x for x, _ in valued]), np.array([each.value for _, each in valued])
                G = (np.array([each.constraints for _, each in valued]),) if m else ()
                call = replace(call, known=(X, y, *G))
            self.exchange, self.told = Exchange(Run(call)), numbers[: len(known)]
            self.keys = {self._key(trial.params) for trial, (x, _) in zip(known, pairs, strict=True) if x is not None}
            if begun and all(each.failure for _, each in begun):
                self.exchange.observe(self.exchange.key(begun[-1][0]), *begun[-1])  # else it would ask for x₀ again
        for trial in ended[len(self.told) :]:
            if (point := self._point(trial)) is not None:
                m = len(self.call.equalities)
                key = self._key(trial.params)
                self.exchange.observe(key, point, evaluation_of_trial(trial, sign, m, pruned=pruned))
                self.keys.add(key)
            self.told.append(trial.number)

    def ask(
        self, trial: FrozenTrial, trials: Sequence[FrozenTrial], given: Mapping[int, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return parameters for a trial, beside those of all running ones."""
        assert self.exchange is not None  # noqa: S101 ``follow`` comes first
        running = [other for other in trials if other.state == TrialState.RUNNING and other.number != trial.number]
        params = [given.get(other.number, other.params) for other in running]
        points = [self._point_of(each) for each in params]
        # Trials that are being sampled, as by other processes, get the next points in the order of their numbers.
        sampled = sum(
            point is None and other.number < trial.number for point, other in zip(points, running, strict=True)
        )
        pending: dict[Hashable, Array] = {
            self._key(each): point for each, point in zip(params, points, strict=True) if point is not None
        }
        for more in range(MOST_REPEATED if self.space.combinations == math.inf else 1):
            found = self.space.params(self.exchange.beside(pending, sampled + more, trial.number))
            # To the run a point is another than the same one by way of its parameters, where that rounds.
            if (key := self._key(found)) not in pending and key not in self.keys:
                break
        return found

    def _key(self, params: Mapping[str, Any]) -> Hashable:
        return self.space.key({name: params[name] for name in self.space})

    def _point(self, trial: FrozenTrial) -> Array | None:
        return self._point_of(trial.params)

    def _point_of(self, params: Mapping[str, Any]) -> Array | None:
        """Return the point of parameters, shape (D,); None where one is missing, or outside of its range."""
        try:
            return self.space.point({name: params[name] for name in self.space if name in params})
        except (TypeError, ValueError):
            return None


def constraints_of_trial(trial: FrozenTrial) -> Sequence[float]:
    """Return the constraints of a trial: those of a sampler's function, and its own in the order of their names."""
    listed = trial.system_attrs.get(CONSTRAINTS)
    named = sorted(name for name in trial.system_attrs if name.startswith(f"{CONSTRAINTS}:"))
    found = [*(listed if isinstance(listed, Sequence) else ()), *(trial.system_attrs[name] for name in named)]
    return found if len(found) <= MOST_CONSTRAINTS else ()


def evaluation_of_trial(trial: FrozenTrial, sign: float, m: int, *, pruned: bool) -> Evaluation:
    """Return the evaluation of a trial that has ended."""
    value = None
    if trial.state == TrialState.COMPLETE and trial.values is not None and len(trial.values) == 1:
        value = trial.values[0]
    elif pruned and trial.state == TrialState.PRUNED and trial.intermediate_values:
        value = trial.intermediate_values[max(trial.intermediate_values)]
    if value is None:
        return Evaluation(math.nan, f"the trial ended as {trial.state.name}")
    return evaluation_of(ConstrainedValue(sign * value, constraints_of_trial(trial), m) if m else sign * value)
