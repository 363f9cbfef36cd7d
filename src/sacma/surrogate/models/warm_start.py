"""A model whose likelihood search starts at the optimum of its last fit."""

from collections.abc import Callable
from typing import Annotated, Any, Protocol, Self

from pydantic import Field

from sacma.surrogate.base import FitStatus
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

WarmEvaluations = Annotated[
    int, Field(ge=0, le=40, description="most evaluations of the likelihood in a search from the last optimum")
]


class Stretchable(Protocol):
    """Hyperparameters with a length."""

    def stretched(self, log_factor: float) -> Self:
        """Return the same in a space in which all lengths are exp(``log_factor``) times as long."""


class WarmStarted:
    """Fits models by ``fit(training, warm)``, with the hyperparameters of the last fit that was kept, or None."""

    def __init__(self, fit: Callable[[TrainingSet, Any], Any], *, warm_start: bool = True) -> None:
        self._fit = fit
        self._warm_start = warm_start
        self._last: Stretchable | None = None  # ℓ in the objective's own units: whitening changes

    def fit(self, training: TrainingSet, whitening: Whitening) -> Any | FitStatus:
        """Fit by maximum likelihood."""
        return self._fit(training, self._last.stretched(whitening.log_scale) if self._last is not None else None)

    def keep(self, fitted: Any, whitening: Whitening) -> None:
        """Start the next search here."""
        if self._warm_start:
            self._last = fitted.hyperparameters.stretched(-whitening.log_scale)

    def forget(self) -> None:
        """Start the next search anew."""
        self._last = None
