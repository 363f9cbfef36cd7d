"""Kendall error: ε = (1 − τ)/2, τ being Kendall's rank correlation of true and predicted values."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sacma.strategy.errors.base import JudgedPopulation, ModelError
from sacma.surrogate.part import Part
from sacma.types import Array


class Kendall(Part):
    """ε = (1 − τ)/2."""

    name: Literal["kendall"] = "kendall"

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return kendall_error


def kendall_error(population: JudgedPopulation) -> float:
    """ε = (1 − τ)/2."""
    return (1.0 - kendall_tau(population.values, population.predicted)) / 2.0


def kendall_tau(a: Array, b: Array) -> float:
    """τ = 2 (n_c − n_d) / (λ(λ − 1)): concordant less discordant pairs; ties count in neither.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    return float(np.sum(order(a) * order(b)) / (len(a) * (len(a) - 1)))


def order(a: Array) -> NDArray[np.int8]:
    """1 where a_i > a_j, −1 where a_i < a_j, 0 on ties. By comparison: a difference of huge values overflows."""
    above = (a[:, None] > a).view(np.int8)
    return above - above.T
