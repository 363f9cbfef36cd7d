"""The candidates nearest to the mean of the search distribution."""

from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.part import Part
from sacma.surrogate.training_set import Indices
from sacma.types import Array


class Nearest(Part):
    """The n_max candidates nearest to m; the older first among equals."""

    name: Literal["nearest"] = "nearest"
    newest_only: ClassVar[bool] = False

    def choose(self, whitened: Array, size: int, rng: np.random.Generator) -> Indices:  # noqa: ARG002 one protocol
        """Return the indices, ascending, of the ``size`` candidates nearest to m."""
        order = np.argsort((whitened**2).sum(axis=1), kind="stable")
        return np.sort(order[:size])
