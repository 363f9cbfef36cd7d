"""Restarts of CMA-ES: after a run has stopped, another begins elsewhere, with a larger population or a smaller σ₀."""

import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Literal, Protocol

from pydantic import Field

from sacma.strategy.sampling import Sampling
from sacma.surrogate.part import Context, Part
from sacma.types import Array


class Keeps(Enum):
    """The memory of earlier runs with which a run begins."""

    ALL = auto()
    ARCHIVE_AND_ERROR = auto()
    NOTHING = auto()


@dataclass(frozen=True)
class Start:
    """The start of a run."""

    growth: float  # of the population, compared with λ of the settings
    initial_point: Array | None = None  # x₀, shape (D,); None: newly drawn
    keeps: Keeps = Keeps.ARCHIVE_AND_ERROR  # memory of earlier runs
    step: float = 1.0  # σ₀, compared with the first run

    def __post_init__(self) -> None:
        """Refuse what no population and no σ₀ can be multiplied by."""
        for name in ("growth", "step"):
            if not 0.0 < (factor := getattr(self, name)) < math.inf:
                raise ValueError(f"{name} of a start is {factor!r}; allowed: a number above 0")


@dataclass(frozen=True)
class LastRun:
    """A run that has stopped."""

    sampling: Sampling
    evaluations: int  # by f
    value_at_mean: float = math.inf  # f at its final mean, where means are evaluated


class RestartPlan(Protocol):
    """Decides on the start of each run.

    With ``evaluates_initial_points`` x₀ is evaluated before each run, unless its value is known, and models learn from
    it. With ``evaluates_means`` the mean is evaluated before and after each run, and no model sees that.
    """

    evaluates_initial_points: bool
    evaluates_means: bool

    def next(self, last: LastRun | None) -> Start | None:
        """Return the start after the ``last`` run (None: the first), or None at the end of the search."""


InitialRange = Annotated[float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")]
Factor = Annotated[float, Field(ge=1, le=10, description="λ is multiplied by this at each restart")]
MostRestarts = Annotated[int, Field(ge=0, le=100, description="restarts with a growing population")]

EvaluatesInitialPoints = Annotated[bool, Field(description="x₀ of each run is evaluated before its samples")]


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
    evaluates_initial_points: EvaluatesInitialPoints = False

    def build(self, context: Context) -> RestartPlan:  # noqa: ARG002 one protocol
        """Return the plan of one strategy."""
        return GrowingPopulation(self)


class GrowingPopulation:
    """The sequence of starts: each at a new point, with archive and smoothed error kept."""

    evaluates_means = False

    def __init__(self, settings: IPOP) -> None:
        self.evaluates_initial_points = settings.evaluates_initial_points
        self._settings = settings
        self._restarts = -1

    def next(self, last: LastRun | None) -> Start | None:
        """Return the next start; see ``RestartPlan``."""
        s = self._settings
        place = (self._restarts + 1) % (s.max_restarts + 1)
        if last is not None and place == 0 and s.after_last_restart == "stop":
            return None
        self._restarts += 1
        return Start(s.population_factor**place)


class BIPOP(Part):
    """BIPOP (Hansen, GECCO workshops 2009): two kinds of restarts take turns, each with as many evaluations.

    In one the population grows as in IPOP; in the other it is small, and so is σ₀.
    """

    name: Literal["bipop"] = "bipop"
    initial_range: InitialRange = 4.0
    first_factor: Annotated[
        float,
        Field(ge=1, le=10, description="λ is multiplied by this in the first run and in no other, unless f is noisy"),
    ] = 1.0
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 9
    smallest_step: Annotated[
        float, Field(gt=0, le=1, description="least σ₀ of a small run, as a share of the first run's")
    ] = 0.01
    evaluates_initial_points: EvaluatesInitialPoints = False

    def build(self, context: Context) -> RestartPlan:
        """Return the plan of one strategy."""
        return TwoRegimes(self, context)


class TwoRegimes:
    """The sequence of starts: the regime that has used fewer evaluations is next, at first that of large populations.

    A small run has the population λ (½ λ_large/λ)^(u²), at least λ, and the step size σ₀ · smallest_step^v, with u and
    v uniform in [0, 1].
    """

    evaluates_means = False

    def __init__(self, settings: BIPOP, context: Context) -> None:
        self.evaluates_initial_points = settings.evaluates_initial_points
        self._settings = settings
        self._rng = context.rng
        # Under noise rankings do not settle, and f would evaluate most of a larger population.
        self._first = 1.0 if context.noisy else settings.first_factor
        self._large_runs = 0
        self._used = {True: 0, False: 0}  # evaluations of large and of small runs
        self._large: bool | None = None  # the last run; None: the first of all is neither

    def next(self, last: LastRun | None) -> Start:
        """Return the next start; see ``RestartPlan``."""
        s = self._settings
        if last is None:
            return Start(self._first)
        if self._large is not None:
            self._used[self._large] += last.evaluations
        self._large = self._used[True] <= self._used[False] and self._large_runs < s.max_restarts
        if self._large:
            self._large_runs += 1
            return Start(s.population_factor**self._large_runs)
        u, v = self._rng.uniform(size=2)
        growth = max(1.0, (0.5 * s.population_factor**self._large_runs) ** (u**2))
        return Start(growth, step=s.smallest_step**v)
