"""Workers that evaluate f, each kind as an executor: this thread, processes, or one that is given."""

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sacma.child import DeathError, Pool
from sacma.files.printable import one_line
from sacma.optimize.arguments import number as checked_number
from sacma.optimize.arguments import refuse, whole
from sacma.optimize.evaluation import Evaluation, Function, Task, evaluate, evaluate_apart
from sacma.process_wide import threads, unbroken

if TYPE_CHECKING:
    from sacma.optimize.result import Result

MOST_WORKERS = 100_000  # processes that a call can ask for
RECOUNTED = 5.0  # seconds after which the workers of a cluster are counted again
SOON = 0.1  # seconds after which evaluations that wait for a worker are cancelled, if the run has ended
LONGEST_REASON = 500  # characters of an error of workers
PATIENCE = 5.0  # seconds after which processes that f keeps from ending are killed

Numbered = tuple[int, Evaluation]  # an evaluation, by its number


class Processes(Pool):
    """Processes of this call alone: where one dies, its evaluation has failed, and no other."""

    def __init__(self, count: int, timeout: float | None = None) -> None:
        from joblib import cpu_count  # noqa: PLC0415 for those who use it

        self.max_workers = int(cpu_count()) if count < 0 else count
        limits = threads(max(1, cpu_count() // self.max_workers))  # as in joblib's own workers
        env = {name: os.environ.get(name, limit) for name, limit in limits.items()}
        super().__init__(self.max_workers, env, seconds=math.inf if timeout is None else timeout)


class WorkersError(BrokenExecutor):
    """Workers that take no more points: one died, they were shut down, or f cannot be sent to them.

    ``result`` is the ``Result`` up to then.
    """

    result: "Result"


@contextmanager
def _told() -> Iterator[None]:
    """Raise errors of workers as ``WorkersError``; f's own are none."""
    try:
        yield
    except Exception as error:
        lines = str(error.__cause__ or error).strip("\"'\n ").splitlines()  # of another process's traceback the last
        reason = one_line(f"{type(error).__name__}: {''.join(lines[-1:])}", LONGEST_REASON)
        raise WorkersError(
            f"the workers take no more points; this error's result is what was found: {reason}"
        ) from error


@dataclass(frozen=True)
class Crew:
    """The workers of a call, by their executor, and their running evaluations.

    Attributes:
        executor: of ``concurrent.futures``, or one of ours; None: this thread evaluates.
        asynchronous: whether an evaluation begins as soon as a worker is free.
    """

    executor: Any
    asynchronous: bool = True
    _running: dict[Future[Evaluation], int] = field(default_factory=dict, compare=False)  # by number

    @property
    def several(self) -> bool:
        """True where they may evaluate several points at a time."""
        return self.executor is not None

    def size(self) -> float:
        """Return the number of evaluations at a time, infinite where it is not known."""
        if (client := _client_of(self.executor)) is not None:
            with _told():
                return max(1, sum(map(int, client.nthreads().values())))  # one waits for the first worker to come
        counts = (getattr(self.executor, name, None) for name in ("max_workers", "_max_workers"))
        return next((int(count) for count in counts if isinstance(count, int) and count > 0), math.inf)

    def evaluate(
        self, fun: Function, begin: Callable[[], Task | None], ended: Callable[[], bool] = lambda: False
    ) -> Iterator[Numbered]:
        """Evaluate points that ``begin`` gives, a further one as soon as a worker is free.

        It ends when there is nothing to begin, None, and all that has begun has been taken. Once ``ended`` is true
        nothing begins, not even what waits for a worker. In this thread f may end the program by ``sys.exit``.
        """
        while self.executor is None:
            if ended() or (task := begin()) is None:
                return
            yield task[0], evaluate(fun, task[1])
        # Ctrl-C in the middle of a submission may leave a lock taken. Others may fork, and their processes would have
        # the handler that lets it wait.
        waits = isinstance(self.executor, ThreadPoolExecutor | Processes)
        while True:
            while len(self._running) < self.size() and not ended() and (task := begin()) is not None:
                number, point = task
                with _told(), unbroken() if waits else nullcontext():
                    self._running[self.executor.submit(evaluate_apart, fun, point)] = number
            if ended():
                self._cancel()
            if not self._running:
                return
            for future in self._done(waits=True)[:1]:
                evaluation = _taken(future)
                yield self._running.pop(future), evaluation

    def _done(self, *, waits: bool) -> list[Future[Evaluation]]:
        """Return ended evaluations in the order of their numbers; where there are none, perhaps wait a while."""
        began = time.monotonic()
        while True:
            with unbroken():  # Ctrl-C in the middle of a wait would leave locks of futures taken
                queued = not all(future.running() or future.done() for future in self._running)
                done, _ = wait(self._running, min(SOON, RECOUNTED) if waits else 0.0, FIRST_COMPLETED)
            if done or queued or not waits or time.monotonic() - began >= RECOUNTED:
                return sorted(done, key=self._running.__getitem__)

    def rest(self, error: BaseException) -> list[Numbered]:
        """Return evaluations not yet taken when an error ended the call; begin no others.

        What is running is waited for, but not at Ctrl-C, nor where all workers are lost.
        """
        lost = _client_of(self.executor) is not None and isinstance(error, BrokenExecutor)
        waits = isinstance(error, Exception) and not lost
        rest: list[Numbered] = []
        with suppress(BrokenExecutor, KeyboardInterrupt):  # which ends the waiting
            self._cancel()
            while self._running and ((done := self._done(waits=waits)) or waits):
                for future in done:
                    number = self._running.pop(future)
                    with suppress(BrokenExecutor, KeyboardInterrupt, SystemExit):  # which has lost it
                        rest.append((number, _taken(future)))
        return rest

    def _cancel(self) -> None:
        """Cancel evaluations that wait for a worker."""
        with unbroken():
            for future in [future for future in self._running if future.cancel()]:
                del self._running[future]

    def close(self) -> None:
        """End the workers that are of the call alone."""
        if isinstance(self.executor, Processes):
            self.executor.shutdown(PATIENCE)


def _client_of(executor: Any) -> Any:
    """Return the client of dask's executor; None for any other."""
    client = getattr(executor, "_client", None)
    return client if hasattr(client, "nthreads") else None


def _taken(future: Future[Evaluation]) -> Evaluation:
    """Return an evaluation that has ended; it has failed where its process, or workers of dask, died of it."""
    with _told(), unbroken():
        try:
            return future.result()
        except DeathError as death:
            return Evaluation(math.nan, str(death))
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of dask, which need not be installed
                raise
            return Evaluation(math.nan, "the workers that evaluated it died")


ALLOWED_WORKERS = (
    "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor (for joblib "
    "joblib.externals.loky.get_reusable_executor()) or a dask.distributed.Client"
)


def crew_of(workers: Any, asynchronous: bool | None, evaluation_timeout: float | None = None) -> Crew:  # noqa: FBT001 as given
    """Return the workers of a call, as ``minimize`` takes them."""
    if evaluation_timeout is not None:
        allowed = "seconds > 0, or None for no limit"
        evaluation_timeout = checked_number("evaluation_timeout", evaluation_timeout, allowed, least=1e-3, most=1e9)
    if not isinstance(asynchronous, bool | None):
        refuse("asynchronous", asynchronous, "True, False, or None: True where the workers can be", of_type=True)
    crew = _crew_of(workers, evaluation_timeout)
    if evaluation_timeout is not None and not isinstance(crew.executor, Processes):
        refuse("evaluation_timeout", evaluation_timeout, "None but with processes of this call: workers=N")
    if not crew.several:
        return crew
    try:
        can_be = crew.size() < math.inf
    except BrokenExecutor:
        refuse("workers", workers, "a client of dask that is open")
    if asynchronous and not can_be:
        can = "False or None with an executor without max_workers, which gets whole generations"
        refuse("asynchronous", asynchronous, can)
    return replace(crew, asynchronous=can_be and asynchronous is not False)


def _crew_of(workers: Any, evaluation_timeout: float | None) -> Crew:
    """Return workers of any kind."""
    if isinstance(workers, Executor):
        return Crew(workers)
    if hasattr(workers, "get_executor") and hasattr(workers, "nthreads"):
        return Crew(workers.get_executor(pure=False))  # the same point is evaluated as often as asked for
    count = 1 if workers is None else whole("workers", workers, ALLOWED_WORKERS, least=-1, most=MOST_WORKERS)
    if count == 0:
        refuse("workers", workers, ALLOWED_WORKERS)
    return Crew(None if count == 1 and evaluation_timeout is None else Processes(count, evaluation_timeout))
