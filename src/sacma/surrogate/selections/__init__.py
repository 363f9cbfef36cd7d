"""Registry of training-set selections, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

SELECTIONS = kinds(
    "sacma.surrogate.selections.recent:Recent",
    "sacma.surrogate.selections.nearest:Nearest",
    "sacma.surrogate.selections.kmeans:KMeans",
)
"""Settings by name; each is a ``Selection``."""

if TYPE_CHECKING:
    AnySelection = Any
else:
    AnySelection = one_of(SELECTIONS, "recent")
