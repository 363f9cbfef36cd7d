"""Checks of an algorithm against the contract of the harness, by watched trials in processes of their own.

The harness ends every trial at its budget and its target, and two runs of a trial give the same bits, as long as an
algorithm draws random numbers from its own generator alone and lets the end of its trial pass.
"""

import math
import os
import random
import re
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import cocoex
import numpy as np
from joblib.externals.loky.backend.reduction import dumps

from sacma.algorithms.registry import ALGORITHMS
from sacma.child import Child, DeathError
from sacma.coco.suites import BBOB
from sacma.config.plan import TrialSpec, add_missing_algorithm
from sacma.experiment.installation_check import CheckResult, Finding
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.trial import run_algorithm, suite_of
from sacma.types import Array

PLACES = ((8, 5, 1), (1, 2, 1), (15, 3, 2))  # (function, dimension, instance) of the trials that are watched, on bbob
BUDGET = 40  # true evaluations of a watched trial, divided by D
SLOW = 10.0  # seconds after which a trial is ended at its next evaluation: its points until then are enough
PATIENCE = 60.0  # seconds beyond these that a process may take
MOST_CALLS_BEYOND = 100  # evaluations after the end at which a process is ended

GOES_ON = "it goes on when its trial has ended: let BaseException pass, catch Exception"


@dataclass(frozen=True)
class Sighting:
    """Observations of a watched trial."""

    points: tuple[bytes, ...]  # the evaluated ones
    evaluations_left: int
    target_hit: bool
    error: str  # raised by the algorithm, in one line with its place
    slow: bool  # it was ended before its budget
    own_randomness: bool  # the global generators are as they were before
    cpu_seconds: float


class WatchedProblem(BudgetedProblem):
    """A problem that remembers its points, and ends the process of an algorithm that will not end."""

    def __init__(self, spec: TrialSpec, suite: cocoex.Suite, seconds: float) -> None:
        super().__init__(spec, suite[0], optimal_value(spec), seconds)
        self._suite = suite  # COCO reads its name
        self._refused = 0
        self.points: list[bytes] = []

    def __call__(self, point: Array) -> float:
        """Evaluate; see ``BudgetedProblem``."""
        if self.evaluations_left == 0 or self.target_hit:
            self._refused += 1
            if self._refused > MOST_CALLS_BEYOND:
                os.write(2, f"\n{GOES_ON}\n".encode())
                os._exit(1)
            raise TrialEnd
        value = super().__call__(point)
        self.points.append(np.asarray(point, float).tobytes())
        return value


def examine(spec: TrialSpec, seconds: float = SLOW) -> Iterator[CheckResult]:
    """Yield the points of the contract that a trial's algorithm keeps or breaks.

    Watched trials that take longer than so many ``seconds`` are ended.
    """
    specs = [
        replace(spec, suite=BBOB.name, function=function, dimension=D, instance=instance, budget=BUDGET * D)
        for function, D, instance in PLACES
    ]
    short = [replace(specs[0], budget=1), replace(specs[0], target=1e30)]  # which the first evaluation hits
    try:
        seen = _watched([*specs, *short], 1, seconds)
        errors = dict.fromkeys(sighting.error for sighting in seen if sighting.error)
        slow = f"; slow ones were ended after {seconds:g} s" * any(sighting.slow for sighting in seen)
        places = ", ".join(f"f{place.function} in {place.dimension}-D" for place in specs)
        yield CheckResult("runs", not errors, "; ".join(errors) or f"{places}{slow}")
        if errors:
            return
        early = sum(bool(s.evaluations_left) and not (s.error or s.slow or s.target_hit) for s in seen)
        itself = f"; by itself in {early} of {len(seen)} trials, before budget and target (restart it?)" * bool(early)
        yield CheckResult("budget, target", sound=True, reason=f"ends where it is ended{itself}")
        repeats = CheckResult("determinism", *_determinism(seen, _watched([*reversed(specs), *specs], 1, seconds)))
        yield repeats
        if repeats.sound:
            yield CheckResult("own randomness", *_own_randomness(seen[0], _watched(specs[:1], 2, seconds)[0]))
        if evaluations := sum(len(sighting.points) for sighting in seen):
            milliseconds = 1e3 * sum(sighting.cpu_seconds for sighting in seen) / evaluations
            yield CheckResult("time", None, f"{milliseconds:.2g} ms of CPU time an evaluation, with f")
    except DeathError as death:
        where = re.findall(r"^f\d+ in \d+-D$", death.said, re.MULTILINE)[-1:]
        goes_on = GOES_ON in death.said
        point, reason = ("budget, target", GOES_ON) if goes_on else ("runs", f"{', '.join(where)}: {death}")
        yield CheckResult(point, sound=False, reason=reason)


def _determinism(seen: Sequence[Sighting], again: Sequence[Sighting]) -> Finding:
    """Compare trials with the same ones in another process and another order, after others and after themselves."""
    count = len(PLACES)
    for sighting, *others in zip(seen, again[count - 1 :: -1], again[count:], strict=False):
        for other in others:
            if number := _first_difference(sighting, other):
                return False, f"the same trial in a new process, after others, differs from evaluation {number} on"
    return True, "the same points in other processes, and after other trials"


def _own_randomness(once: Sighting, reseeded: Sighting) -> Finding:
    """Compare trials with other seeds of the global generators, and these before and after."""
    if number := _first_difference(once, reseeded):
        found = f"seeds of numpy.random and random change its points from evaluation {number} on"
        return False, f"{found}: draw from rng alone"
    if not once.own_randomness:
        return False, "it seeds numpy.random or random, or draws from them: draw from rng alone"
    return True, "global generators are not used"


def _first_difference(one: Sighting, other: Sighting) -> int:
    """Return the number of the first evaluation at which two trials differ, 0 if none; a slow one is cut short."""
    both: Callable[..., Iterator[tuple[bytes, bytes]]] = zip if one.slow or other.slow else zip_longest
    pairs = enumerate(both(one.points, other.points), 1)
    return next((number for number, (a, b) in pairs if a != b), 0)


def _watched(specs: Sequence[TrialSpec], seed: int, seconds: float) -> list[Sighting]:
    """Run trials one after the other in a new process; raise DeathError where it dies."""
    child = Child({}, isolated=True)
    try:
        patience = PATIENCE + seconds * len(specs)
        sightings: list[Sighting] = child.call(
            bytes(dumps((_watch, specs, seed, seconds, ALGORITHMS.files))), patience, threading.Event()
        )
    finally:
        child.kill()
    return sightings


def _watch(specs: Sequence[TrialSpec], seed: int, seconds: float, files: Sequence[Path]) -> list[Sighting]:
    """Run trials in a process started for them; ``seed`` seeds the global generators."""
    cocoex.log_level("warning")
    found = []
    for spec in specs:
        os.write(2, f"\nf{spec.function} in {spec.dimension}-D\n".encode())
        add_missing_algorithm(spec, files)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 the generator that is not to be used
        before = _global_states()
        problem = WatchedProblem(spec, suite_of(spec), seconds)
        error, cpu_seconds = "", math.nan
        try:
            cpu_seconds = run_algorithm(spec, problem)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 all is reported
            error = f"{type(raised).__name__}: {raised} ({_place_of(raised)})"
        error = error or ("" if problem.points else "it made no evaluation")
        kept = _global_states() == before
        seen = problem.evaluations_left, problem.target_hit, error, problem.late, kept, cpu_seconds
        found.append(Sighting(tuple(problem.points), *seen))
    return found


def _global_states() -> tuple[object, ...]:
    """Return the states of the global generators."""
    _, key, *rest = np.random.get_state()  # noqa: NPY002 idem
    return random.getstate(), np.asarray(key).tobytes(), *rest


def _place_of(error: BaseException) -> str:
    """Return ``FILE:LINE`` where an error was raised, or the problem was called that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = Path(__file__).parent
    frame = next((f for f in reversed(frames) if ours not in Path(f.filename).parents), frames[-1])
    return f"{Path(frame.filename).name}:{frame.lineno}"
