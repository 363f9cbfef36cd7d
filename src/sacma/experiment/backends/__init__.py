"""Ways to run trials, one module each, behind one protocol."""

from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.import_object import import_object
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


class Backend(Protocol):
    """Runs trials somewhere."""

    @property
    def jobs(self) -> int | None:
        """How many trials run at a time, each begun when another ends; None if that is not known."""

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield a result for each of ``specs``, in any order; a trial that fails stops no other."""


BACKENDS: Mapping[str, str] = {
    "loky": "sacma.experiment.backends.loky:make",
    "serial": "sacma.experiment.backends.serial:make",
    "dask": "sacma.experiment.backends.dask:make",
}
"""By name, what makes each from the arguments of ``make_backend``; each brings its own libraries."""


def make_backend(name: str, *, jobs: int, trial_timeout: float | None = None, scheduler: str | None = None) -> Backend:
    """Return the backend called ``name``.

    Args:
        name: a key of ``BACKENDS``.
        jobs: number of worker processes.
        trial_timeout: wall-clock seconds that a trial may take, or None.
        scheduler: address of a dask scheduler, or None.

    Raises:
        SacmaError: there is none, or it cannot do what it is asked to.
    """
    if scheduler is not None and name != "dask":
        raise SacmaError(f"--scheduler needs --backend dask, not {name}")
    if name not in BACKENDS:
        raise SacmaError(f"--backend: {name!r} is not a backend; allowed: {', '.join(BACKENDS)}")
    backend: Backend = import_object(BACKENDS[name])(jobs=jobs, trial_timeout=trial_timeout, scheduler=scheduler)
    return backend
