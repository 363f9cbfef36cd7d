"""Restarts of CMA-ES: after a run has stopped, another begins elsewhere with a larger population (IPOP)."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Literal, Protocol

from pydantic import Field

from sacma.strategy.sampling import Sampling
from sacma.surrogate.part import Part
from sacma.surrogate.whitening import Array


class Keeps(Enum):
    """The memory of earlier runs with which a run begins."""

    ALL = auto()
    ARCHIVE_AND_ERROR = auto()
    NOTHING = auto()


@dataclass(frozen=True)
class Start:
    """The start of a run."""

    growth: float  # of the population, compared with the first run
    initial_point: Array | None = None  # x₀, shape (D,); None: newly drawn
    keeps: Keeps = Keeps.ARCHIVE_AND_ERROR  # memory of earlier runs


class RestartPlan(Protocol):
    """Decides on the start of each run.

    With ``evaluates_initial_points`` f evaluates x₀ before each run, and models learn from it. With ``evaluates_means``
    f evaluates the mean before and after each run, and no model sees that.
    """

    evaluates_initial_points: bool
    evaluates_means: bool

    def next(self, last: Sampling | None, value_at_mean: float) -> Start | None:
        """Return the start after the ``last`` run (None: the first), or None at the end of the search.

        ``value_at_mean`` is f at the last run's final mean, if f evaluates means, else inf.
        """


InitialRange = Annotated[float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")]
Factor = Annotated[float, Field(ge=1, le=10, description="λ is multiplied by this at each restart")]
MostRestarts = Annotated[int, Field(ge=0, le=100, description="restarts with a growing population")]


class IPOP(Part):
    """IPOP (Auger and Hansen, CEC 2005): the population grows at each of ``max_restarts`` restarts."""

    name: Literal["ipop"] = "ipop"
    initial_range: InitialRange = 4.0
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4
    after_last_restart: Annotated[
        Literal["start_over", "stop"],
        Field(description="after the last restart: begin with the first population size again, or stop"),
    ] = "start_over"
    evaluates_initial_points: Annotated[bool, Field(description="f evaluates x₀ of each run before its samples")] = (
        False
    )

    def build(self) -> RestartPlan:
        """Return the plan of one strategy."""
        return GrowingPopulation(self)


class GrowingPopulation:
    """The sequence of starts: each at a new point, with archive and smoothed error kept."""

    evaluates_means = False

    def __init__(self, settings: IPOP) -> None:
        self.evaluates_initial_points = settings.evaluates_initial_points
        self._settings = settings
        self._restarts = -1

    def next(self, last: Sampling | None, value_at_mean: float) -> Start | None:  # noqa: ARG002 one protocol
        """Return the next start; see ``RestartPlan``."""
        s = self._settings
        place = (self._restarts + 1) % (s.max_restarts + 1)
        if last is not None and place == 0 and s.after_last_restart == "stop":
            return None
        self._restarts += 1
        return Start(s.population_factor**place)
