"""Backends: ways to run trials, one module each, behind one protocol."""

import pkgutil
from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


class Backend(Protocol):
    """Runs trials somewhere."""

    @property
    def jobs(self) -> int | None:
        """Number of trials at a time, each begun when another ends; None if that is not known."""

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield a result for each of ``specs``, in any order; a trial that fails stops no other."""


BACKENDS: Mapping[str, str] = {
    "loky": "sacma.experiment.backends.loky:LokyBackend",
    "serial": "sacma.experiment.backends.serial:make",
    "dask": "sacma.experiment.backends.dask:make",
}
"""Classes or functions, called with ``jobs`` and ``trial_timeout``, dask's with ``scheduler`` where there is one."""


def make_backend(name: str, *, jobs: int, trial_timeout: float | None = None, scheduler: str | None = None) -> Backend:
    """Return the backend called ``name``; raise SacmaError if there is none, or it cannot do what it is asked to.

    Args:
        name: a key of ``BACKENDS``.
        jobs: number of trials at a time.
        trial_timeout: wall-clock seconds that a trial may take.
        scheduler: address of a dask scheduler.
    """
    if scheduler is not None and name != "dask":
        raise SacmaError(f"--scheduler needs --backend dask, not {name}")
    if name not in BACKENDS:
        raise SacmaError(f"--backend: {name!r} is not a backend; allowed: {', '.join(BACKENDS)}")
    address = {} if scheduler is None else {"scheduler": scheduler}
    backend: Backend = pkgutil.resolve_name(BACKENDS[name])(jobs=jobs, trial_timeout=trial_timeout, **address)
    return backend
