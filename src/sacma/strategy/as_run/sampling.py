"""Sampling as in the published code: models learn repaired points."""

from typing import Literal

import numpy as np

from sacma.strategy.cma_es import CMAES, Bounds, CMAESSampling
from sacma.strategy.restarts import Start
from sacma.strategy.sampling import Sampling
from sacma.surrogate.part import Context
from sacma.surrogate.whitening import Array


class CMAESAsRun(CMAESSampling):
    """CMA-ES with a penalty for points outside of the box; the archive holds repaired points."""

    name: Literal["cma-es-as-run"] = "cma-es-as-run"  # type: ignore[assignment]  # the same fields under its own name
    bounds: Bounds = "penalty"

    def start(self, start: Start, initial_point: Array, context: Context) -> Sampling:
        """Begin a run; see ``CMAESSampling``."""
        return RepairedCMAES(initial_point, self.population(start, context), self, context)


class RepairedCMAES(CMAES):
    """A run whose repaired points are archived."""

    @property
    def learned(self) -> Array:
        """The population as f sees it, shape (λ, D)."""
        return np.asarray(self.proposed)

    def place(self, points: Array) -> tuple[Array, Array]:
        """Return points of the distribution, shape (n, D), as f is to see them and as the archive keeps them."""
        repaired, _ = super().place(points)
        return repaired, repaired
