"""The interface of sampling: one run of CMA-ES between two restarts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sacma.strategy.cma_update import CMAState
from sacma.surrogate.whitening import Whitening
from sacma.types import Array

if TYPE_CHECKING:
    from collections.abc import Iterable


class Sampling(Protocol):
    """A search distribution N(m, σ²C) that samples populations and learns from their ranking.

    ``initial_point`` is x₀, shape (D,). ``sampled`` is the population where the distribution lives, shape (λ, D), and
    ``proposed`` the same λ points for f; with bounds they differ.
    """

    initial_point: Array
    population_size: int
    sampled: Array
    proposed: Sequence[Array]

    @property
    def learned(self) -> Array:
        """The population as the archive keeps it, shape (λ, D)."""

    @property
    def recent_best(self) -> tuple[Array, float]:
        """The best of the last population told, as f sees it, shape (D,), and the value that ranked it."""

    @property
    def sigma(self) -> float:
        """σ."""

    @property
    def mean(self) -> Array:
        """The mean for f, shape (D,)."""

    def ask(self) -> Sequence[Array]:
        """Sample a population and return ``proposed``."""

    def sample(self) -> Array:
        """Return λ further points of the distribution, shape (λ, D)."""

    def place(self, points: Array) -> tuple[Array, Array]:
        """Return points of the distribution, shape (n, D), as f is to see them and as the archive keeps them."""

    def replace(self, index: int, seen: Array, learned: Array) -> None:
        """Put another point, as f saw it and as the archive keeps it, in the place of one of the population."""

    def inject(self, points: "Iterable[Array]") -> None:
        """Let the next population contain ``points`` of the distribution, each of shape (D,)."""

    def tell(self, values: Array) -> None:
        """Update the distribution with the population ranked by ``values``, shape (λ,)."""

    def stop(self) -> tuple[str, ...]:
        """Return the names of the stop conditions that hold; empty while the run goes on."""

    def whitening(self) -> Whitening:
        """Return the whitening of the distribution that the population was sampled from."""

    def state(self) -> CMAState:
        """Return variables and constants before the update, for ``cma_update``."""
