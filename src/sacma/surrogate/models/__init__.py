"""Registry of models, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

MODELS = kinds(
    "sacma.surrogate.models.gaussian_process:GaussianProcessModel",
    "sacma.surrogate.models.warped_process:WarpedProcessModel",
    "sacma.surrogate.models.quadratic_process:QuadraticProcessModel",
    "sacma.surrogate.models.competition:Competition",
    "sacma.surrogate.models.random_forest:RandomForestModel",
    "sacma.surrogate.as_run:GaussianProcessAsRun",
)
"""Settings by name."""

if TYPE_CHECKING:
    AnyModel = Any
else:
    AnyModel = one_of(MODELS, "gaussian-process")
