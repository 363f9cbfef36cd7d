"""Expected ranking difference (ERDE): the expected change of the ranking of all others by a point's value."""

from typing import ClassVar, Literal

from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array


class ExpectedRankingDifference(Part):
    """Expected change of the ranking of all other points."""

    name: Literal["ranking-difference"] = "ranking-difference"
    joint: ClassVar[bool] = True

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return the expected ranking difference of each point; see ``Criterion``."""
        from sacma.strategy.expected_ranking import expected_ranking_difference  # noqa: PLC0415 loads Numba

        return expected_ranking_difference(posterior, parents)

    def prepare(self) -> None:
        """Compile the code, or load it."""
        from sacma.strategy.expected_ranking import load_compiled_code  # noqa: PLC0415 loads Numba

        load_compiled_code()
