"""What an algorithm sees of the problem it is to solve."""

from typing import Protocol

from sacma.strategy.generation import Generation
from sacma.surrogate.whitening import Array


class Problem(Protocol):
    """An objective function that counts its evaluations and ends the trial when they are used up.

    An algorithm may call it until it ends the trial by itself; one that must not be interrupted in the middle of a
    population looks at ``evaluations_left`` and ``target_hit`` and returns.
    """

    @property
    def dimension(self) -> int:
        """D, the number of variables."""

    @property
    def lower_bounds(self) -> Array:
        """Lower bounds of the region of interest, shape (D,). Points beyond can be evaluated."""

    @property
    def upper_bounds(self) -> Array:
        """Upper bounds of the region of interest, shape (D,)."""

    @property
    def evaluations_left(self) -> int:
        """How many evaluations the budget still holds."""

    @property
    def target_hit(self) -> bool:
        """Whether the final target has been reached: no further evaluation will be made. Never where f is noisy."""

    def __call__(self, point: Array) -> float:
        """Return f(point) and count the evaluation.

        Args:
            point: shape (D,), finite.
        """

    def initial_point(self, half_width: float) -> Array:
        """Draw the next initial point, uniform in [−half_width, half_width]^D.

        All algorithms draw the same initial points on the same problem: comparisons are paired.
        """

    def trace(self, generation: Generation) -> None:
        """Keep a generation for the trial's trace. Optional."""
