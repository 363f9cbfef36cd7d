"""Generation-based evolution control: how many generations the next model stands in for f (Algorithm 3)."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sacma.strategy.model_error import JudgedPopulation, make_model_error
from sacma.strategy.settings import AdaptiveSCMAESSettings, ForestSCMAESSettings, SCMAESSettings, SurrogateSettings
from sacma.strategy.transfer import TRANSFERS


@dataclass(frozen=True)
class Decision:
    """What evolution control decided at a true-evaluated generation.

    Args:
        model_generations: g_m.
        error: ε of the earlier model; NaN where there was none, or none defined.
        smoothed_error: ε_s; NaN before the first error.
    """

    model_generations: int
    error: float = math.nan
    smoothed_error: float = math.nan


class EvolutionControl(Protocol):
    """Decides g_m at each true-evaluated generation; keeps its memory over restarts as long as it is kept itself.

    ``judges`` says whether it wants to know what the earlier model said of the new population.
    """

    judges: bool

    def decide(self, judged: JudgedPopulation | None) -> Decision:
        """Return g_m, given what the earlier model said of the new population, where there is one."""


class ConstantControl:
    """g_m is the same after every true-evaluated generation (GP-1, GP-5)."""

    judges = False

    def __init__(self, model_generations: int) -> None:
        self._decision = Decision(model_generations)

    def decide(self, judged: JudgedPopulation | None) -> Decision:  # noqa: ARG002 one protocol
        """Return the constant g_m."""
        return self._decision


class AdaptiveControl:
    """g_m follows the smoothed error of the models so far (Algorithms 2 and 3)."""

    judges = True

    def __init__(self, settings: AdaptiveSCMAESSettings) -> None:
        self._settings = settings
        self._measure = make_model_error(settings)
        self._smoothed = math.nan if settings.initial_error is None else settings.initial_error
        self._judged = False

    def decide(self, judged: JudgedPopulation | None) -> Decision:
        """Judge the earlier model and return the next g_m; 1 for the first model ever."""
        self._judged |= judged is not None
        error = math.nan if judged is None else self._error(judged)
        if not math.isnan(error):
            self._smoothed = self._smooth(error)
        if not self._judged or math.isnan(self._smoothed):
            return Decision(model_generations=1)
        return Decision(self._model_generations(), error, self._smoothed)

    def _error(self, judged: JudgedPopulation) -> float:
        """ε, or NaN where it is undefined: constant y or ŷ, or a degenerate what-if update."""
        if any(np.min(a) == np.max(a) for a in (judged.values, judged.predicted)):
            return math.nan
        try:
            return self._measure(judged)
        except np.linalg.LinAlgError:
            return math.nan

    def _smooth(self, error: float) -> float:
        """Algorithm 3, step 1; without an initial one, the first error is taken as it is."""
        if math.isnan(self._smoothed):
            return error
        rate = self._settings.update_rate
        return (1.0 - rate) * self._smoothed + rate * error

    def _model_generations(self) -> int:
        """Algorithm 3, steps 3 and 4."""
        s = self._settings
        clipped = min(max(self._smoothed, s.error_floor), s.error_threshold)
        truncated = (clipped - s.error_floor) / (s.error_threshold - s.error_floor)
        share = TRANSFERS[s.transfer](1.0 - truncated, s.transfer_steepness)
        return round_half_up(share * s.max_model_generations)


def round_half_up(x: float) -> int:
    """Round a non-negative number to the nearest integer, half away from zero.

    >>> [round_half_up(x) for x in (0.49, 0.5, 2.5)]
    [0, 1, 3]
    """
    return math.floor(x + 0.5)


def evolution_control(settings: SurrogateSettings) -> EvolutionControl:
    """Return the evolution control that ``settings`` ask for."""
    if isinstance(settings, AdaptiveSCMAESSettings):
        return AdaptiveControl(settings)
    if isinstance(settings, SCMAESSettings | ForestSCMAESSettings):
        return ConstantControl(settings.model_generations)
    raise TypeError(f"no evolution control for {type(settings).__name__}")
