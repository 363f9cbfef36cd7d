"""One CMA-ES update as a pure function of a state and a ranked population.

The update is pycma's (cumulative step-size adaptation, rank-one and rank-μ update, optional negative weights),
as described in Hansen, *The CMA Evolution Strategy: A Tutorial* (2016), equation numbers from there.
"""

from dataclasses import dataclass

import numpy as np

from sacma.types import Array


@dataclass(frozen=True)
class CMAConstants:
    """Constants of a run (c_cma of Algorithm 2)."""

    weights: Array  # w, shape (λ,)
    mueff: float  # μ_eff
    cc: float  # c_c
    c1: float  # c_1
    cmu: float  # c_μ
    cs: float  # c_σ
    ds: float  # d_σ
    chi: float  # expected length of a standard normal vector, E‖N(0, I)‖


@dataclass(frozen=True)
class CMAState:
    """The strategy's variables at a generation, after sampling and before the update (v_cma of Algorithm 2)."""

    constants: CMAConstants
    generation: float
    mean: Array  # m, shape (D,)
    sigma: float  # σ
    C: Array  # shape (D, D)
    C_inverse_root: Array  # C^(−½), shape (D, D)
    pc: Array  # p_c, shape (D,)
    ps: Array  # p_σ, shape (D,)


@dataclass(frozen=True)
class SearchDistribution:
    """N(m, σ²C)."""

    mean: Array
    sigma: float
    C: Array


def cma_update(state: CMAState, points: Array, values: Array) -> SearchDistribution:
    """Return the distribution after one update with ``points``, shape (λ, D), ranked by ``values``, shape (λ,).

    ``state`` is that of the generation in which the points were sampled, where the distribution lives.
    """
    k, D = state.constants, len(state.mean)
    w = k.weights
    steps = (points[np.argsort(values)] - state.mean) / state.sigma  # y_{i:λ}
    positive = w > 0
    mean_step = w[positive] @ steps[positive]  # (eq. 41): ⟨y⟩_w
    mean = state.mean + state.sigma * mean_step  # (eq. 42)

    normalised_step = np.sqrt(k.mueff) * (state.C_inverse_root @ mean_step)
    ps = (1 - k.cs) * state.ps + np.sqrt(k.cs * (2 - k.cs)) * normalised_step  # (eq. 43)
    growth = k.cs / k.ds * (np.linalg.norm(ps) / k.chi - 1)
    sigma = state.sigma * np.exp(np.clip(growth, -1, 1))  # (eq. 44)

    settled = 1 - (1 - k.cs) ** (2 * (state.generation + 1))
    h_sigma = float(ps @ ps / settled / D - 1 < 1 + 4 / (D + 1))
    pc = (1 - k.cc) * state.pc + h_sigma * np.sqrt(k.cc * (2 - k.cc) * k.mueff) * mean_step  # (eq. 45)
    lengths = np.sum((steps @ state.C_inverse_root.T) ** 2, axis=1)
    w_limited = np.where(positive, w, w * D / (np.sqrt(lengths) + 1e-9) ** 2)  # (eq. 46)
    c1a = k.c1 * (1 - (1 - h_sigma) * k.cc * (2 - k.cc))  # keeps the variance when h_σ = 0
    C = (1 - c1a - k.cmu * w.sum()) * state.C + k.c1 * np.outer(pc, pc)  # (eq. 47)
    C += k.cmu * (w_limited * steps.T) @ steps
    return SearchDistribution(mean=mean, sigma=float(sigma), C=C)
