"""What the Python processes that we start inherit: they import nothing from the current folder, and answer no Ctrl-C.

Python puts the current folder first on the path of ``python -m`` and ``python -c``, which is how joblib, dask and
Python itself start worker processes and their helpers. Where that folder is one of results, which may come from
anybody, a ``numpy.py`` in it would be run.
"""

import multiprocessing.resource_tracker
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker

OURS = "sacma"
"""Value of ``PYTHONSAFEPATH`` that is ours and not the user's; Python takes any."""

HUSHED = "ignore:resource_tracker"

_starting = threading.RLock()
"""Held where the environment of this process is changed for a moment: a dask worker starts processes in threads."""


def safe_path() -> dict[str, str]:
    """Return the environment with which a Python process imports nothing from the current folder."""
    return {"PYTHONSAFEPATH": os.environ.get("PYTHONSAFEPATH") or OURS}


@contextmanager
def safe_start() -> Iterator[None]:
    """Let the Python processes that are started meanwhile import nothing from the current folder."""
    warnings = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), HUSHED]))
    with _starting, _environment({"PYTHONWARNINGS": warnings, **safe_path()}):
        multiprocessing.resource_tracker.ensure_running()
        loky_resource_tracker.ensure_running()
        yield


@contextmanager
def _environment(more: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def forget_start() -> None:
    """Let the processes that this one starts be as the user has them: its own start is over.

    An algorithm may run a script of its own, which imports what lies beside it.
    """
    if os.environ.get("PYTHONSAFEPATH") == OURS:
        del os.environ["PYTHONSAFEPATH"]


@contextmanager
def quiet_children() -> Iterator[None]:
    """Start processes as ``safe_start`` does; let them ignore Ctrl-C too, and hush their warnings at exit.

    Ctrl-C reaches the whole process group: only the coordinator is to answer it, and to end the workers. They
    inherit a blocked SIGINT; one that comes meanwhile is answered afterwards. Starting a resource tracker unblocks
    it, so those must be running before.
    """
    with safe_start():
        if threading.current_thread() is not threading.main_thread():  # signals are another's business
            yield
            return
        mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)
