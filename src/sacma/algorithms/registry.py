"""The algorithms that a config can name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from pydantic import BaseModel

from sacma.algorithms.problem import Problem
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SCMAESSettings

Minimize = Callable[[Problem, Any, np.random.Generator], None]
"""An algorithm: minimises a problem with its settings and its own random numbers."""


@dataclass(frozen=True)
class Algorithm:
    """An entry of the registry.

    Args:
        summary: one line for people.
        settings: what validates its settings.
        location: ``module:function``, imported only where the algorithm runs.
    """

    summary: str
    settings: type[BaseModel]
    location: str

    def load(self) -> Minimize:
        """Import and return the algorithm."""
        module, _, name = self.location.partition(":")
        function: Minimize = getattr(import_module(module), name)
        return function


ALGORITHMS: Mapping[str, Algorithm] = {
    "cmaes": Algorithm("CMA-ES with IPOP restarts", CMAESSettings, "sacma.algorithms.cma:minimize"),
    "scmaes": Algorithm(
        "S-CMA-ES: Gaussian-process surrogate, constant number of model-evaluated generations",
        SCMAESSettings,
        "sacma.algorithms.cma:minimize",
    ),
    "ascmaes": Algorithm(
        "A-S-CMA-ES: the number of model-evaluated generations adapts to the model's error",
        AdaptiveSCMAESSettings,
        "sacma.algorithms.cma:minimize",
    ),
}
