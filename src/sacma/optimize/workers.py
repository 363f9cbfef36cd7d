"""Workers that evaluate f: this thread, processes, executors, dask and joblib."""

import math
import os
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from sacma.death import death_in, in_words
from sacma.files.printable import one_line
from sacma.optimize.arguments import refuse, whole
from sacma.optimize.evaluation import Evaluation, Function, Task, evaluate
from sacma.optimize.result import Result
from sacma.surrogate.whitening import Array
from sacma.threads import threads

MOST_WORKERS = 100_000  # processes that a call can ask for
RECOUNTED = 5.0  # seconds after which the workers of a cluster are counted again
BETWEEN_LOOKS = 1.0  # seconds, of a worker process, at whether its parent is alive
LONGEST_REASON = 300  # characters of an executor's message

Evaluations = Generator[tuple[int, Evaluation], None, None]  # evaluations by their number, in any order, as they come
Evaluator = Callable[[Function, Sequence[Task]], Evaluations]  # evaluates f


def one_by_one(fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in this thread; none is begun before the last has been taken."""
    for number, point in tasks:
        yield number, evaluate(fun, point)


def in_executor(executor: Executor, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in an executor; what has not begun when nobody takes evaluations any more does not begin."""
    futures = {executor.submit(evaluate, fun, point): number for number, point in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], _taken(future)
    finally:
        for future in futures:
            future.cancel()


def _taken(future: Future[Evaluation]) -> Evaluation:
    """Return the evaluation of an executor; it has failed if dask's workers have died of it more than once."""
    try:
        return future.result()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # of dask, which need not be installed
            raise
        return Evaluation(math.nan, "the workers that evaluated it died")


def with_joblib(parallel: Any, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in the workers of a ``joblib.Parallel``."""
    from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

    results = parallel(delayed(_numbered)(fun, task) for task in tasks)
    try:
        for evaluation in results:  # noqa: UP028 `yield from` would close them with joblib's warning
            yield evaluation
    finally:
        if hasattr(results, "close"):  # ends what has not been taken
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # joblib's, that some results were not taken
                results.close()


def _numbered(fun: Function, task: Task) -> tuple[int, Evaluation]:
    number, point = task
    return number, evaluate(fun, point)


@dataclass(frozen=True)
class Executed:
    """An executor as workers that take one point at a time."""

    executor: Executor
    client: Any = None  # of dask, whose workers these are

    def size(self) -> int | None:
        """Return the number of evaluations at a time, None where it is not known."""
        if self.client is not None:
            return max(1, sum(map(int, self.client.nthreads().values())))  # one waits for the first worker to come
        counts = (getattr(self.executor, name, None) for name in ("max_workers", "_max_workers"))
        return next((int(count) for count in counts if isinstance(count, int) and count > 0), None)

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation."""
        return self.executor.submit(evaluate, fun, point)

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended."""
        return _taken(future)

    def close(self) -> None:
        """Do nothing: the executor is its owner's."""


class Processes:
    """Processes of this machine and of this call alone, started as they are needed.

    Each has a joblib (loky) executor of its own: where one dies, its evaluation has failed, and no other has.
    """

    def __init__(self, count: int) -> None:
        self.count = count  # -1: one a core
        self._idle: list[Any] = []  # executors
        self._busy: dict[Future[Evaluation], Any] = {}

    def size(self) -> int:
        """Return the number of processes."""
        from joblib import cpu_count  # noqa: PLC0415 for those who use it

        return int(cpu_count()) if self.count < 0 else self.count

    def submit(self, fun: Function, point: Array) -> Future[Evaluation]:
        """Begin an evaluation; at most ``size`` are begun and not taken."""
        while self._idle:
            executor = self._idle.pop()
            with suppress(BrokenExecutor):  # its process has died since its last evaluation
                return self._begun(executor, fun, point)
        return self._begun(self._started(), fun, point)

    def _begun(self, executor: Any, fun: Function, point: Array) -> Future[Evaluation]:
        future: Future[Evaluation] = executor.submit(evaluate, fun, point)
        self._busy[future] = executor
        return future

    def take(self, future: Future[Evaluation]) -> Evaluation:
        """Return an evaluation that has ended; it has failed if its process has died."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415 as above

        try:
            evaluation = future.result()
        except TerminatedWorkerError as error:
            self._busy.pop(future).shutdown(wait=False)
            return Evaluation(math.nan, in_words(death_in(str(error))))
        self._idle.append(self._busy.pop(future))
        return evaluation

    def close(self) -> None:
        """End the processes; those in which evaluations are running are killed."""
        for executors, kill in ((list(self._busy.values()), True), (self._idle, False)):
            for executor in executors:
                with suppress(Exception):
                    executor.shutdown(wait=not kill, kill_workers=kill)
        self._busy, self._idle = {}, []

    def _started(self) -> Any:
        from joblib import cpu_count  # noqa: PLC0415 as above
        from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415 as above

        limits = threads(max(1, cpu_count() // self.size()))  # as in joblib's own workers
        env = {name: os.environ.get(name, limits[name]) for name in limits}
        return ProcessPoolExecutor(1, env=env, initializer=_end_with, initargs=(os.getpid(),))


def _end_with(parent: int) -> None:
    """End this process as soon as its parent has ended, by whatever: nobody would take its evaluation."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


Pool = Executed | Processes  # workers that take one point at a time


@dataclass(frozen=True)
class WholeGenerations:
    """Processes that evaluate whole generations, and are the same for all of them."""

    processes: Processes

    def __call__(self, fun: Function, tasks: Sequence[Task]) -> Evaluations:
        """Evaluate the tasks."""
        waiting = iter(tasks)
        return as_they_come(self.processes, fun, lambda: next(waiting, None))

    def close(self) -> None:
        """End the processes."""
        self.processes.close()


def as_they_come(pool: Pool, fun: Function, begin: Callable[[], Task | None]) -> Evaluations:
    """Evaluate what ``begin`` gives, one more point as soon as a worker is free and its evaluation has been taken.

    It ends when there is nothing to begin, None, and all that has begun has been taken.
    """
    running: dict[Future[Evaluation], int] = {}
    ended: deque[tuple[int, Future[Evaluation]]] = deque()
    try:
        while True:
            while len(running) + len(ended) < (pool.size() or 1) and (task := begin()) is not None:
                number, point = task
                running[pool.submit(fun, point)] = number
            if not ended:
                done, _ = wait(running, RECOUNTED, FIRST_COMPLETED)
                ended.extend(sorted(((running.pop(future), future) for future in done), key=lambda each: each[0]))
            if ended:
                number, future = ended.popleft()
                yield number, pool.take(future)
            elif not running:
                return
    finally:
        for future in running:
            future.cancel()


ALLOWED_WORKERS = (
    "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor, a dask.distributed.Client "
    "or a joblib.Parallel"
)


def pool_of(workers: object, *, asynchronous: object) -> Pool | None:
    """Return workers that take one point at a time; None where they take a generation as a whole.

    Args:
        workers: as ``minimize`` takes them.
        asynchronous: as in ``sacma.minimize``.
    """
    if not isinstance(asynchronous, bool | None):
        refuse("asynchronous", asynchronous, "True, False, or None: True where the workers can be", of_type=True)
    if asynchronous is False or workers is None:
        return None
    if _is_joblib(workers):
        pool = None
    elif (executed := _executed(workers)) is not None:
        pool = executed if executed.size() else None
    elif (count := _count(workers)) == 1:
        return None
    else:
        return Processes(count)
    if pool is None and asynchronous:
        can = "False or None with a joblib.Parallel or an executor without max_workers, which get whole generations"
        refuse("asynchronous", asynchronous, can)
    return pool


def evaluator_of(workers: object) -> Evaluator:
    """Return the evaluator of whole generations by ``workers``, as ``minimize`` takes them."""
    if (executed := _executed(workers)) is not None:
        return partial(in_executor, executed.executor)
    if _is_joblib(workers):
        return partial(with_joblib, workers)
    if (count := _count(workers)) == 1:
        return one_by_one
    return WholeGenerations(Processes(count))


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


def workers_of(workers: Any, asynchronous: bool | None, *, noisy: bool) -> Evaluator | Pool:  # noqa: FBT001 as given
    """Return the workers of a call: those that take one point at a time, or an evaluator of generations."""
    if noisy is True and asynchronous is not False:
        if asynchronous:
            refuse("asynchronous", asynchronous, "False or None where noisy is True: rounds are evaluated as a whole")
        asynchronous = False
    evaluator, pool = evaluator_of(workers), pool_of(workers, asynchronous=asynchronous)
    return evaluator if pool is None else pool


class WorkersError(BrokenExecutor):
    """Workers that take no more points: one of them died, or cannot read what is sent to it.

    ``result`` is the ``Result`` up to then.
    """

    def __init__(self, result: Result, error: BrokenExecutor) -> None:
        self.result = result
        reason = one_line(str(error) or type(error).__name__, LONGEST_REASON)
        done = f"{result.nfev} evaluation{'' if result.nfev == 1 else 's'}"
        super().__init__(f"the workers take no more points after {done}, which are in this error's result: {reason}")
