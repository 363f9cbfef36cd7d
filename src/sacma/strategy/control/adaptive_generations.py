"""Number of model-evaluated generations adapted to the error of the last model (A-S-CMA-ES, Algorithms 2 and 3)."""

import math
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from pydantic import Field

from sacma.strategy.control.base import Control, RaisesPredictions
from sacma.strategy.control.generation_control import Decision, GenerationControl
from sacma.strategy.errors import AnyError
from sacma.strategy.errors.base import JudgedPopulation, ModelError
from sacma.strategy.transfer import TRANSFERS
from sacma.surrogate.part import Context, Part

Transfer = Annotated[
    Literal["T1", "T2"],
    Field(description="γ, from 1 - ε_s/ε_T to the share of max_model_generations: identity or sigmoid"),
]
Steepness = Annotated[float, Field(gt=0, le=1e6, description="k > 0 of T2, steeper as it grows")]
Threshold = Annotated[float, Field(gt=0, le=1, description="ε_T: smoothed error at and above which g_m is 0")]
UpdateRate = Annotated[float, Field(gt=0, le=1, description="r_u: weight of the newest error")]
Most = Annotated[int, Field(ge=1, le=1000, description="g_m^max: most model-evaluated generations in a row")]


ROUNDING = 1e-9
"""By which an error may be outside of [0, 1]."""


class AdaptiveGenerations(Part):
    """Model-evaluated generations whose number g_m follows the smoothed error of the models."""

    name: Literal["adaptive-generations"] = "adaptive-generations"
    error: Annotated[AnyError, Field(description="ε: error measure of the last model's ranking")]
    transfer: Transfer = "T2"
    transfer_steepness: Steepness = 2.0
    error_threshold: Threshold = 0.5
    update_rate: UpdateRate = 0.2
    max_model_generations: Most = 5
    raises_predictions: RaisesPredictions = False
    uses_model: ClassVar[bool] = True

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return GenerationControl(AdaptiveRule(self), raised_by=float(self.raises_predictions))

    def generations_at(self, smoothed: float) -> int:
        """Return g_m at a smoothed error ε_s (Algorithm 3, steps 3 and 4)."""
        truncated = min(smoothed, self.error_threshold) / self.error_threshold
        share = TRANSFERS[self.transfer](1.0 - truncated, self.transfer_steepness)
        return round_half_up(share * self.max_model_generations)


class AdaptiveSettings(Protocol):
    """Settings of a rule by the smoothed error."""

    @property
    def error(self) -> Any:
        """ε, an error measure."""

    @property
    def update_rate(self) -> float:
        """r_u."""

    def generations_at(self, smoothed: float) -> int:
        """Return g_m at a smoothed error ε_s."""


class AdaptiveRule:
    """Decides g_m by the smoothed error of the models."""

    judges = True

    def __init__(self, settings: AdaptiveSettings, initial_error: float = math.nan) -> None:
        self._settings = settings
        self._measure: ModelError = settings.error.build()
        self._smoothed = initial_error  # ε_s
        self._judged = False

    def decide(self, judged: JudgedPopulation | None) -> Decision:
        """Judge the earlier model and return the next g_m; 1 for the first model ever."""
        self._judged |= judged is not None
        error = math.nan if judged is None else self._error(judged)
        if not math.isnan(error):
            self._smoothed = self._smooth(error)
        if not self._judged or math.isnan(self._smoothed):
            return Decision(model_generations=1)
        return Decision(self._settings.generations_at(self._smoothed), error, self._smoothed)

    def _error(self, judged: JudgedPopulation) -> float:
        """Return ε (Algorithm 2); NaN where it is undefined: constant y or ŷ, or a degenerate what-if update.

        Raises ValueError if a measure returns anything but a number in [0, 1] or NaN.
        """
        if any(np.min(a) == np.max(a) for a in (judged.values, judged.predicted)):
            return math.nan
        try:
            error = self._measure(judged)
        except np.linalg.LinAlgError:
            return math.nan
        if not (math.isnan(error) or -ROUNDING <= error <= 1.0 + ROUNDING):
            raise ValueError(f"{self._settings.error.name} returned the error {error}; allowed: 0 to 1, or NaN")
        return error

    def _smooth(self, error: float) -> float:
        """Return the next ε_s (Algorithm 3, step 1); without an initial one, the first error is taken as it is."""
        if math.isnan(self._smoothed):
            return error
        rate = self._settings.update_rate
        return (1.0 - rate) * self._smoothed + rate * error


def round_half_up(x: float) -> int:
    """Round a non-negative number to the nearest integer, half away from zero.

    >>> [round_half_up(x) for x in (0.49, 0.5, 2.5)]
    [0, 1, 3]
    """
    return math.floor(x + 0.5)
