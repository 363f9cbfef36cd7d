"""The interface of error measures (Algorithm 2): ε ∈ [0, 1], the error of a model's predictions."""

from collections.abc import Callable
from dataclasses import dataclass

from sacma.strategy.cma_update import CMAState
from sacma.types import Array


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


ModelError = Callable[[JudgedPopulation], float]
"""An error measure; it may keep a memory over restarts, as the Kullback-Leibler error does."""
