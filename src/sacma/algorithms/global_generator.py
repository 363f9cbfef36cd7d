"""NumPy's global random generator, lent to code that knows no other."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def contained(rng: np.random.Generator) -> Iterator[None]:
    """Seed NumPy's global generator from ``rng``, and give it back as it was.

    >>> before = np.random.get_state()[1].tolist()
    >>> with contained(np.random.default_rng(1)):
    ...     _ = np.random.uniform()
    >>> np.random.get_state()[1].tolist() == before
    True
    """
    before = np.random.get_state()  # noqa: NPY002 what is contained is the old interface
    np.random.seed(rng.integers(2**32, size=8, dtype=np.uint32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
