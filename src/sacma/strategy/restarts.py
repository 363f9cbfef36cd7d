"""Restarts of CMA-ES: after a run has stopped, another begins elsewhere, with a larger population or a smaller σ₀."""

import itertools
import math
from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, ClassVar, Literal, Protocol

import numpy as np
from pydantic import Field

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


@dataclass(frozen=True)
class LastRun:
    """A run that has stopped."""

    evaluations: int  # by f
    initial_point: Array  # x₀, shape (D,)
    mean: Array  # its final mean, shape (D,)
    value_at_mean: float = math.inf  # where means are evaluated
    recent_best: tuple[Array, float] = (np.empty(0), math.inf)  # of its last population, as f sees it, and its value


# Yields the start of each run, and receives the run when it has stopped; ends where the search does.
Starts = Generator[Start, LastRun, None]


class Restarts(Protocol):
    """Decides on the start of each run.

    With ``evaluates_initial_points`` x₀ is evaluated before each run, unless its value is known, and models learn from
    it. With ``evaluates_means`` the mean is evaluated before and after each run, and no model sees that.
    """

    initial_range: float
    evaluates_initial_points: bool
    evaluates_means: bool

    def starts(self, context: Context) -> Starts:
        """Return the starts of one strategy."""


InitialRange = Annotated[float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")]
Factor = Annotated[float, Field(ge=1, le=10, description="λ is multiplied by this at each restart")]
MostRestarts = Annotated[int, Field(ge=0, le=100, description="restarts with a growing population")]


class _RestartSettings(Part):
    """Settings of all kinds."""

    initial_range: InitialRange = 4.0
    population_factor: Factor = 2.0
    evaluates_initial_points: Annotated[bool, Field(description="x₀ is evaluated before its samples")] = False
    evaluates_means: ClassVar[bool] = False


class IPOP(_RestartSettings):
    """IPOP (Auger and Hansen, CEC 2005): the population grows at each of ``max_restarts`` restarts.

    Each run begins at a new point, with archive and smoothed error kept.
    """

    name: Literal["ipop"] = "ipop"
    max_restarts: MostRestarts = 4
    after_last_restart: Annotated[
        Literal["start_over", "stop"],
        Field(description="after the last restart: begin with the first population size again, or stop"),
    ] = "start_over"

    def starts(self, context: Context) -> Starts:  # noqa: ARG002 one protocol
        """Return the starts; see ``Restarts``."""
        places = range(self.max_restarts + 1)
        for place in itertools.cycle(places) if self.after_last_restart == "start_over" else places:
            yield Start(self.population_factor**place)


class BIPOP(_RestartSettings):
    """BIPOP (Hansen, GECCO workshops 2009): two kinds of restarts take turns, each with as many evaluations.

    In one the population grows as in IPOP; in the other it is small, and so is σ₀: λ (½ λ_large/λ)^(u²), at least λ,
    and σ₀ · smallest_step^v, with u and v uniform in [0, 1]. The kind that has used fewer evaluations is next, at first
    that of large populations.
    """

    name: Literal["bipop"] = "bipop"
    first_factor: Annotated[float, Field(ge=1, le=10, description="multiplies λ in the first run alone")] = 1.0
    max_restarts: MostRestarts = 9
    smallest_step: Annotated[float, Field(gt=0, le=1, description="least σ₀ of a small run/σ₀ of the first")] = 0.01

    def starts(self, context: Context) -> Starts:
        """Return the starts; see ``Restarts``."""
        # Under noise rankings do not settle, and f would evaluate most of a larger population.
        yield Start(1.0 if context.noisy else self.first_factor)  # the first run of all is neither
        large_runs, used = 0, {True: 0, False: 0}  # evaluations of large and of small runs
        while True:
            large = used[True] <= used[False] and large_runs < self.max_restarts
            if large:
                large_runs += 1
                start = Start(self.population_factor**large_runs)
            else:
                u, v = context.rng.uniform(size=2)
                growth = max(1.0, (0.5 * self.population_factor**large_runs) ** (u**2))
                start = Start(growth, step=self.smallest_step**v)
            used[large] += (yield start).evaluations
