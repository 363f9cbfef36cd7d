"""The oldest candidates."""

from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.part import Part
from sacma.types import Array, Indices


class Oldest(Part):
    """The oldest n_max candidates."""

    name: Literal["oldest"] = "oldest"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:
        """Return the first indices."""
        return np.arange(size)
