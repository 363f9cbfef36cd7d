"""Restarts as in the published code."""

from typing import Literal

from sacma.strategy.restarts import Factor, InitialRange, Keeps, LastRun, MostRestarts, RestartPlan, Start
from sacma.surrogate.part import Context, Part


class IPOPAsRun(Part):
    """IPOP from the same point, keeping everything; after the last restart a new start that knows a point and no more.

    x₀ is evaluated with f before each run, and m after it; these values count but enter no model and no update.
    """

    name: Literal["ipop-as-run"] = "ipop-as-run"
    initial_range: InitialRange = 4.0
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4

    def build(self, context: Context) -> RestartPlan:  # noqa: ARG002 one protocol
        """Return the plan of one strategy."""
        return RestartsAtTheSamePoint(self)


class RestartsAtTheSamePoint:
    """The sequence of starts."""

    evaluates_initial_points = False
    evaluates_means = True

    def __init__(self, settings: IPOPAsRun) -> None:
        self._settings = settings
        self._restarts = -1

    def next(self, last: LastRun | None) -> Start | None:
        """Return the next start; see ``RestartPlan``."""
        s = self._settings
        self._restarts += 1
        place = self._restarts % (s.max_restarts + 1)
        growth = s.population_factor**place
        if last is None:
            return Start(growth, keeps=Keeps.NOTHING)
        if place == 0:
            best, value = last.sampling.recent_best
            return Start(
                growth,
                initial_point=last.sampling.mean if last.value_at_mean < value else best,
                keeps=Keeps.NOTHING,
            )
        return Start(growth, initial_point=last.sampling.initial_point, keeps=Keeps.ALL)
