"""Error measures (Algorithm 2): ε ∈ [0, 1], the error of a model's ranking of a population.

The kinds whose names end in ``-as-run`` are those of the published code.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sacma.strategy.cma_update import CMAState, SearchDistribution, cma_update
from sacma.surrogate.part import Context, Kinds, Part
from sacma.types import Array

# Factor of the largest divergence in the published code at first, and number of updates until it is 1.
DISCOUNT, DISCOUNTED_UPDATES = 2.0, 5


@dataclass(frozen=True)
class JudgedPopulation:
    """A truly evaluated population and an earlier model's predictions of it."""

    points: Array  # shape (λ, D), where the distribution lives
    values: Array  # y, shape (λ,)
    predicted: Array  # ŷ, shape (λ,)
    # Returns the strategy's variables before the update; only the Kullback-Leibler error needs them.
    state: Callable[[], CMAState]

    @property
    def parents(self) -> int:
        """μ = ⌊λ/2⌋."""
        return len(self.values) // 2


class ModelError(Protocol):
    """An error measure; it may keep a memory over restarts, as the Kullback-Leibler error does."""

    def __call__(self, population: JudgedPopulation, /) -> float:
        """Return ε, NaN where it is undefined."""


class Kendall(Part):
    """ε = (1 − τ)/2, τ being Kendall's rank correlation of true and predicted values."""

    name: Literal["kendall"] = "kendall"

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε."""
        return (1.0 - kendall_tau(population.values, population.predicted)) / 2.0


class RankingDifference(Part):
    """ε = RDE_μ(ŷ, y), the difference of the ranks of the μ best by the model."""

    name: Literal["ranking-difference"] = "ranking-difference"

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε."""
        return ranking_difference(population.predicted, population.values, population.parents)


class KullbackLeibler(Part):
    """ε = ε_raw / (largest ε_raw so far), ε_raw = D_KL(update ranked by ŷ ‖ update ranked by y)."""

    name: Literal["kullback-leibler"] = "kullback-leibler"

    def build(self, context: Context) -> ModelError:  # noqa: ARG002 one protocol
        """Return the measure of one strategy."""
        return RelativeDivergence()


class KendallAsRun(Part):
    """ε = (1 − τ_b)/2, which accounts for ties."""

    name: Literal["kendall-as-run"] = "kendall-as-run"

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε."""
        return (1.0 - kendall_tau_b(population.values, population.predicted)) / 2.0


class RankingDifferenceAsRun(Part):
    """ε = RDE_μ(y, ŷ), summed over the μ truly best."""

    name: Literal["ranking-difference-as-run"] = "ranking-difference-as-run"

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε."""
        return ranking_difference(population.values, population.predicted, population.parents)


class KullbackLeiblerAsRun(Part):
    """ε of distributions with covariance σC, in units of a largest divergence that is discounted at first."""

    name: Literal["kullback-leibler-as-run"] = "kullback-leibler-as-run"

    def build(self, context: Context) -> ModelError:  # noqa: ARG002 one protocol
        """Return the measure of one strategy."""
        return DiscountedDivergence(exponent=1.0)


ERRORS = Kinds(
    Kendall,
    RankingDifference,
    KullbackLeibler,
    KendallAsRun,
    RankingDifferenceAsRun,
    KullbackLeiblerAsRun,
)
AnyError = Annotated[Any, ERRORS]


def order(a: Array) -> NDArray[np.int8]:
    """1 where a_i > a_j, −1 where a_i < a_j, 0 on ties. By comparison: a difference of huge values overflows."""
    above = (a[:, None] > a).view(np.int8)
    return above - above.T


def kendall_tau(a: Array, b: Array) -> float:
    """τ = 2 (n_c − n_d) / (λ(λ − 1)): concordant less discordant pairs; ties count in neither.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    return float(np.sum(order(a) * order(b)) / (len(a) * (len(a) - 1)))


def kendall_tau_b(a: Array, b: Array) -> float:
    """τ-b = (n_c − n_d) / √((pairs not tied in a)(pairs not tied in b)); NaN where all are tied in one.

    >>> kendall_tau_b(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    0.8164965809277261
    """
    x, y = order(a), order(b)
    untied = math.sqrt(float(np.count_nonzero(x)) * np.count_nonzero(y))
    return float(np.sum(x * y)) / untied if untied else math.nan


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


class RelativeDivergence:
    """ε_raw in units of the largest one so far, which is kept over restarts like the smoothed error.

    ``exponent`` is that of σ in the covariance: 2; the published code has 1.
    """

    def __init__(self, exponent: float = 2.0) -> None:
        self._exponent = exponent
        self._largest = 0.0

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε, NaN where the divergence is not finite, and remember the largest divergence."""
        state = self._state(population)
        by_model = cma_update(state, population.points, population.predicted)
        by_truth = cma_update(state, population.points, population.values)
        divergence = kullback_leibler(by_model, by_truth, self._exponent)
        if not math.isfinite(divergence):
            return math.nan  # and no measure for later ones
        divergence = max(divergence, 0.0)  # rounding
        self._largest = max(self._largest, divergence)
        return divergence / self._largest if self._largest else 0.0

    def _state(self, population: JudgedPopulation) -> CMAState:
        """Return the state for the what-if updates."""
        return population.state()


class DiscountedDivergence(RelativeDivergence):
    """The same in the published code, divided by a discount that falls to 1 linearly in five updates."""

    _updates = 0

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε; NaN where the divergence is not finite."""
        error = super().__call__(population)
        if math.isnan(error) or not self._largest:
            return error
        discount = max(1.0, DISCOUNT - (DISCOUNT - 1.0) * self._updates / DISCOUNTED_UPDATES)
        self._updates += 1
        return error / discount

    def _state(self, population: JudgedPopulation) -> CMAState:
        """Return the state for the what-if updates, whose h_σ divides the number of the generation by λ."""
        state = population.state()
        return replace(state, generation=(state.generation + 1) / len(population.values) - 1)


def kullback_leibler(p: SearchDistribution, q: SearchDistribution, exponent: float = 2.0) -> float:
    """D_KL(p ‖ q) of two normal distributions with covariances σ^exponent C.

    ½ (tr(Σ_q⁻¹Σ_p) + ln(|Σ_q|/|Σ_p|) + (m_q − m_p)ᵀ Σ_q⁻¹ (m_q − m_p) − D); a LinAlgError where a covariance is
    not positive definite.
    """
    from scipy.linalg import solve_triangular  # noqa: PLC0415 slow to import

    root_p = p.sigma ** (exponent / 2) * np.linalg.cholesky(p.C)
    root_q = q.sigma ** (exponent / 2) * np.linalg.cholesky(q.C)
    trace = np.sum(solve_triangular(root_q, root_p, lower=True) ** 2)
    shift = np.sum(solve_triangular(root_q, q.mean - p.mean, lower=True) ** 2)
    log_ratio = 2.0 * (np.sum(np.log(np.diag(root_q))) - np.sum(np.log(np.diag(root_p))))
    return float(0.5 * (trace + log_ratio + shift - len(p.mean)))
