"""The settings of the baselines: names, ranges and defaults.

The defaults are those of whoever published the algorithm; where that is silent, those of the study, so that what
differs between two algorithms is the algorithm. Importing this module is cheap: nothing here needs pycma or SciPy.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sacma.strategy.cma_es import ActiveUpdate, PopulationSize, StepSize
from sacma.strategy.restarts import Factor, InitialRange, MostRestarts


class RestartSettings(BaseModel):
    """Settings of variants of CMA-ES that pycma runs with restarts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sigma0: StepSize = 8.0 / 3.0
    initial_range: InitialRange = 4.0
    population_size: PopulationSize = None
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4
    active: ActiveUpdate = False


class LQSettings(RestartSettings):
    """lq-CMA-ES (Hansen, GECCO 2019) with IPOP restarts, as pycma has it."""

    active: ActiveUpdate = True
    inject: Annotated[bool, Field(description="the optimum of the surrogate takes part in the next population")] = True


class BIPOPSettings(RestartSettings):
    """BIPOP-CMA-ES (Hansen, BBOB 2009)."""

    sigma0: StepSize = 2.0
    max_restarts: MostRestarts = 9


class LocalSearchSettings(BaseModel):
    """A local search of SciPy with restarts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    method: Annotated[
        Literal["nelder_mead", "powell", "cobyqa", "lbfgsb"],
        Field(description="of scipy.optimize.minimize; the gradients of lbfgsb are forward differences, all counted"),
    ]
    initial_range: Annotated[
        float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")
    ] = 4.0
    tolerance: Annotated[float, Field(gt=0, le=1, description="tol: where a run has converged, and another begins")] = (
        1e-11
    )
    within_box: Annotated[bool, Field(description="search inside the problem's box only")] = False


class RandomSearchSettings(BaseModel):
    """Random search has no settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
