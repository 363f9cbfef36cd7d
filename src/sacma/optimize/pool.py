"""Workers that evaluate f: this thread, processes, executors, dask and joblib."""

import logging
import math
import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import current_process
from typing import Any

from sacma.death import Death, death_in, death_of, end_with, in_words
from sacma.files.printable import one_line
from sacma.optimize.arguments import number as checked_number
from sacma.optimize.arguments import refuse, whole
from sacma.optimize.evaluation import Evaluation, Function, Task, evaluate, evaluate_apart
from sacma.process_wide import unbroken
from sacma.surrogate.whitening import Array
from sacma.threads import threads

MOST_WORKERS = 100_000  # processes that a call can ask for
RECOUNTED = 5.0  # seconds after which the workers of a cluster are counted again
SOON = 0.1  # seconds after which evaluations that wait for a worker are cancelled, if the run has ended
PATIENCE = 5.0  # seconds after which processes that f keeps from ending are killed

Numbered = tuple[int, Evaluation]  # an evaluation, by its number
InOrder = Generator[Numbered, None, None]


def one_by_one(fun: Function, tasks: Sequence[Task]) -> InOrder:
    """Evaluate in this thread; none is begun before the last has been taken."""
    for number, point in tasks:
        yield number, evaluate(fun, point)


def with_joblib(parallel: Any, fun: Function, tasks: Sequence[Task]) -> InOrder:
    """Evaluate in the workers of a ``joblib.Parallel``."""
    from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

    with _told():
        results = iter(parallel(delayed(_numbered)(fun, task) for task in tasks))
    try:
        while True:
            with _told():
                evaluation = next(results, None)
            if evaluation is None:
                return
            yield evaluation
    finally:
        if hasattr(results, "close"):  # ends what has not been taken
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # joblib's, that some results were not taken
                results.close()


def _numbered(fun: Function, task: Task) -> tuple[int, Evaluation]:
    number, point = task
    return number, evaluate_apart(fun, point)


class NotSentError(Exception):
    """A function that cannot be sent to other processes."""


@contextmanager
def _told() -> Iterator[None]:
    """Tell errors of workers apart: ``NotSentError``, and for all others ``BrokenExecutor``; f's own are none."""
    try:
        yield
    except (BrokenExecutor, NotSentError):
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        if "pickl" in text.lower():  # each library has an error of its own
            # joblib's own text does not name the reason, which ends the traceback of its cause.
            lines = str(error.__cause__ or text).replace('"""', "").split("\n")
            raise NotSentError(one_line(next(line for line in reversed(lines) if line.strip()))) from None
        raise BrokenExecutor(text) from error


@dataclass(frozen=True)
class Executed:
    """An executor as workers that take one point at a time."""

    executor: Executor
    client: Any = None  # of dask, whose workers these are

    def size(self) -> float:
        """Return the number of evaluations at a time, infinite where it is not known."""
        if self.client is not None:
            with _told():
                return max(1, sum(map(int, self.client.nthreads().values())))  # one waits for the first worker to come
        counts = (getattr(self.executor, name, None) for name in ("max_workers", "_max_workers"))
        return next((int(count) for count in counts if isinstance(count, int) and count > 0), math.inf)

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation."""
        with _told():
            return self.executor.submit(evaluate_apart, fun, point)

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended; it has failed if dask's workers have died of it more than once."""
        with _told():
            try:
                return future.result()
            except Exception as error:
                if type(error).__name__ != "KilledWorker":  # of dask, which need not be installed
                    raise
                return Evaluation(math.nan, "the workers that evaluated it died")

    def close(self) -> None:
        """Do nothing: the executor is its owner's."""


class Processes:
    """Processes of this call alone, each with a joblib executor of its own: where one dies, no other has failed."""

    def __init__(self, count: int, timeout: float | None = None) -> None:
        self.count = count  # -1: one a core
        self._timeout = timeout  # seconds of an evaluation
        self._idle: list[Any] = []  # executors
        self._busy: dict[Future[Evaluation], Any] = {}
        self._deaths: dict[Future[Evaluation], Death] = {}  # that joblib has not seen

    def size(self) -> int:
        """Return the number of processes."""
        from joblib import cpu_count  # noqa: PLC0415 for those who use it

        return int(cpu_count()) if self.count < 0 else self.count

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation; at most ``size`` are begun and not taken."""
        with unbroken():  # each executor is known to ``close`` as soon as it has a process
            while self._idle:
                executor = self._idle.pop()
                with suppress(BrokenExecutor):  # its process has died since its last evaluation
                    return self._begun(executor, fun, point)
            return self._begun(self._started(), fun, point)

    def _begun(self, executor: Any, fun: Function, point: Array) -> Future[Evaluation]:
        future: Future[Evaluation] = executor.submit(_evaluate_within, self._timeout, fun, point)
        self._busy[future] = executor
        return future

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended; it has failed if its process has died."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415 as above

        try:
            with _told():
                evaluation = future.result()
        except BrokenExecutor as error:
            death = self._deaths.pop(future, None) or death_in(str(error))
            if death is None and not isinstance(error, TerminatedWorkerError):
                raise
            self._busy.pop(future).shutdown(wait=False)
            if self._timeout is not None and death == ("signal", signal.SIGALRM):
                return Evaluation(math.nan, f"it took longer than {self._timeout:g} s")
            return Evaluation(math.nan, in_words(death))
        self._idle.append(self._busy.pop(future))
        return evaluation

    def end_dead(self) -> None:
        """Let evaluations end whose process has died, where joblib does not see it."""
        for future, executor in self._busy.items():
            death = next(filter(None, map(death_of, list(executor._processes))), None)  # noqa: SLF001 no other way to it
            if death is not None and not wait([future], SOON).done:
                self._deaths[future] = death
                executor.shutdown(wait=False, kill_workers=True)

    def close(self) -> None:
        """End the processes; those in which evaluations are running, or that f keeps from ending, are killed."""
        from joblib.externals.loky.backend.utils import kill_process_tree  # noqa: PLC0415 as above

        ending = []
        # One whose evaluation was cancelled has none to kill, and loky's thread cannot tell a cancelled one of the end.
        for executor in [*self._idle, *(executor for future, executor in self._busy.items() if future.cancelled())]:
            ending.append((executor._executor_manager_thread, list((executor._processes or {}).values())))  # noqa: SLF001 idem
            executor.shutdown(wait=False)
        for future, executor in self._busy.items():
            if not future.cancelled():
                with suppress(Exception):
                    executor.shutdown(wait=False, kill_workers=True)
        self._busy, self._idle = {}, []
        until, kept = time.monotonic() + PATIENCE, []
        for manager, processes in ending:
            if manager is not None:
                manager.join(max(0.0, until - time.monotonic()))
                kept += processes if manager.is_alive() else []
        if kept:
            numbers = ", ".join(str(process.pid) for process in kept)
            left = "f has left threads or processes that keep processes of workers from ending"
            logging.getLogger("sacma").warning("%s; all are killed: %s", left, numbers)
        for process in kept:
            kill_process_tree(process)

    def _started(self) -> Any:
        from joblib import cpu_count  # noqa: PLC0415 as above
        from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415 as above

        limits = threads(max(1, cpu_count() // self.size()))  # as in joblib's own workers
        env = {name: os.environ.get(name, limits[name]) for name in limits}
        return ProcessPoolExecutor(1, env=env, initializer=end_with, initargs=(os.getpid(),))


def _evaluate_within(seconds: float | None, fun: Function, point: Array) -> Evaluation:
    """Evaluate f in a process of ours, which ends where that takes too long, whatever f does."""
    if seconds is None:
        return evaluate_apart(fun, point)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return evaluate_apart(fun, point)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


Pool = Executed | Processes  # workers that take one point at a time


class AsTheyCome(Iterator[Numbered]):
    """Evaluations of what ``begin`` gives, one more point as soon as a worker is free and its evaluation taken.

    They end when there is nothing to begin, None, and all that has begun has been taken. Once ``ended`` is true nothing
    begins, not even what waits for a worker.
    """

    def __init__(
        self, pool: Pool, fun: Function, begin: Callable[[], Task | None], ended: Callable[[], bool] = lambda: False
    ) -> None:
        self._pool = pool
        self._fun = fun
        self._begin = begin
        self._is_over = ended
        self._running: dict[Future[Evaluation], int] = {}

    def __next__(self) -> Numbered:
        """Return the next evaluation that ends."""
        while True:
            while self._is_free() and (task := self._begin()) is not None:
                number, point = task
                self._running[self._pool.submit(self._fun, point)] = number
            if self._is_over():
                self.close()
            if not self._running:
                raise StopIteration
            waiting = not all(future.running() or future.done() for future in self._running)
            if (future := self._first_done(min(SOON, RECOUNTED) if waiting else RECOUNTED)) is not None:
                number = self._running[future]
                evaluation = self._pool.take(future)
                del self._running[future]
                return number, evaluation

    def _is_free(self) -> bool:
        """Return True if one more may begin."""
        return len(self._running) < self._pool.size() and not self._is_over()

    def _first_done(self, seconds: float) -> Future[Evaluation] | None:
        """Return the first one begun of those that have ended, for which it waits so long."""
        done, _ = wait(self._running, seconds, FIRST_COMPLETED)
        if not done and isinstance(self._pool, Processes):
            self._pool.end_dead()
        return min(done, key=self._running.__getitem__, default=None)

    def rest(self, *, waits: bool) -> Iterator[Numbered]:
        """Return what has ended and has not been taken, and where one ``waits`` what is running, too; begin nothing."""
        self.close()
        while self._running:
            future = self._first_done(RECOUNTED if waits else 0.0)
            if future is None and not waits:
                return
            if future is None:
                continue
            number = self._running.pop(future)
            with suppress(
                BrokenExecutor, NotSentError, KeyboardInterrupt, SystemExit
            ):  # which has lost it, or ended it
                yield number, self._pool.take(future)

    def close(self) -> None:
        """Cancel what waits for a worker."""
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]


Evaluations = InOrder | AsTheyCome  # to be closed


@dataclass(frozen=True)
class Workers:
    """The workers that evaluate f in a call: a pool, ``parallel``, or else this thread, one point after the other."""

    pool: Pool | None = None  # workers that take one point at a time
    parallel: Any = None  # a joblib.Parallel
    asynchronous: bool = False  # whether an evaluation begins as soon as a worker of the pool is free

    @property
    def several(self) -> bool:
        """True where they evaluate several points at a time."""
        return self.pool is not None or self.parallel is not None

    def evaluate(self, fun: Function, tasks: Sequence[Task], ended: Callable[[], bool] = lambda: False) -> Evaluations:
        """Evaluate tasks, all of them known beforehand; of those for a pool no more begin once ``ended`` is true."""
        if self.parallel is not None:
            return with_joblib(self.parallel, fun, tasks)
        if self.pool is None:
            return one_by_one(fun, tasks)
        waiting = iter(tasks)
        return AsTheyCome(self.pool, fun, lambda: next(waiting, None), ended)

    def rest(self, evaluations: Evaluations, error: BaseException) -> Iterator[Numbered]:
        """Return what has been evaluated and not been taken when an error ended a call; begin nothing."""
        waits = self._awaited_after(error)
        if isinstance(evaluations, AsTheyCome):
            return evaluations.rest(waits=waits)
        return evaluations if waits and self.parallel is not None else iter(())

    def _awaited_after(self, error: BaseException) -> bool:
        """Return True if evaluations that are running are waited for: not at Ctrl-C, nor where a cluster is lost."""
        lost = isinstance(error, BrokenExecutor) and isinstance(self.pool, Executed) and self.pool.client is not None
        return isinstance(error, Exception) and not lost

    def close(self) -> None:
        """End processes of the call."""
        if self.pool is not None:
            self.pool.close()


ALLOWED_WORKERS = (
    "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor, a dask.distributed.Client "
    "or a joblib.Parallel"
)


def workers_of(workers: Any, asynchronous: bool | None, evaluation_timeout: float | None = None) -> Workers:  # noqa: FBT001 as given
    """Return the workers of a call, as ``minimize`` takes them."""
    if evaluation_timeout is not None:
        allowed = "seconds > 0, or None for no limit"
        evaluation_timeout = checked_number("evaluation_timeout", evaluation_timeout, allowed, least=1e-3, most=1e9)
    if not isinstance(asynchronous, bool | None):
        refuse("asynchronous", asynchronous, "True, False, or None: True where the workers can be", of_type=True)
    if _is_joblib(workers):
        chosen = Workers(parallel=workers)
    elif (executed := _executed(workers)) is not None:
        chosen = Workers(executed)
    else:
        count = _count(workers)
        alone = count == 1 and evaluation_timeout is None
        chosen = Workers() if alone else Workers(Processes(count, evaluation_timeout))
    if evaluation_timeout is not None and not isinstance(chosen.pool, Processes):
        refuse("evaluation_timeout", evaluation_timeout, "None but with processes of this call: workers=N")
    if isinstance(chosen.pool, Processes) and current_process().daemon:
        refuse("workers", workers, "None, or threads, in a daemonic process, such as those of a multiprocessing.Pool")
    if not chosen.several or asynchronous is False:
        return chosen
    try:
        can_be = chosen.pool is not None and chosen.pool.size() < math.inf
    except BrokenExecutor:
        refuse("workers", workers, "a client of dask that is open")
    if asynchronous and not can_be:
        can = "False or None with a joblib.Parallel or an executor without max_workers, which get whole generations"
        refuse("asynchronous", asynchronous, can)
    return replace(chosen, asynchronous=can_be)


def _executed(workers: Any) -> Executed | None:
    """Return an executor, or that of a client of dask."""
    if isinstance(workers, Executor):
        client = getattr(workers, "_client", None)  # of dask's executor
        return Executed(workers, client if hasattr(client, "nthreads") else None)
    if hasattr(workers, "get_executor") and hasattr(workers, "nthreads"):
        if getattr(workers, "asynchronous", False):
            refuse("workers", workers, "a client of dask with asynchronous=False")
        return Executed(workers.get_executor(pure=False), workers)  # the same point is evaluated as often as asked for
    return None


def _is_joblib(workers: object) -> bool:
    return callable(workers) and hasattr(workers, "n_jobs") and hasattr(workers, "return_generator")


def _count(workers: object) -> int:
    """Return a number of processes."""
    count = 1 if workers is None else whole("workers", workers, ALLOWED_WORKERS, least=-1, most=MOST_WORKERS)
    if count == 0:
        refuse("workers", workers, ALLOWED_WORKERS)
    return count
