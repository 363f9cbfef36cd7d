"""Containment of NumPy's global random generator, for code that uses no other."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def contained(rng: np.random.Generator) -> Iterator[None]:
    """Seed NumPy's global generator from ``rng``, and restore its state afterwards.

    >>> before = np.random.get_state()[1].tolist()
    >>> with contained(np.random.default_rng(1)):
    ...     _ = np.random.uniform()
    >>> np.random.get_state()[1].tolist() == before
    True
    """
    before = np.random.get_state()  # noqa: NPY002 the old interface is what is contained
    np.random.seed(rng.integers(2**32, size=8, dtype=np.uint32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
