"""Restarts as in the published code."""

from typing import Literal

from sacma.strategy.restarts import Factor, InitialRange, Keeps, MostRestarts, RestartPlan, Start
from sacma.strategy.sampling import Sampling
from sacma.surrogate.part import Part


class IPOPAsRun(Part):
    """IPOP from the same point, keeping everything; after the last restart a new start that knows a point and no more.

    f evaluates x₀ before each run and m after it; these values count but enter no model and no update.
    """

    name: Literal["ipop-as-run"] = "ipop-as-run"
    initial_range: InitialRange = 4.0
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4

    def build(self) -> RestartPlan:
        """Return the plan of one strategy."""
        return RestartsAtTheSamePoint(self)


class RestartsAtTheSamePoint:
    """The sequence of starts."""

    evaluates_initial_points = False
    evaluates_means = True

    def __init__(self, settings: IPOPAsRun) -> None:
        self._settings = settings
        self._restarts = -1

    def next(self, last: Sampling | None, value_at_mean: float) -> Start | None:
        """Return the next start; see ``RestartPlan``."""
        s = self._settings
        self._restarts += 1
        place = self._restarts % (s.max_restarts + 1)
        growth = s.population_factor**place
        if last is None:
            return Start(growth, keeps=Keeps.NOTHING)
        if place == 0:
            best, value = last.recent_best
            return Start(growth, initial_point=last.mean if value_at_mean < value else best, keeps=Keeps.NOTHING)
        return Start(growth, initial_point=last.initial_point, keeps=Keeps.ALL)
