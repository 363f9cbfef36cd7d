"""sacma: surrogate-assisted CMA-ES, the optimizer and its COCO/BBOB benchmark harness."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sacma.algorithms.function import algorithm

__version__ = "0.1.0"

__all__ = ["algorithm"]

_LOCATIONS = {"algorithm": "sacma.algorithms.function"}
"""Modules of the public names, imported when a name is first used: the command line needs none of them."""


def __getattr__(name: str) -> Any:
    if name not in _LOCATIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOCATIONS[name]), name)
