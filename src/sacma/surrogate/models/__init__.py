"""Kinds of models: a line here makes a file of this folder a choice of ``model`` in configs."""

from sacma.surrogate.part import kinds

MODELS = kinds(
    "sacma.surrogate.models.gaussian_process:GaussianProcessModel",
    "sacma.surrogate.models.random_forest:RandomForestModel",
    "sacma.surrogate.as_run:GaussianProcessAsRun",
)
"""Settings by name."""
