"""Trials on many machines, through ``dask.distributed`` itself.

A dask worker keeps a ``Worker`` process for each of its threads: what kills a trial kills neither the dask worker nor
its neighbours. Specs go over the network and records come back; no folder is shared.

Who can connect to a scheduler or worker of dask can run code in it, and a loopback address is everybody's who has an
account on the machine. dask's ``LocalCluster`` asks nobody who they are, and serves HTTP though it has no dashboard. So
our own cluster speaks TLS with a certificate of its own, and no HTTP.
"""

import contextlib
import logging
import multiprocessing
import re
import socket
import uuid
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from sacma import __version__
from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.errors import RunError, SacmaError
from sacma.experiment.backends.worker import Worker
from sacma.experiment.children import quiet_children, safe_path
from sacma.files.printable import one_line
from sacma.files.scratch import noted_semaphores, scratch
from sacma.store.failure import FailureKind, TrialFailure, failed
from sacma.store.record import FinishedTrial

NOT_INSTALLED = "the backend dask is not installed; install it with: pip install 'sacma[dask]'"

try:
    import dask.config
    import distributed
    from distributed.client import FutureCancelledError
    from distributed.security import Security
except ImportError:
    raise SacmaError(NOT_INSTALLED) from None

IN_FLIGHT = 1000
"""Trials that the scheduler knows of at a time: enough for a cluster that grows with its queue."""

SECONDS_TO_CONNECT = 20

CERTIFICATES = ", ".join(f"DASK_DISTRIBUTED__COMM__TLS__{key}" for key in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"))
"""Environment variables with the paths of a client's files."""


@dataclass(frozen=True)
class DaskBackend:
    """The workers of a dask scheduler, or of a cluster of ``workers`` processes on this machine."""

    workers: int
    trial_timeout: float | None = None
    scheduler: str | None = None

    @property
    def jobs(self) -> int | None:
        """Number of trials at a time; not known of a scheduler's workers, which come and go."""
        return None if self.scheduler else self.workers

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield the results of ``specs`` as they come. Closing the generator before its end kills the trials.

        Raises SacmaError if the scheduler does not answer, RunError if it was lost, or a worker has another sacma.
        """
        campaign = uuid.uuid4().hex
        with _silence(), self._client() as client:
            try:
                yield from self._results(client, iter(specs), campaign)
            finally:
                with contextlib.suppress(Exception):  # a cluster that is gone has nothing to end
                    client.run(end_trials, campaign, on_error="ignore")

    def _results(
        self, client: Any, todo: Iterator[TrialSpec], campaign: str
    ) -> Generator[FinishedTrial | TrialFailure, None, None]:
        specs: dict[str, TrialSpec] = {}
        waiting = distributed.as_completed(loop=client.loop, raise_errors=False)

        def submit(number: int) -> None:
            for spec in islice(todo, number):
                given = (spec, ALGORITHMS.files, self.trial_timeout, campaign, __version__)
                future = client.submit(run_on_dask_worker, *given, pure=False)
                specs[future.key] = spec
                waiting.add(future)

        submit(IN_FLIGHT)
        for future in waiting:
            submit(1)
            yield _result(specs.pop(future.key), future)
            future.release()

    @contextmanager
    def _client(self) -> Iterator[Any]:
        if self.scheduler is None:
            with local_cluster(self.workers) as cluster, distributed.Client(cluster, set_as_default=False) as client:
                yield client
            return
        reach(self.scheduler)
        loop = distributed.utils.LoopRunner()  # which a client that fails would leave running
        loop.start()
        options = {"timeout": SECONDS_TO_CONNECT, "set_as_default": False, "loop": loop.loop}
        client, reason = None, ""
        try:
            try:
                client = distributed.Client(self.scheduler, **options)
            except Exception as error:  # noqa: BLE001 whatever dask thinks of what answers there
                reason = one_line((str(error).splitlines() or [type(error).__name__])[0])
            # Not in the handler: a client that failed closes itself when its error goes, and needs the loop for it.
            if client is None:
                raise SacmaError(f"--scheduler: {self.scheduler} is not a dask scheduler ({reason})")
            with client:
                yield client
        finally:
            loop.stop()


def check_address(address: str) -> None:
    """Raise a SacmaError where ``address`` cannot be that of a scheduler."""
    if not re.fullmatch(r"(tcp|tls)://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}", address):
        raise SacmaError(f"--scheduler: {address!r} is not an address; give one like tls://host:8786")


def reach(address: str) -> None:
    """Raise a SacmaError where nothing listens at an address, or certificates are missing that it needs."""
    try:
        security: Any = Security()
        shown = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # ssl's errors are OSErrors
        raise SacmaError(f"--scheduler: the certificates in dask's configuration cannot be used ({error})") from None
    if is_open(address) and security.require_encryption:
        raise SacmaError(
            f"--scheduler: dask's configuration asks for encryption; give an address tls://, not {address}"
        )
    if not is_open(address) and shown is None:
        raise SacmaError(
            f"--scheduler: {address} needs certificates: set {CERTIFICATES}; docs/on_a_cluster.md shows how to"
        )
    host, _, port = address.partition("://")[2].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise SacmaError(f"--scheduler: {address} does not answer ({error}); start one with: dask scheduler") from None


def is_open(address: str) -> bool:
    """Return True for the address of a scheduler that asks nobody for a certificate."""
    return address.startswith("tcp://")


LOOPBACK = "127.0.0.1"


class _NoHTTP:
    """A server of dask's without its HTTP server, for which dask has no option."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Do nothing."""


class QuietScheduler(_NoHTTP, distributed.Scheduler):
    """A scheduler that listens for its protocol only."""


class QuietWorker(_NoHTTP, distributed.Worker):
    """A worker that listens for its protocol only."""


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Start a scheduler and worker processes, of a thread each, that accept each other and this process; end them."""
    security: Any = Security.temporary()
    here = {"host": LOOPBACK, "protocol": "tls://", "security": security}
    worker = {
        **here,
        "worker_class": QuietWorker,
        "nthreads": 1,
        "memory_limit": 0,  # trials run in processes that it does not see
        "dashboard": False,
        "silence_logs": logging.CRITICAL,
    }
    # A nanny starts its worker anew when that dies, whatever the environment is then.
    environment = {f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in safe_path().items()}
    with scratch(in_memory=True) as folder:
        with quiet_children(), noted_semaphores(folder), dask.config.set(environment):
            cluster = distributed.SpecCluster(
                scheduler={"cls": QuietScheduler, "options": {**here, "port": 0, "dashboard": False}},
                workers={number: {"cls": distributed.Nanny, "options": worker} for number in range(workers)},
                security=security,
                silence_logs=logging.CRITICAL,
            )
        with cluster:
            yield cluster


@contextmanager
def _silence() -> Iterator[None]:
    """Keep dask's logs off the terminal: what it has to say comes as exceptions."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class OtherVersionError(Exception):
    """The sacma of a dask worker is not the coordinator's."""


def _result(spec: TrialSpec, future: Any) -> FinishedTrial | TrialFailure:
    try:
        result: FinishedTrial | TrialFailure = future.result()
    except (FutureCancelledError, TimeoutError, OSError):
        raise RunError("the dask scheduler was lost") from None
    except (OtherVersionError, ImportError, AttributeError, TypeError) as error:
        raise RunError(
            f"a dask worker cannot run trials of sacma {__version__} ({type(error).__name__}: {error}); "
            "install that version, with its extra dask, where the workers run"
        ) from None
    except Exception as error:  # noqa: BLE001 of dask's own, like KilledWorker: trials return theirs
        return failed(spec, FailureKind.WORKER_DIED, f"lost by dask: {type(error).__name__}: {error}", str(error))
    return result


_IDLE: defaultdict[str, list[Worker]] = defaultdict(list)
_BUSY: defaultdict[str, list[Worker]] = defaultdict(list)
"""Worker processes of this dask worker, by campaign: those that wait for a trial and those that run one."""


def run_on_dask_worker(
    spec: TrialSpec, files: Sequence[Path], trial_timeout: float | None, campaign: str, version: str
) -> FinishedTrial | TrialFailure:
    """Run a trial, for ``trial_timeout`` seconds at most, in a process that this dask worker keeps for a campaign.

    ``files`` are those with algorithms that the user has named to the coordinator, ``version`` is that of its sacma.
    """
    if version != __version__:
        raise OtherVersionError(f"it has sacma {__version__}")
    multiprocessing.current_process().daemon = False  # dask's default, with which it could not start processes
    try:
        worker = _IDLE[campaign].pop()
    except IndexError:
        worker = Worker()
    _BUSY[campaign].append(worker)
    result = None
    try:
        worker.start(spec, trial_timeout, files)
        result = worker.collect(wait=True)
    finally:
        if worker in _BUSY[campaign]:
            _BUSY[campaign].remove(worker)
        if result is None:
            worker.close()
        else:
            _IDLE[campaign].append(worker)
    if result is None:
        raise RuntimeError("a trial was neither finished nor too long")
    return result


def end_trials(campaign: str) -> None:
    """End all trials of a campaign on this dask worker, and their processes."""
    for workers in (_IDLE.pop(campaign, []), _BUSY.pop(campaign, [])):
        while workers:
            workers.pop().close()


def make(*, jobs: int, trial_timeout: float | None, scheduler: str | None = None) -> DaskBackend:
    """Return the backend; see ``make_backend``."""
    if scheduler is not None:
        check_address(scheduler)
    elif not find_spec("cryptography"):
        raise SacmaError(NOT_INSTALLED)
    return DaskBackend(jobs, trial_timeout, scheduler)
