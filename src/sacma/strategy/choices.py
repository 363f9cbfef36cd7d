"""What a setting can choose by name, and where it is: a line here makes something new a choice everywhere.

Names are what configs, sweeps, the reference and errors know; importing this module is cheap.
"""

from collections.abc import Mapping

MODEL_ERRORS: Mapping[str, str] = {
    "kendall": "sacma.strategy.model_error:kendall_error",
    "ranking_difference": "sacma.strategy.model_error:ranking_difference_error",
    "kullback_leibler": "sacma.strategy.model_error:kullback_leibler_error",
}
"""Error measures: functions from the settings to a ``ModelError``, called once an optimizer."""

SELECTIONS: Mapping[str, str] = {
    "recent": "sacma.surrogate.training_set:RECENT",
    "nearest": "sacma.surrogate.training_set:NEAREST",
    "kmeans": "sacma.surrogate.training_set:KMEANS",
}
"""Which n_max of more candidates a model is trained on: each a ``Selection``."""
