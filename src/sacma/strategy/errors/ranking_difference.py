"""Ranking-difference error: the difference of the ranks of the μ best, divided by the largest possible one."""

from typing import Literal

import numpy as np

from sacma.strategy.errors.base import JudgedPopulation, ModelError
from sacma.surrogate.part import Part
from sacma.types import Array


class RankingDifference(Part):
    """ε = RDE_μ(ŷ, y)."""

    name: Literal["ranking-difference"] = "ranking-difference"

    def build(self) -> ModelError:
        """Return the measure of one strategy."""
        return ranking_difference_error


def ranking_difference_error(population: JudgedPopulation) -> float:
    """ε = RDE_μ(ŷ, y)."""
    return ranking_difference(population.predicted, population.values, population.parents)


def largest_ranking_difference(population_size: int, parents: int) -> int:
    """Return the maximum over permutations π of {1, …, λ} of Σ_{i: π(i) ≤ μ} |i − π(i)|.

    Ranks 1, …, μ are assigned to distinct positions S. The best sum for a given S is the sum of the larger
    half of the multiset {1, …, μ} ∪ S less the sum of its smaller half. S = {λ − μ + 1, …, λ} gives μ(λ − μ);
    exchanging the smallest a of these positions for 1, …, a changes the sum, step a, by 3μ − λ + 2 − 4a. So

        a* = max(0, ⌊(3μ − λ + 2)/4⌋),      maximum = μ(λ − μ) + a* (3μ − λ − 2a*).

    >>> largest_ranking_difference(6, 3)
    10
    """
    exchanged = max(0, (3 * parents - population_size + 2) // 4)
    return parents * (population_size - parents) + exchanged * (3 * parents - population_size - 2 * exchanged)


def ranks(values: Array) -> Array:
    """Ranks 1, …, λ, the lowest value first; equal values in their order, so that exactly μ have a rank ≤ μ."""
    result = np.empty(len(values))
    result[np.argsort(values, kind="stable")] = np.arange(1, len(values) + 1)
    return result


def ranking_difference(first: Array, second: Array, parents: int) -> float:
    """RDE_μ(a, b) = Σ_{i: r_a(i) ≤ μ} |r_b(i) − r_a(i)| / max_π Σ_{i: π(i) ≤ μ} |i − π(i)|.

    >>> ranking_difference(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), parents=2)
    0.25
    """
    r_a, r_b = ranks(first), ranks(second)
    difference = np.sum(np.abs(r_b - r_a)[r_a <= parents])
    return float(difference / largest_ranking_difference(len(r_a), parents))
