"""Checks of an algorithm against the contract of the harness: watched trials in processes of their own.

The harness ends every trial at its budget and its target, and two runs of a trial give the same bits, as long as an
algorithm draws random numbers from its own generator alone, lets the end of its trial pass, and leaves nothing behind.
"""

import contextlib
import hashlib
import multiprocessing
import os
import random
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import cocoex
import numpy as np

from sacma.algorithms.registry import ALGORITHMS
from sacma.coco.suites import BBOB
from sacma.config.plan import TrialSpec
from sacma.experiment.check_result import CheckResult
from sacma.experiment.children import forget_start, safe_start
from sacma.experiment.problem import BudgetedProblem, optimal_value
from sacma.experiment.resolve_algorithm import add_missing_algorithm
from sacma.experiment.trial import run_algorithm, suite_of
from sacma.files.printable import LONGEST_SHOWN, one_line
from sacma.surrogate.whitening import Array

PATIENCE = 120.0
"""Seconds that a watched process may take."""

MOST_CALLS_BEYOND = 100
"""Evaluations asked for after the end, at which a watched process gives up."""

MOST_SAID = 60
"""Characters of what it wrote to the terminal."""

PLACES = ((8, 5, 1), (1, 2, 1), (15, 3, 2), (21, 10, 1))
"""(function, dimension, instance) of the trials that are watched, on bbob."""

BUDGET = 40
"""Of a watched trial, divided by D."""


@dataclass(frozen=True)
class Watch:
    """One trial to be watched.

    Args:
        spec: of the trial.
        before: a trial to be run before it in the same process, if any.
        global_seed: of the global generators of Python and NumPy.
    """

    spec: TrialSpec
    before: TrialSpec | None = None
    global_seed: int = 6_700_417  # none that an algorithm would set itself


@dataclass(frozen=True)
class Sighting:
    """What was seen of a trial.

    Args:
        points: content hashes of the evaluated points, in their order.
        evaluations_left: of the budget.
        target_hit: whether it was.
        calls_beyond: evaluations asked for after the first that was refused.
        error: what the algorithm raised, in one line with its place; or empty.
        generators: the global generators that it changed the state of.
        left: files, folders, threads, environment variables and the like that it left behind, in words.
        said: the beginning of what it wrote to the terminal.
        warned: warnings, each once.
        seconds: of CPU time.
    """

    points: tuple[str, ...] = ()
    evaluations_left: int = 0
    target_hit: bool = False
    calls_beyond: int = 0
    error: str = ""
    generators: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    said: str = ""
    warned: tuple[str, ...] = ()
    seconds: float = 0.0


class WatchedProblem(BudgetedProblem):
    """A problem that remembers where it was evaluated, and ends the process of an algorithm that will not end."""

    def __init__(self, spec: TrialSpec, suite: cocoex.Suite, f_opt: float, give_up: Callable[[], None]) -> None:
        super().__init__(spec, suite[0], f_opt)
        self._suite = suite
        self._give_up = give_up
        self.points: list[str] = []
        self.refused = 0

    def __call__(self, point: Array) -> float:
        """Evaluate; see ``BudgetedProblem``."""
        if self.evaluations_left == 0 or self.target_hit:
            self.refused += 1
            if self.refused > MOST_CALLS_BEYOND:
                self._give_up()
        value = super().__call__(point)
        self.points.append(hashlib.sha256(np.asarray(point, float).tobytes()).hexdigest()[:16])
        return value


def examine(spec: TrialSpec) -> Iterator[CheckResult]:
    """Yield what the algorithm of ``spec`` keeps to and what it breaks, as it is seen.

    Args:
        spec: of any trial; its algorithm, settings and seed count.
    """
    specs = [_at(spec, place) for place in PLACES]
    first = specs[0]
    seen = {s: watched(Watch(s)) for s in specs}
    errors = list(_errors(seen))
    yield CheckResult("runs", not errors, "; ".join(errors) or _places(specs))
    if not any(sighting.points for sighting in seen.values()):
        return
    yield _ends(seen, watched(Watch(replace(first, budget=1))), watched(Watch(replace(first, target=1e30))))
    again = {
        "in a new process": watched(Watch(first)),
        "after another trial in its process": watched(Watch(first, before=specs[1])),
    }
    repeats = _repeats(seen[first], again)
    yield repeats
    reseeded = watched(Watch(first, global_seed=2)) if repeats.sound else seen[first]
    yield _own_randomness(seen[first], reseeded, seen.values())
    left = sorted({what for sighting in seen.values() for what in sighting.left})
    yield CheckResult("leaves nothing", not left, "; ".join(left) or "no file, thread or setting of the process")
    yield from _remarks(seen.values(), watched(Watch(replace(first, seed=first.seed + 1))), seen[first])
    yield from _cost(again["after another trial in its process"])


def _at(spec: TrialSpec, place: tuple[int, int, int]) -> TrialSpec:
    function, dimension, instance = place
    budget = BUDGET * dimension
    return replace(spec, suite=BBOB.name, function=function, dimension=dimension, instance=instance, budget=budget)


def _errors(seen: Mapping[TrialSpec, Sighting]) -> Iterator[str]:
    """Yield each error once, with all the problems that it occurs on."""
    left = {spec: sighting for spec, sighting in seen.items() if sighting.error}
    while left:
        first = next(iter(left.values()))
        same = [spec for spec, sighting in left.items() if _same_error(sighting, first)]
        yield f"{_places(same)}: {first.error}"
        left = {spec: sighting for spec, sighting in left.items() if spec not in same}


def _places(specs: Iterable[TrialSpec]) -> str:
    return ", ".join(f"f{spec.function} in {spec.dimension}-D" for spec in specs)


def _ends(seen: Mapping[TrialSpec, Sighting], of_one: Sighting, at_target: Sighting) -> CheckResult:
    """Budget and target."""
    point = "budget, target"
    beyond = [s for s in (*seen.values(), of_one, at_target) if s.calls_beyond]
    if beyond:
        return CheckResult(
            point, sound=False, reason="it goes on when its trial has ended: let BaseException pass, catch Exception"
        )
    for what, sighting in {"a budget of 1": of_one, "a target that the first evaluation hits": at_target}.items():
        if sighting.error:
            if any(_same_error(sighting, other) for other in seen.values()):  # which the first point says already
                return CheckResult(point, None, "not seen: the error above comes first")
            return CheckResult(point, sound=False, reason=f"with {what}: {sighting.error}")
    whole = [sighting for sighting in seen.values() if not sighting.error]
    early = [sighting for sighting in whole if sighting.evaluations_left and not sighting.target_hit]
    if early:
        reason = f"ends; by itself on {len(early)} of {len(seen)} problems, before budget and target (restart it?)"
        return CheckResult(point, sound=True, reason=reason)
    return CheckResult(point, sound=True, reason="ends where it is ended")


def _repeats(once: Sighting, again: Mapping[str, Sighting]) -> CheckResult:
    """Determinism."""
    for how, sighting in again.items():
        number = _first_difference(once, sighting)
        if not _same_error(sighting, once):
            return CheckResult(
                "determinism", sound=False, reason=f"the same trial {how}: {sighting.error or 'no error'}"
            )
        if number:
            return CheckResult(
                "determinism", sound=False, reason=f"the same trial {how} differs from evaluation {number} on"
            )
    return CheckResult("determinism", sound=True, reason="the same points in other processes, and after other trials")


def _same_error(one: Sighting, other: Sighting) -> bool:
    """Whether two trials ended with the same error, at the same place; its words may hold addresses and times."""
    ends = [
        (s.error.partition(":")[0], s.error.rpartition(" (")[2] if s.error.endswith(")") else "") for s in (one, other)
    ]
    return ends[0] == ends[1]


def _own_randomness(once: Sighting, other: Sighting, seen: Collection[Sighting]) -> CheckResult:
    """Global generators."""
    number = _first_difference(once, other)
    if number:
        reason = f"seeds of numpy.random and random change its points from evaluation {number} on: draw from rng alone"
        return CheckResult("own randomness", sound=False, reason=reason)
    changed = sorted({name for sighting in seen for name in sighting.generators})
    if changed:
        reason = f"changes the state of {' and '.join(changed)}, which others in the process may use"
        return CheckResult("own randomness", sound=False, reason=reason)
    return CheckResult("own randomness", sound=True, reason="global generators are neither used nor changed")


def _remarks(seen: Collection[Sighting], other_seed: Sighting, once: Sighting) -> Iterator[CheckResult]:
    if once.points and other_seed.points == once.points:
        yield CheckResult("randomness", None, "another seed gives the same points: it draws no random numbers")
    said = next((sighting.said for sighting in seen if sighting.said), "")
    if said:
        yield CheckResult("output", None, f"it writes to the terminal, where nobody will see it: {said!r}")
    warned = sorted({warning for sighting in seen for warning in sighting.warned})
    if warned:
        yield CheckResult("warnings", None, f"it warns: {'; '.join(warned[:3])}")


def _cost(warm: Sighting) -> Iterator[CheckResult]:
    """CPU time, of a trial that is not the first of its process: there, what is done once would count."""
    if warm.points:
        evaluations, milliseconds = len(warm.points), 1e3 * warm.seconds / len(warm.points)
        many = "s" * (evaluations > 1)
        yield CheckResult(
            "time", None, f"{evaluations} evaluation{many} took {milliseconds:.2g} ms of CPU time each, with f"
        )


def _first_difference(one: Sighting, other: Sighting) -> int:
    """Return the number of the first evaluation at which two trials differ, 0 if none."""
    for number, (a, b) in enumerate(zip(one.points, other.points, strict=False), 1):
        if a != b:
            return number
    return 0 if len(one.points) == len(other.points) else min(len(one.points), len(other.points)) + 1


def watched(watch: Watch) -> Sighting:
    """Run one trial in a new process and folder, and return what was seen."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="sacma-") as folder:
        process = context.Process(target=_watch, args=(theirs, watch, Path(folder), ALGORITHMS.files))
        with safe_start():
            process.start()
        theirs.close()
        try:
            late = Sighting(error=f"it did not end within {PATIENCE:g} s")
            sighting: Sighting = ours.recv() if ours.poll(PATIENCE) else late
        except EOFError:
            process.join()
            last = next(reversed((Path(folder) / "said").read_text(errors="replace").strip().splitlines()), "")
            sighting = Sighting(
                error=f"its process died with exit code {process.exitcode} {last and f'({last})'}".rstrip()
            )
        finally:
            process.kill()
            process.join()
    return sighting


def _watch(connection: Connection, watch: Watch, folder: Path, files: Sequence[Path]) -> None:
    """Be the process that runs the trial."""
    forget_start()
    said = folder / "said"
    descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    here = folder / "here"
    here.mkdir()
    os.chdir(here)
    tempfile.tempdir = os.environ["TMPDIR"] = str(here)
    cocoex.log_level("warning")
    report = partial(_report_trial, connection, watch, here, said, files)
    if watch.before is not None:
        add_missing_algorithm(watch.before, files)
        with contextlib.suppress(Exception, SystemExit):  # it was watched as a trial of its own
            run_algorithm(watch.before, _problem(watch.before, report))
    report()


def _problem(spec: TrialSpec, give_up: Callable[[], None]) -> WatchedProblem:
    return WatchedProblem(spec, suite_of(spec), optimal_value(spec), give_up)


def _report_trial(connection: Connection, watch: Watch, here: Path, said: Path, files: Sequence[Path]) -> None:
    """Run a trial, send what is seen, and exit: in the middle of it, where it will not end."""
    random.seed(watch.global_seed)
    np.random.seed(watch.global_seed)  # noqa: NPY002 the generator that is not to be used
    before, variables, threads = _state(), dict(os.environ), set(threading.enumerate())

    def report(error: str = "") -> None:
        after = _state()
        left = [f"working directory {after['cwd']}"] if before["cwd"] != after["cwd"] else []
        left += [f"environment variable {name}" for name in _changed(variables, dict(os.environ))]
        left += sorted(f"file {path.relative_to(here)}" for path in here.rglob("*"))
        left += [f"thread {thread.name}" for thread in threading.enumerate() if thread not in threads]
        sighting = Sighting(
            points=tuple(problem.points),
            evaluations_left=problem.evaluations_left,
            target_hit=problem.target_hit,
            calls_beyond=max(0, problem.refused - 1),
            error=error,
            generators=tuple(name for name in ("numpy.random", "random") if before[name] != after[name]),
            left=tuple(left),
            said=said.read_text(errors="replace").strip()[:MOST_SAID],
            warned=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in warned)),
            seconds=time.process_time() - start,
        )
        connection.send(sighting)
        os._exit(0)

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        problem = _problem(watch.spec, report)
        add_missing_algorithm(watch.spec, files)
        algorithm = ALGORITHMS[watch.spec.algorithm]
        algorithm.prepare(algorithm.settings.model_validate_json(watch.spec.settings))
        start = time.process_time()
        try:
            run_algorithm(watch.spec, problem)
        except (Exception, SystemExit) as error:  # noqa: BLE001 all is reported
            report(f"{type(error).__name__}: {error} ({_place_of(error)})")
        report("" if problem.points else "it made no evaluation")


def _state() -> dict[str, str]:
    """Return content hashes of the global generators, and the working directory."""
    generators = {
        "numpy.random": repr([np.asarray(part).tobytes() for part in np.random.get_state()]),  # noqa: NPY002 idem
        "random": repr(random.getstate()),
    }
    hashes = {name: hashlib.sha256(content.encode()).hexdigest() for name, content in generators.items()}
    return hashes | {"cwd": str(Path.cwd())}


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the keys that were added, removed or given another value."""
    return [
        one_line(key, LONGEST_SHOWN)
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]


def _place_of(error: BaseException) -> str:
    """Return ``FILE:LINE`` where an error was raised, or the problem was called that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = Path(__file__).parent
    frame = next((f for f in reversed(frames) if ours not in Path(f.filename).parents), frames[-1])
    return f"{Path(frame.filename).name}:{frame.lineno}"
