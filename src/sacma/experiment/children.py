"""Child processes of ours: they import nothing from the current folder, and ignore Ctrl-C.

Python puts the current folder first on the path of ``python -m`` and ``python -c``, which is how joblib, dask and
Python itself start worker processes and their helpers. A ``numpy.py`` in a folder of somebody else's results would be
run.
"""

import multiprocessing.resource_tracker
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker

OURS = "sacma"
"""Value of ``PYTHONSAFEPATH`` that is ours and not the user's; Python takes any."""

_starting = threading.RLock()
"""Held while the environment of this process is changed: a dask worker starts processes in threads."""


def safe_path() -> dict[str, str]:
    """Return the environment with which a Python process imports nothing from the current folder."""
    return {"PYTHONSAFEPATH": os.environ.get("PYTHONSAFEPATH") or OURS}


@contextmanager
def safe_start() -> Iterator[None]:
    """Let Python processes that are started meanwhile import nothing from the current folder."""
    warnings = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"]))
    more = {"PYTHONWARNINGS": warnings, **safe_path()}
    with _starting:
        before = {name: os.environ[name] for name in more if name in os.environ}
        os.environ.update(more)
        try:
            multiprocessing.resource_tracker.ensure_running()
            loky_resource_tracker.ensure_running()
            yield
        finally:
            for name in more:
                os.environ.pop(name, None)
            os.environ.update(before)


def forget_start() -> None:
    """Give the processes that this one starts the user's path: an algorithm may run a script with modules beside it."""
    if os.environ.get("PYTHONSAFEPATH") == OURS:
        del os.environ["PYTHONSAFEPATH"]


@contextmanager
def quiet_children() -> Iterator[None]:
    """Start processes as ``safe_start`` does, with SIGINT blocked, which they inherit.

    Ctrl-C reaches the whole process group: only the coordinator is to answer it, and to end the workers. One that
    comes meanwhile is answered afterwards. Starting a resource tracker unblocks it, so those must be running before.
    """
    with safe_start():
        if threading.current_thread() is not threading.main_thread():  # which answers signals
            yield
            return
        mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)


@contextmanager
def child(target: Callable[..., None], *arguments: object) -> Iterator[tuple[BaseProcess, Connection]]:
    """Run ``target(connection, *arguments)`` in a new process, which is ended with the block.

    Yields the process and the other end of the connection.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, *arguments))
    with quiet_children():
        process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
