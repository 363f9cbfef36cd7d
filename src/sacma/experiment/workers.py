"""Workers that run trials: processes of this machine. A trial that dies harms neither the run nor other trials."""

import math
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol, Self

from sacma.algorithms.registry import ALGORITHMS
from sacma.child import DeathError, Pool
from sacma.config.plan import TrialSpec
from sacma.errors import RunError, of_the_machine
from sacma.process_wide import threads
from sacma.store.outcome import FailureKind, TrialFailure, failed
from sacma.store.record import FinishedTrial

Result = FinishedTrial | TrialFailure

COMPILED = '-process"'  # names of models end in it whose likelihood is compiled, as the settings of a trial have them
SECONDS_TO_LOAD = 5.0  # seconds that the compiled surrogate takes to load at most, unless a machine is busy


class Named:
    """A function that is imported where it is called: before the time of the call begins, and not here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return pkgutil.resolve_name, (self._name,)


ATTEMPT = Named("sacma.experiment.trial:attempt")


class Workers(Protocol):
    """Workers, here or elsewhere, in a context that ends them."""

    @property
    def jobs(self) -> int | None:
        """Number of trials at a time; None if that is not known."""

    @property
    def ahead(self) -> int:
        """Number of trials that they are given at a time: enough to have a next one."""

    def prepare(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """Prepare for trials, before they begin; yield notes for people."""

    def begin(self, spec: TrialSpec) -> Any:
        """Return the future of a trial's result."""

    def __enter__(self) -> Self:
        """Start."""

    def __exit__(self, *_: object) -> None:
        """End the workers, in the middle of trials or not."""


class LocalWorkers:
    """Processes of this machine.

    Args:
        jobs: number of processes.
        trial_timeout: wall-clock seconds that a trial may take, from its own start.
    """

    def __init__(self, jobs: int, trial_timeout: float | None = None) -> None:
        self.jobs, self.ahead = jobs, 2 * jobs
        self._pool = Pool(jobs, threads(1), seconds=trial_timeout or math.inf, isolated=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def prepare(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """Let one process compile the surrogate, where that is not done yet: all find it on disk then."""
        needed = sorted({(spec.algorithm, spec.settings) for spec in specs if COMPILED in spec.settings})
        compiled = [self._pool.submit(Named("sacma.experiment.trial:prepare_all"), needed)] if needed else []
        if wait(compiled, SECONDS_TO_LOAD).not_done:
            yield "compiling the surrogate (once per installation, about 10 s) …"
            wait(compiled)

    def begin(self, spec: TrialSpec, files: Sequence[Path] | None = None) -> Future[Result]:
        """Return the future of a trial's result.

        ``files`` with algorithms are those that the user has named; None for those that were added in this process.
        """
        return self._pool.submit(ATTEMPT, spec, ALGORITHMS.files if files is None else files)


def results(specs: Iterable[TrialSpec], workers: Workers) -> Iterator[Result]:
    """Yield a result for each trial as they come; raise RunError where no worker can go on."""
    todo = iter(specs)
    running: dict[Any, TrialSpec] = {}
    ended: SimpleQueue[Any] = SimpleQueue()

    def begin(number: int) -> None:
        for spec in islice(todo, number):
            future = workers.begin(spec)
            running[future] = spec
            future.add_done_callback(ended.put)

    try:
        begin(workers.ahead)
        while running:
            future = ended.get()
            begin(1)  # before its result is taken care of
            yield result_of(running.pop(future), future)
    except (OSError, MemoryError, RuntimeError) as error:
        lack = of_the_machine(error) or error
        raise RunError(f"a worker process cannot be started ({lack}); try fewer with --jobs") from None


def result_of(spec: TrialSpec, future: Any) -> Result:
    """Return the result of a trial that has ended: a failure where its process has died, or altered its spec."""
    try:
        result: Result = future.result()
    except DeathError as death:
        fatal = next((line.strip() for line in death.said.splitlines() if "COCO FATAL ERROR" in line), "")
        kind = FailureKind.TIMEOUT if death.late else FailureKind.WORKER_DIED
        return failed(spec, kind, f"{death}{fatal and f' ({fatal})'}", death.said)
    if result.spec != spec:
        return failed(spec, FailureKind.EXCEPTION, "its algorithm altered the specification of the trial", "")
    return result
