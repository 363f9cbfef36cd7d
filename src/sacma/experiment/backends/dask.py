"""Trials on many machines, through ``dask.distributed`` itself.

A dask worker keeps a ``Worker`` process for each of its threads: what kills a trial kills neither the dask worker nor
its neighbours. Specs go over the network and records come back; no folder is shared.
"""

import contextlib
import logging
import multiprocessing
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any

from sacma import __version__
from sacma.errors import RunError, SacmaError
from sacma.experiment.backends.worker import Worker, quiet_children
from sacma.experiment.failure import FailureKind, TrialFailure, now
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import FinishedTrial

IN_FLIGHT = 1000
"""Trials that the scheduler knows of at a time: enough for a cluster that grows with its queue."""

SECONDS_TO_CONNECT = 20


@dataclass(frozen=True)
class DaskBackend:
    """The workers of a dask scheduler.

    Args:
        workers: number of processes of the local cluster, where no scheduler is given.
        trial_timeout: wall-clock seconds that a trial may take, or None.
        scheduler: address of the scheduler, like ``tcp://host:8786``, or None for a cluster on this machine.
    """

    workers: int
    trial_timeout: float | None = None
    scheduler: str | None = None

    @property
    def jobs(self) -> int | None:
        """How many trials run at a time: not known of a scheduler's workers, which come and go."""
        return None if self.scheduler else self.workers

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield the results of ``specs`` as they come. Closing the generator before its end kills the trials.

        Raises:
            SacmaError: the scheduler does not answer, or its workers have another sacma.
            RunError: the scheduler was lost.
        """
        import distributed  # noqa: PLC0415 an extra

        with self._client(distributed) as client:
            _check_workers(client)
            try:
                yield from self._results(distributed, client, iter(specs))
            finally:
                with contextlib.suppress(Exception):  # a cluster that is gone has nothing to end
                    client.run(end_trials, on_error="ignore")

    def _results(
        self, distributed: ModuleType, client: Any, todo: Iterator[TrialSpec]
    ) -> Generator[FinishedTrial | TrialFailure, None, None]:
        specs: dict[str, TrialSpec] = {}
        waiting = distributed.as_completed(loop=client.loop, raise_errors=False)

        def submit(number: int) -> None:
            for spec in islice(todo, number):
                future = client.submit(run_on_dask_worker, spec, self.trial_timeout, pure=False)
                specs[future.key] = spec
                waiting.add(future)

        submit(IN_FLIGHT)
        for future in waiting:
            submit(1)
            yield _result(specs.pop(future.key), future)
            future.release()

    @contextmanager
    def _client(self, distributed: ModuleType) -> Iterator[Any]:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it has to say comes as exceptions
        if self.scheduler is not None:
            try:
                client = distributed.Client(self.scheduler, timeout=SECONDS_TO_CONNECT, set_as_default=False)
            except (OSError, ValueError) as error:
                raise SacmaError(
                    f"--scheduler: {self.scheduler} does not answer ({str(error).splitlines()[0]}); "
                    "start one with: dask scheduler"
                ) from None
            with client:
                yield client
            return
        with quiet_children():
            cluster = distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                memory_limit=0,  # trials run in processes that it does not see
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client


def _check_workers(client: Any) -> None:
    """Refuse workers that would compute with another sacma than the one that planned the trials."""
    try:
        versions = client.run(version_here)
    except Exception as error:  # noqa: BLE001 whatever goes wrong over there
        raise SacmaError(
            f"the dask workers cannot run sacma ({type(error).__name__}: {error}); "
            f"install sacma {__version__} with its extra dask where they run"
        ) from None
    for worker, version in sorted(versions.items()):
        if version != __version__:
            raise SacmaError(f"the dask worker {worker} has sacma {version}; install {__version__} there, as here")


def _result(spec: TrialSpec, future: Any) -> FinishedTrial | TrialFailure:
    from distributed.client import FutureCancelledError  # noqa: PLC0415 an extra

    try:
        result: FinishedTrial | TrialFailure = future.result()
    except (FutureCancelledError, TimeoutError, OSError):
        raise RunError("the dask scheduler was lost") from None
    except Exception as error:  # noqa: BLE001 of dask's own, like KilledWorker: trials return theirs
        message = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return TrialFailure(spec, FailureKind.WORKER_DIED, f"lost by dask: {message}", str(error), when=now())
    return result


_IDLE: list[Worker] = []
"""Worker processes of this dask worker that wait for a trial."""

_BUSY: list[Worker] = []
"""Those that run one."""


def run_on_dask_worker(spec: TrialSpec, trial_timeout: float | None) -> FinishedTrial | TrialFailure:
    """Run a trial in a process of this dask worker's own."""
    multiprocessing.current_process().daemon = False  # dask's default, with which it could not start processes
    try:
        worker = _IDLE.pop()
    except IndexError:
        worker = Worker()
    _BUSY.append(worker)
    worker.start(spec, trial_timeout)
    result = worker.collect(wait=True)
    if result is None:
        raise RuntimeError("a trial was neither finished nor too long")
    _BUSY.remove(worker)
    _IDLE.append(worker)
    return result


def end_trials() -> None:
    """End all trials of this dask worker and their processes."""
    for workers in (_IDLE, _BUSY):
        while workers:
            workers.pop().close()


def version_here() -> str:
    """Return sacma's version in this process."""
    return __version__
