"""The interface of shares: the part α of a population that is evaluated with f."""

from typing import Protocol

from sacma.types import Array


class Share(Protocol):
    """Decides α; keeps its memory over restarts.

    ``judges``: it needs the first model's predictions of each population.
    """

    judges: bool
    share: float
    smoothed_error: float

    def judge(self, predicted: Array, values: Array) -> float:
        """Take the first model's predictions and the values after the second training; return ε."""
