"""A dask cluster on this machine that nobody else can use: it speaks TLS with a certificate of its own, and no HTTP.

Who can connect to a scheduler or worker of dask can run code in it, and a loopback address is everybody's who has an
account on the machine. dask's ``LocalCluster`` asks nobody who they are, and serves HTTP though it has no dashboard.
"""

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask.config
from distributed import Nanny, Scheduler, SpecCluster, Worker
from distributed.security import Security

from sacma.experiment.children import quiet_children, safe_path
from sacma.experiment.scratch import noted_semaphores, scratch_folder

LOOPBACK = "127.0.0.1"


class _NoHTTP:
    """A server of dask's without its HTTP server, for which dask has no option."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Do nothing."""


class QuietScheduler(_NoHTTP, Scheduler):
    """A scheduler that listens for its protocol only."""


class QuietWorker(_NoHTTP, Worker):
    """A worker that listens for its protocol only."""


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Start a scheduler and worker processes that accept each other and this process, and end them again.

    Args:
        workers: number of them, of one thread each.
    """
    security: Any = Security.temporary()  # type: ignore[no-untyped-call]  # dask has no types
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
    scratch = scratch_folder()
    try:
        with quiet_children(), noted_semaphores(scratch), dask.config.set(environment):
            cluster = SpecCluster(  # type: ignore[no-untyped-call]
                scheduler={"cls": QuietScheduler, "options": {**here, "port": 0, "dashboard": False}},
                workers={number: {"cls": Nanny, "options": worker} for number in range(workers)},
                security=security,
                silence_logs=logging.CRITICAL,
            )
        with cluster:
            yield cluster
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
