"""Workers of a dask cluster: specs go over the network and records come back; no folder is shared.

A dask worker runs its trials in processes below it, so that a trial that dies takes neither the worker nor other trials
with it.
"""

import asyncio
import contextlib
import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from sacma import __version__
from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.errors import RunError, SacmaError
from sacma.experiment.workers import LocalWorkers, Result, result_of
from sacma.files.printable import one_line
from sacma.store.outcome import FailureKind, failed

try:
    import distributed
    from distributed.client import FutureCancelledError
    from distributed.comm.core import connect
except ImportError:
    raise SacmaError("--scheduler needs dask; install it with: pip install 'sacma[dask]'") from None

IN_FLIGHT = 1000  # trials that the scheduler knows of at a time: enough for a cluster that grows with its queue

SECONDS_TO_CONNECT = 10


class DaskWorkers:
    """The workers of a dask scheduler, which come and go.

    Args:
        scheduler: its address, like ``tls://host:8786``.
        trial_timeout: wall-clock seconds that a trial may take.

    Raises:
        SacmaError: there is no scheduler, when the context is entered.
    """

    jobs, ahead = None, IN_FLIGHT

    def __init__(self, scheduler: str, trial_timeout: float | None = None) -> None:
        self._scheduler, self._trial_timeout = scheduler, trial_timeout
        self._campaign = uuid.uuid4().hex
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_silence())
            try:
                with ThreadPoolExecutor(1) as thread:  # whose loop is its own, also where one runs here, as in Jupyter
                    thread.submit(lambda: asyncio.run(_reach(self._scheduler))).result()
            except Exception as error:  # noqa: BLE001 whatever dask thinks of what answers there
                reason = one_line((str(error).splitlines() or [type(error).__name__])[0])
                raise SacmaError(
                    f"--scheduler: no dask scheduler at {one_line(self._scheduler)} ({reason}); "
                    "docs/on_a_cluster.md says how to start one"
                ) from None
            self._client = stack.enter_context(distributed.Client(self._scheduler, set_as_default=False))
            self._entered = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._entered, contextlib.suppress(Exception):  # a cluster that is gone has nothing to end
            self._client.run(end_trials, self._campaign, on_error="ignore")

    def prepare(self, specs: Sequence[TrialSpec]) -> Iterator[str]:  # noqa: ARG002
        """Say who else could use the cluster; its workers compile for themselves."""
        if self._scheduler.startswith("tcp://"):
            danger = "is open: whoever can connect to it can run programs as you, on all of its workers"
            yield f"{self._scheduler} {danger}; docs/on_a_cluster.md says how tls:// closes it"

    def begin(self, spec: TrialSpec) -> "_Begun":
        """Return the future of a trial's result."""
        given = (spec, ALGORITHMS.files, self._trial_timeout, self._campaign, __version__)
        return _Begun(spec, self._client.submit(run_on_dask_worker, *given, pure=False))


async def _reach(address: str) -> None:
    """Connect to a scheduler: a client that fails to would keep trying when it is taken away."""
    arguments = distributed.Security().get_connection_args("client")
    comm = await connect(address, timeout=SECONDS_TO_CONNECT, **arguments)
    await comm.close()


class _Begun:
    """The future of a trial's result."""

    def __init__(self, spec: TrialSpec, future: Any) -> None:
        self._spec, self._future = spec, future

    def add_done_callback(self, callback: Callable[["_Begun"], None]) -> None:
        self._future.add_done_callback(lambda _: callback(self))

    def result(self) -> Result:
        try:
            result: Result = self._future.result()
        except (FutureCancelledError, TimeoutError, OSError):
            raise RunError("the dask scheduler was lost") from None
        except (OtherVersionError, ImportError, AttributeError, TypeError) as error:
            raise RunError(
                f"a dask worker cannot run trials of sacma {__version__} ({type(error).__name__}: {error}); "
                "install that version, with its extra dask, where the workers run"
            ) from None
        except Exception as error:  # noqa: BLE001 of dask's own, like KilledWorker: trials return theirs
            lost = f"lost by dask: {type(error).__name__}: {error}"
            return failed(self._spec, FailureKind.WORKER_DIED, lost, str(error))
        self._future.release()
        return result


class OtherVersionError(Exception):
    """The sacma of a dask worker is not the coordinator's."""


@contextmanager
def _silence() -> Iterator[None]:
    """Keep dask's logs off the terminal: its messages come as exceptions."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


_POOLS: dict[str, LocalWorkers] = {}  # processes of this dask worker, by campaign

_STARTING = threading.Lock()


def run_on_dask_worker(
    spec: TrialSpec, files: Sequence[Path], trial_timeout: float | None, campaign: str, version: str
) -> Result:
    """Run a trial in a process that this dask worker keeps for a campaign.

    ``files`` are those with algorithms that the user has named to the coordinator, ``version`` is that of its sacma.
    """
    if version != __version__:
        raise OtherVersionError(f"it has sacma {__version__}")
    with _STARTING:
        if campaign not in _POOLS:
            _POOLS[campaign] = LocalWorkers(distributed.get_worker().state.nthreads, trial_timeout)
    return result_of(spec, _POOLS[campaign].begin(spec, files))


def end_trials(campaign: str) -> None:
    """End all trials of a campaign on this dask worker, and their processes."""
    if campaign in _POOLS:
        _POOLS.pop(campaign).__exit__()
