"""Threads that numeric libraries use, in this process and in those that are yet to be started."""

from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

from sacma.process_wide import Shared

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")


def threads(number: int) -> dict[str, str]:
    """Return variables of the environment that hold each library to so many threads.

    >>> threads(1)["OPENBLAS_NUM_THREADS"]
    '1'
    """
    return {f"{library}_NUM_THREADS": str(number) for library in LIBRARIES}


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread: its bits do not depend on the number of cores, and it is faster so."""
    return _ONE.entered()


def _limited() -> AbstractContextManager[object]:
    controlled: AbstractContextManager[object] = _pools().limit(limits=1)
    return controlled


_ONE = Shared(_limited)


@cache
def _pools() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 for those who use it

    return ThreadpoolController()
