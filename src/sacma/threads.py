"""Threads that numeric libraries use in a process that is yet to be started."""

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")


def threads(number: int) -> dict[str, str]:
    """Return variables of the environment that hold each library to so many threads.

    >>> threads(1)["OPENBLAS_NUM_THREADS"]
    '1'
    """
    return {f"{library}_NUM_THREADS": str(number) for library in LIBRARIES}
