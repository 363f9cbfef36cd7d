"""Checks of an algorithm against the contract of the harness: watched trials in processes of their own.

The harness ends every trial at its budget and its target, and two runs of a trial give the same bits, as long as an
algorithm draws random numbers from its own generator alone, lets the end of its trial pass, and leaves nothing behind.
"""

import contextlib
import hashlib
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
from itertools import zip_longest
from multiprocessing.connection import Connection
from pathlib import Path

import cocoex
import numpy as np

from sacma.algorithms.registry import ALGORITHMS
from sacma.coco.suites import BBOB
from sacma.config.plan import TrialSpec
from sacma.experiment.check_result import CheckResult, Finding
from sacma.experiment.children import child, forget_start
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.resolve_algorithm import add_missing_algorithm
from sacma.experiment.trial import run_algorithm, suite_of
from sacma.files.printable import LONGEST_SHOWN, one_line
from sacma.files.scratch import scratch
from sacma.types import Array

SLOW = 20.0
"""Seconds after which a trial is ended at its next evaluation: what it did until then is enough."""

PATIENCE = 120.0
"""Seconds beyond these that a watched process may take, for an evaluation too."""

MOST_CALLS_BEYOND = 100
"""Evaluations after the end at which a watched process is ended."""

MOST_SAID = 60
"""Characters of its output that are shown."""

PLACES = ((8, 5, 1), (1, 2, 1), (15, 3, 2), (21, 10, 1))
"""(function, dimension, instance) of the trials that are watched, on bbob."""

BUDGET = 40
"""True evaluations of a watched trial, divided by D."""


@dataclass(frozen=True)
class Watch:
    """A trial to be watched, after those that are run before it in the same process."""

    spec: TrialSpec
    before: tuple[TrialSpec, ...] = ()
    global_seed: int = 6_700_417  # none that an algorithm would set itself
    seconds: float = SLOW


@dataclass(frozen=True)
class Sighting:
    """Observations of a watched trial."""

    points: tuple[str, ...] = ()  # content hashes of the evaluated ones, in their order
    evaluations_left: int = 0
    target_hit: bool = False
    calls_beyond: int = 0  # evaluations asked for after the first that was refused
    error: str = ""  # raised by the algorithm, in one line with its place
    generators: tuple[str, ...] = ()  # the global ones that it changed the state of
    left: tuple[str, ...] = ()  # files, threads, environment variables and the like
    said: str = ""  # the beginning of what it wrote to the terminal
    warned: tuple[str, ...] = ()  # each warning once
    seconds: float = 0.0  # of CPU time
    slow: bool = False  # it was ended before its budget

    @property
    def error_at(self) -> tuple[str, str]:
        """Type and place of the error; its text may hold addresses and times."""
        return self.error.partition(":")[0], self.error.rpartition(" (")[2] if self.error.endswith(")") else ""


class WatchedProblem(BudgetedProblem):
    """A problem that remembers its points, ends a slow trial, and the process of an algorithm that will not end."""

    def __init__(self, spec: TrialSpec, suite: cocoex.Suite, give_up: Callable[[], None], seconds: float) -> None:
        super().__init__(spec, suite[0], optimal_value(spec))
        self._suite = suite
        self._give_up = give_up
        self._end = time.monotonic() + seconds
        self.points: list[str] = []
        self.slow = False
        self.refused = 0

    def __call__(self, point: Array) -> float:
        """Evaluate; see ``BudgetedProblem``."""
        self.slow |= time.monotonic() > self._end
        if self.slow or self.evaluations_left == 0 or self.target_hit:
            self.refused += 1
            if self.refused > MOST_CALLS_BEYOND:
                self._give_up()
        if self.slow:
            raise TrialEnd
        value = super().__call__(point)
        self.points.append(hashlib.sha256(np.asarray(point, float).tobytes()).hexdigest()[:16])
        return value


def examine(spec: TrialSpec, seconds: float = SLOW) -> Iterator[CheckResult]:
    """Yield what the algorithm of any trial keeps to and what it breaks, as it is seen.

    Watched trials that take longer than so many ``seconds`` are ended.
    """
    watch = partial(Watch, seconds=seconds)
    specs = [
        replace(spec, suite=BBOB.name, function=function, dimension=D, instance=instance, budget=BUDGET * D)
        for function, D, instance in PLACES
    ]
    first = specs[0]
    by_spec = {spec: watched(watch(spec)) for spec in specs}
    seen, once = list(by_spec.values()), by_spec[first]
    errors = list(_errors(by_spec))
    yield CheckResult("runs", not errors, "; ".join(errors) or f"{_places(specs)}{_ended_early(seen, seconds)}")
    if not any(sighting.points for sighting in seen):
        return
    short = {
        "a budget of 1": watched(watch(replace(first, budget=1))),
        "a target that the first evaluation hits": watched(watch(replace(first, target=1e30))),
    }
    yield CheckResult("budget, target", *_ends(seen, short))
    # What outlives a trial may be of its dimension or of its function: both come before, and the trial itself.
    others = (specs[1], replace(first, function=specs[1].function), first)
    after_others = "after others, and itself, in its process"
    again = {
        "in a new process": watched(watch(first)),
        after_others: watched(watch(first, before=others)),
    }
    repeats = CheckResult("determinism", *_repeats(once, again))
    yield repeats
    reseeded = watched(watch(first, global_seed=2)) if repeats.sound else once
    yield CheckResult("own randomness", *_own_randomness(once, reseeded, seen))
    left = sorted({what for sighting in seen for what in sighting.left})
    yield CheckResult("leaves nothing", not left, "; ".join(left) or "no file, thread or setting of the process")
    if once.points and not _first_difference(once, watched(watch(replace(first, seed=first.seed + 1)))):
        yield CheckResult("randomness", None, "another seed gives the same points: it draws nothing from rng")
    said = next((sighting.said for sighting in seen if sighting.said), "")
    if said:
        yield CheckResult("output", None, f"it writes to the terminal, where nobody will see it: {said!r}")
    warned = sorted({warning for sighting in seen for warning in sighting.warned})
    if warned:
        yield CheckResult("warnings", None, f"it warns: {'; '.join(warned[:3])}")
    warm = again[after_others]  # not the first, whose time has what is done once in a process
    if warm.points:
        n = len(warm.points)
        cost = f"{n} evaluation{'s' * (n > 1)} took {1e3 * warm.seconds / n:.2g} ms of CPU time each, with f"
        yield CheckResult("time", None, cost)


def _errors(seen: Mapping[TrialSpec, Sighting]) -> Iterator[str]:
    """Yield each error once, with all the problems that it occurs on."""
    problems: dict[tuple[str, str], list[TrialSpec]] = {}
    for spec, sighting in seen.items():
        if sighting.error:
            problems.setdefault(sighting.error_at, []).append(spec)
    for specs in problems.values():
        yield f"{_places(specs)}: {seen[specs[0]].error}"


def _ended_early(seen: Iterable[Sighting], seconds: float) -> str:
    """Return how many evaluations were made on problems whose trials were too slow, empty where none was."""
    counts = [str(len(sighting.points)) for sighting in seen if sighting.slow]
    return f"; slow ones ended after {seconds:g} s: {', '.join(counts)} evaluations" if counts else ""


def _places(specs: Iterable[TrialSpec]) -> str:
    return ", ".join(f"f{spec.function} in {spec.dimension}-D" for spec in specs)


def _ends(seen: Sequence[Sighting], short: Mapping[str, Sighting]) -> Finding:
    if any(sighting.calls_beyond for sighting in (*seen, *short.values())):
        return False, "it goes on when its trial has ended: let BaseException pass, catch Exception"
    for what, sighting in short.items():
        if sighting.error:
            if any(sighting.error_at == other.error_at for other in seen):  # which the first point says already
                return None, "not seen: the error above comes first"
            return False, f"with {what}: {sighting.error}"
    early = [s for s in seen if not s.error and s.evaluations_left and not (s.slow or s.target_hit)]
    if early:
        return True, f"ends; by itself on {len(early)} of {len(seen)} problems, before budget and target (restart it?)"
    return True, "ends where it is ended"


def _repeats(once: Sighting, again: Mapping[str, Sighting]) -> Finding:
    for how, sighting in again.items():
        number = _first_difference(once, sighting)
        if sighting.error_at != once.error_at:
            return False, f"the same trial {how}: {sighting.error or 'no error'}"
        if number:
            return False, f"the same trial {how} differs from evaluation {number} on"
    return True, "the same points in other processes, and after other trials"


def _own_randomness(once: Sighting, reseeded: Sighting, seen: Collection[Sighting]) -> Finding:
    number = _first_difference(once, reseeded)
    if number:
        found = f"seeds of numpy.random and random change its points from evaluation {number} on"
        return False, f"{found}: draw from rng alone"
    changed = sorted({name for sighting in seen for name in sighting.generators})
    if changed:
        return False, f"changes the state of {' and '.join(changed)}, which others in the process may use"
    return True, "global generators are neither used nor changed"


def _first_difference(one: Sighting, other: Sighting) -> int:
    """Return the number of the first evaluation at which two trials differ, 0 if none; a slow one is cut short."""
    both = zip if one.slow or other.slow else zip_longest
    pairs = enumerate(both(one.points, other.points), 1)
    return next((number for number, (a, b) in pairs if a != b), 0)


def watched(watch: Watch) -> Sighting:
    """Run one trial in a new process and folder, and return the sighting."""
    with (
        scratch() as folder,
        child(_watch, watch, folder, ALGORITHMS.files) as (process, connection),
    ):
        try:
            patience = PATIENCE + watch.seconds * (1 + len(watch.before))
            if not connection.poll(patience):
                return Sighting(
                    error=f"it did not end within {patience:g} s, and made no evaluation for {PATIENCE:g} s"
                )
            sighting: Sighting = connection.recv()
        except EOFError:
            process.join()
            last = next(reversed((folder / "said").read_text(errors="replace").strip().splitlines()), "")
            died = f"its process died with exit code {process.exitcode} {last and f'({last})'}".rstrip()
            sighting = Sighting(error=died)
        return sighting


def _watch(connection: Connection, watch: Watch, folder: Path, files: Sequence[Path]) -> None:
    """Run the trial, in a process started for it."""
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
    for spec in watch.before:
        add_missing_algorithm(spec, files)
        with contextlib.suppress(Exception, SystemExit):  # its errors are seen where it is watched
            run_algorithm(spec, WatchedProblem(spec, suite_of(spec), report, watch.seconds))
    report()


def _report_trial(connection: Connection, watch: Watch, here: Path, said: Path, files: Sequence[Path]) -> None:
    """Run a trial, send a sighting, and exit: in the middle of the trial, where it will not end."""
    random.seed(watch.global_seed)
    np.random.seed(watch.global_seed)  # noqa: NPY002 the generator that is not to be used
    before, variables, threads = _state(), dict(os.environ), set(threading.enumerate())

    def report(error: str = "") -> None:
        after = _state()
        left = [f"working directory {after['cwd']}"] if before["cwd"] != after["cwd"] else []
        changed = sorted({name for name, _ in variables.items() ^ dict(os.environ).items()})
        left += [f"environment variable {one_line(name, LONGEST_SHOWN)}" for name in changed]
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
            slow=problem.slow,
        )
        connection.send(sighting)
        os._exit(0)

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        problem = WatchedProblem(watch.spec, suite_of(watch.spec), report, watch.seconds)
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
    """Return the states of the global generators, and the working directory."""
    numpy_state = repr([np.asarray(part).tobytes() for part in np.random.get_state()])  # noqa: NPY002 idem
    return {"numpy.random": numpy_state, "random": repr(random.getstate()), "cwd": str(Path.cwd())}


def _place_of(error: BaseException) -> str:
    """Return ``FILE:LINE`` where an error was raised, or the problem was called that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = Path(__file__).parent
    frame = next((f for f in reversed(frames) if ours not in Path(f.filename).parents), frames[-1])
    return f"{Path(frame.filename).name}:{frame.lineno}"
