"""Error measures as in the published code."""

import math
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.cma_update import CMAState
from sacma.strategy.errors.base import JudgedPopulation, ModelError
from sacma.strategy.errors.kendall import order
from sacma.strategy.errors.kullback_leibler import RelativeDivergence
from sacma.strategy.errors.ranking_difference import ranking_difference
from sacma.surrogate.part import Part
from sacma.types import Array

DISCOUNTED_UPDATES = 5
"""Number of updates after which the largest divergence counts in full."""


class KendallAsRun(Part):
    """ε = (1 − τ_b)/2, which accounts for ties."""

    name: Literal["kendall-as-run"] = "kendall-as-run"

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return lambda population: (1.0 - kendall_tau_b(population.values, population.predicted)) / 2.0


def kendall_tau_b(a: Array, b: Array) -> float:
    """τ-b = (n_c − n_d) / √((pairs not tied in a)(pairs not tied in b)); NaN where all are tied in one.

    >>> kendall_tau_b(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    0.8164965809277261
    """
    x, y = order(a), order(b)
    untied = math.sqrt(float(np.count_nonzero(x)) * np.count_nonzero(y))
    return float(np.sum(x * y)) / untied if untied else math.nan


class RankingDifferenceAsRun(Part):
    """ε = RDE_μ(y, ŷ), summed over the μ truly best."""

    name: Literal["ranking-difference-as-run"] = "ranking-difference-as-run"

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return lambda population: ranking_difference(population.values, population.predicted, population.parents)


class KullbackLeiblerAsRun(Part):
    """ε of distributions with covariance σC, in units of a largest divergence that is discounted at first."""

    name: Literal["kullback-leibler-as-run"] = "kullback-leibler-as-run"
    discount: Annotated[
        float, Field(ge=1, le=1e6, description="multiplies the largest divergence at first, down to 1 in five updates")
    ] = 2.0

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return DiscountedDivergence(self.discount)


class DiscountedDivergence:
    """ε_raw in units of the largest one so far, times a discount that falls to 1 linearly in five updates."""

    def __init__(self, discount: float) -> None:
        self._relative = RelativeDivergence(exponent=1.0)
        self._discount = discount
        self._updates = 0

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε; NaN where the divergence is not finite."""
        error = self._relative(replace(population, state=lambda: _state_as_run(population)))
        if math.isnan(error) or not self._relative.largest:
            return error
        discount = max(1.0, self._discount - (self._discount - 1.0) * self._updates / DISCOUNTED_UPDATES)
        self._updates += 1
        return error / discount


def _state_as_run(population: JudgedPopulation) -> CMAState:
    """Return the state for the what-if updates, whose h_σ divides the number of the generation by λ."""
    state = population.state()
    return replace(state, generation=(state.generation + 1) / len(population.values) - 1)
