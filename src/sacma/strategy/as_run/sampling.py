"""Sampling as in the published code: its CMA-ES is cmaes.m 3, and models learn repaired points."""

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.cma_es import CMAES, Bounds, CMAESSampling
from sacma.strategy.restarts import Start
from sacma.strategy.sampling import Sampling
from sacma.surrogate.part import Context
from sacma.types import Array


class CMAESAsRun(CMAESSampling):
    """CMA-ES with a penalty for points outside of the box; the archive holds repaired points."""

    name: Literal["cma-es-as-run"] = "cma-es-as-run"  # type: ignore[assignment]  # the same fields under its own name
    bounds: Bounds = "penalty"
    constants: Annotated[
        Literal["cmaes.m", "pycma"],
        Field(description="c_μ, c_σ and d_σ: of cmaes.m 3, or of pycma, whose c_μ is larger"),
    ] = "cmaes.m"
    largest_share: ClassVar[float] = 0.5

    def start(self, start: Start, initial_point: Array, context: Context) -> Sampling:
        """Begin a run; see ``CMAESSampling``."""
        return CMAESOfTheCode(initial_point, self.population(start, context), self.stepping(start), context)


class CMAESOfTheCode(CMAES):
    """A run with the constants of cmaes.m, whose repaired points are archived."""

    def __init__(self, initial_point: Array, population_size: int, settings: CMAESAsRun, context: Context) -> None:
        super().__init__(initial_point, population_size, settings, context)
        if settings.constants == "cmaes.m":
            es = self._es
            mueff = es.sp.weights.mueff
            learning = es.sm.parameters(mueff=mueff, lam=es.sp.weights.lambda_)
            learning["cmu"] = rank_mu_rate(context.dimension, mueff)
            es.adapt_sigma.cs, es.adapt_sigma.damps = path_rate_and_damping(context.dimension, mueff)

    @property
    def learned(self) -> Array:
        """The population as f sees it, shape (λ, D)."""
        return np.asarray(self.proposed)

    def place(self, points: Array) -> tuple[Array, Array]:
        """Return points of the distribution, shape (n, D), as f is to see them and as the archive keeps them."""
        repaired, _ = super().place(points)
        return repaired, repaired


def rank_mu_rate(dimension: int, mueff: float) -> float:
    """c_μ of cmaes.m 3, 2 (μ_eff − 2 + 1/μ_eff) / ((D + 2)² + μ_eff), at most 1 − c_1.

    >>> round(rank_mu_rate(2, 2.0286), 4)
    0.0579
    """
    c1 = 2.0 / ((dimension + 1.3) ** 2 + mueff)
    return min(1.0 - c1, 2.0 * (mueff - 2.0 + 1.0 / mueff) / ((dimension + 2.0) ** 2 + mueff))


def path_rate_and_damping(dimension: int, mueff: float) -> tuple[float, float]:
    """c_σ = (μ_eff + 2) / (D + μ_eff + 3) and d_σ = 1 + 2 max(0, √((μ_eff − 1)/(D + 1)) − 1) + c_σ of cmaes.m 3.

    >>> [round(constant, 4) for constant in path_rate_and_damping(2, 2.0286)]
    [0.5732, 1.5732]
    """
    cs = (mueff + 2.0) / (dimension + mueff + 3.0)
    return cs, 1.0 + 2.0 * max(0.0, math.sqrt((mueff - 1.0) / (dimension + 1.0)) - 1.0) + cs
