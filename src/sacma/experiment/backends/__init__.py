"""Ways to run trials, one module each, behind one protocol."""

from collections.abc import Generator, Sequence
from importlib.util import find_spec
from typing import Protocol

from sacma.errors import SacmaError
from sacma.experiment.failure import TrialFailure
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import FinishedTrial

NAMES = ("loky", "serial", "dask")


class Backend(Protocol):
    """Runs trials somewhere."""

    @property
    def jobs(self) -> int | None:
        """How many trials run at a time, each begun when another ends; None if that is not known."""

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield a result for each of ``specs``, in any order; a trial that fails stops no other."""


def make_backend(name: str, *, jobs: int, trial_timeout: float | None = None, scheduler: str | None = None) -> Backend:
    """Return the backend called ``name``.

    Args:
        name: one of ``NAMES``.
        jobs: number of worker processes.
        trial_timeout: wall-clock seconds that a trial may take, or None.
        scheduler: address of a dask scheduler, or None.

    Raises:
        SacmaError: there is none, or it cannot do what it is asked to.
    """
    if scheduler is not None and name != "dask":
        raise SacmaError(f"--scheduler needs --backend dask, not {name}")
    match name:
        case "loky":
            from sacma.experiment.backends.loky import LokyBackend  # noqa: PLC0415 each brings its own libraries

            return LokyBackend(jobs, trial_timeout)
        case "dask":
            if find_spec("distributed") is None:
                raise SacmaError("the backend dask is not installed; install it with: pip install 'sacma[dask]'")
            from sacma.experiment.backends.dask import DaskBackend, check_address  # noqa: PLC0415 idem

            if scheduler is not None:
                check_address(scheduler)
            return DaskBackend(jobs, trial_timeout, scheduler)
        case "serial":
            from sacma.experiment.backends.serial import SerialBackend  # noqa: PLC0415 idem

            if trial_timeout is not None:
                raise SacmaError(
                    "--trial-timeout needs a process that can be ended: --backend loky or dask, not serial"
                )
            return SerialBackend()
        case _:
            raise SacmaError(f"--backend: {name!r} is not a backend; allowed: {', '.join(NAMES)}")
