"""Options of a run; light to import, as the command line declares its own by them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RunOptions:
    """Options on how trials are run.

    Args:
        jobs: number of trials at a time; None for the number of cores.
        backend: a key of ``BACKENDS``.
        scheduler: address of a dask scheduler, like ``tls://host:8786``.
        retries: how often a trial that fails is tried again.
        trial_timeout: wall-clock seconds after which a trial is ended, as failed.
        failed_only: run only trials that failed before.
        command: shown to other processes that want to write to the same results.
    """

    jobs: int | None = None
    backend: str = "loky"
    scheduler: str | None = None
    retries: int = 1
    trial_timeout: float | None = None
    failed_only: bool = False
    command: str = "sacma.experiment.run"
