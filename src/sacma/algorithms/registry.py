"""The algorithms that a config can name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from sacma.algorithms.problem import Problem
from sacma.errors import SacmaError
from sacma.strategy.settings import (
    AdaptiveSCMAESSettings,
    CMAESSettings,
    DTSSettings,
    ForestSCMAESSettings,
    SCMAESSettings,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Minimize = Callable[[Problem, Any, np.random.Generator], None]
"""An algorithm: minimises a problem with its settings and its own random numbers."""


@dataclass(frozen=True)
class Algorithm:
    """An entry of the registry.

    Args:
        summary: one line for people.
        settings: what validates its settings.
        location: ``module:function``, imported only where the algorithm runs.
        preparation: idem, of what a process does once before its first trial, and outside of its time; or empty.
        needs: a module that it imports, and the extra of sacma that brings it; or None.
    """

    summary: str
    settings: type[BaseModel]
    location: str
    preparation: str = ""
    needs: tuple[str, str] | None = None

    def check(self) -> None:
        """Complain where something is not installed that the algorithm needs.

        Raises:
            SacmaError: what, and how to install it.
        """
        if self.needs is not None and find_spec(self.needs[0]) is None:
            module, extra = self.needs
            raise SacmaError(
                f"{self.summary}: {module} is not installed; install it with: pip install 'sacma[{extra}]'"
            )

    def load(self) -> Minimize:
        """Import and return the algorithm.

        Raises:
            SacmaError: it needs something that is not installed.
        """
        self.check()
        function: Minimize = _named(self.location)
        return function

    def prepare(self) -> None:
        """Do what comes before the first trial of a process."""
        if self.preparation:
            _named(self.preparation)()


def _named(location: str) -> Any:
    module, _, name = location.partition(":")
    return getattr(import_module(module), name)


ENTRY_POINTS = "sacma.algorithms"
"""Group of entry points by which an installed package adds algorithms: each names an ``Algorithm``."""


class Registry(Mapping[str, Algorithm]):
    """Algorithms by name: our own, and what installed packages add; those are looked for when they are needed."""

    def __init__(self, own: Mapping[str, Algorithm]) -> None:
        self._own = own

    def __getitem__(self, name: str) -> Algorithm:
        if name in self._own:
            return self._own[name]
        entry = self._added[name]
        try:
            algorithm = entry.load()
        except Exception as error:
            raise SacmaError(
                f"algorithm {name}, from {entry.value}, cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(algorithm, Algorithm):
            raise SacmaError(f"algorithm {name}, from {entry.value}, is not a sacma.algorithms.registry.Algorithm")
        return algorithm

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *(name for name in self._added if name not in self._own)])

    def __len__(self) -> int:
        return len(self._own.keys() | self._added.keys())

    @cached_property
    def _added(self) -> "Mapping[str, EntryPoint]":
        from importlib.metadata import entry_points  # noqa: PLC0415 most configs need none of it

        return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


ALGORITHMS = Registry(
    {
        "cmaes": Algorithm("CMA-ES with IPOP restarts", CMAESSettings, "sacma.algorithms.cma:minimize"),
        "scmaes": Algorithm(
            "S-CMA-ES: Gaussian-process surrogate, constant number of model-evaluated generations",
            SCMAESSettings,
            "sacma.algorithms.cma:minimize",
            "sacma.surrogate.gaussian_process:load_compiled_code",
        ),
        "ascmaes": Algorithm(
            "A-S-CMA-ES: the number of model-evaluated generations adapts to the model's error",
            AdaptiveSCMAESSettings,
            "sacma.algorithms.cma:minimize",
            "sacma.surrogate.gaussian_process:load_compiled_code",
        ),
        "dts-cma-es": Algorithm(
            "DTS-CMA-ES: f evaluates the points of which the model is least sure, a second model the others",
            DTSSettings,
            "sacma.algorithms.cma:minimize_doubly_trained",
            "sacma.strategy.uncertainty:load_compiled_code",
        ),
        "forest-scmaes": Algorithm(
            "S-CMA-ES with a random forest in place of the Gaussian process",
            ForestSCMAESSettings,
            "sacma.algorithms.cma:minimize",
            "sacma.surrogate.random_forest:load_libraries",
            needs=("sklearn", "forest"),
        ),
    }
)
