"""Model error ε ∈ [0, 1]: how far a model's predictions were off on a population (Algorithm 2).

| symbol | here               | meaning                                     |
| ------ | ------------------ | ------------------------------------------- |
| y      | ``values``         | true values of the population, shape (λ,)   |
| ŷ      | ``predicted``      | the earlier model's predictions, shape (λ,) |
| μ      | ``parents``        | number of parents                           |
| τ      |                    | Kendall's rank correlation                  |
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from sacma.files.import_object import import_object
from sacma.strategy.choices import MODEL_ERRORS
from sacma.strategy.cma_update import CMAState, SearchDistribution, cma_update
from sacma.strategy.settings import AdaptiveSCMAESSettings
from sacma.surrogate.whitening import Array


@dataclass(frozen=True)
class JudgedPopulation:
    """A truly evaluated population and what an earlier model said of it.

    Args:
        points: shape (λ, D), where the distribution lives.
        values: y, shape (λ,).
        predicted: ŷ, shape (λ,).
        state: returns the strategy's variables before the update. Only the Kullback-Leibler error needs them.
    """

    points: Array
    values: Array
    predicted: Array
    state: Callable[[], CMAState]

    @property
    def parents(self) -> int:
        """μ = ⌊λ/2⌋."""
        return len(self.values) // 2


ModelError = Callable[[JudgedPopulation], float]
"""An error measure: it may keep a memory over a run, as the Kullback-Leibler error does."""


def kendall_tau(a: Array, b: Array) -> float:
    """τ = 2 (n_c − n_d) / (λ(λ − 1)): concordant less discordant pairs; ties count in neither.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    return float(np.sum(_order(a) * _order(b)) / (len(a) * (len(a) - 1)))


def _order(a: Array) -> NDArray[np.int8]:
    """1 where a_i > a_j, −1 where a_i < a_j, 0 on ties. By comparison: a difference of huge values overflows."""
    above = (a[:, None] > a).view(np.int8)
    return above - above.T


def kendall_tau_b(a: Array, b: Array) -> float:
    """τ-b = (n_c − n_d) / √((pairs not tied in a)(pairs not tied in b)); NaN where all are tied in one.

    >>> kendall_tau_b(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    0.8164965809277261
    """
    x, y = _order(a), _order(b)
    untied = math.sqrt(float(np.count_nonzero(x)) * np.count_nonzero(y))
    return float(np.sum(x * y)) / untied if untied else math.nan


def kendall_error(settings: AdaptiveSCMAESSettings) -> ModelError:
    """ε = (1 − τ)/2."""
    tau = kendall_tau if settings.kendall_tau == "a" else kendall_tau_b
    return lambda population: (1.0 - tau(population.values, population.predicted)) / 2.0


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


def ranking_difference(predicted: Array, values: Array, parents: int, *, over_predicted: bool = True) -> float:
    """RDE_μ = Σ_{i: r₁(i) ≤ μ} |r₂(i) − r₁(i)| / max_π Σ_{i: π(i) ≤ μ} |i − π(i)|.

    Args:
        predicted: ŷ, shape (λ,).
        values: y, shape (λ,).
        parents: μ.
        over_predicted: whether r₁ are the ranks of ŷ and r₂ those of y, or the reverse.

    >>> ranking_difference(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), parents=2)
    0.25
    """
    r1, r2 = ranks(predicted), ranks(values)
    best = (r1 if over_predicted else r2) <= parents
    return float(np.sum(np.abs(r2 - r1)[best]) / largest_ranking_difference(len(r1), parents))


def ranking_difference_error(settings: AdaptiveSCMAESSettings) -> ModelError:
    """ε = RDE_μ."""
    over_predicted = settings.rank_over == "predicted_best"
    return lambda population: ranking_difference(
        population.predicted, population.values, population.parents, over_predicted=over_predicted
    )


def kullback_leibler(p: SearchDistribution, q: SearchDistribution, exponent: float = 2.0) -> float:
    """D_KL(p ‖ q) of two normal distributions with covariances σ^exponent C.

    ½ (tr(Σ_q⁻¹Σ_p) + ln(|Σ_q|/|Σ_p|) + (m_q − m_p)ᵀ Σ_q⁻¹ (m_q − m_p) − D).

    Raises:
        numpy.linalg.LinAlgError: where a covariance is not positive definite.
    """
    root_p = p.sigma ** (exponent / 2) * np.linalg.cholesky(p.C)
    root_q = q.sigma ** (exponent / 2) * np.linalg.cholesky(q.C)
    trace = np.sum(solve_triangular(root_q, root_p, lower=True) ** 2)
    shift = np.sum(solve_triangular(root_q, q.mean - p.mean, lower=True) ** 2)
    log_ratio = 2.0 * (np.sum(np.log(np.diag(root_q))) - np.sum(np.log(np.diag(root_p))))
    return float(0.5 * (trace + log_ratio + shift - len(p.mean)))


DISCOUNTED_UPDATES = 5
"""After so many updates the largest divergence counts in full."""


class KullbackLeiblerError:
    """ε = ε_raw / (largest ε_raw so far), ε_raw = D_KL(update ranked by ŷ ‖ update ranked by y).

    The largest is the unit in which the smoothed error is measured: like that error, it survives restarts.

    Args:
        exponent: of σ in the covariance: 2, or 1 as the paper prints it.
        discount: what multiplies the largest ε_raw at the first update; it falls to 1 linearly in five.
    """

    def __init__(self, exponent: float = 2.0, discount: float = 1.0) -> None:
        self._exponent = exponent
        self._discount = discount
        self._updates = 0
        self._largest = 0.0

    def __call__(self, population: JudgedPopulation) -> float:
        """Return ε, NaN where the divergence is not finite, and remember the largest divergence."""
        state = population.state()
        by_model = cma_update(state, population.points, population.predicted)
        by_truth = cma_update(state, population.points, population.values)
        divergence = kullback_leibler(by_model, by_truth, self._exponent)
        if not math.isfinite(divergence):
            return math.nan  # and no measure for later ones
        divergence = max(divergence, 0.0)  # rounding
        self._largest = max(self._largest, divergence)
        if self._largest == 0.0:
            return 0.0
        discount = max(1.0, self._discount - (self._discount - 1.0) * self._updates / DISCOUNTED_UPDATES)
        self._updates += 1
        return divergence / self._largest / discount


def kullback_leibler_error(settings: AdaptiveSCMAESSettings) -> ModelError:
    """ε = ε_raw / (largest ε_raw so far)."""
    return KullbackLeiblerError(2.0 if settings.kl_scale == "sigma_squared" else 1.0, settings.kl_discount)


def make_model_error(settings: AdaptiveSCMAESSettings) -> ModelError:
    """Return the error measure of one optimizer, as its settings name it."""
    measure: ModelError = import_object(MODEL_ERRORS[settings.model_error])(settings)
    return measure
