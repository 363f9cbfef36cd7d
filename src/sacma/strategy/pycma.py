"""pycma, loaded without what a run does not need."""

import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any

DEFERRED = ("cma.s", "cma.fitness_models")
"""Modules of pycma that import Matplotlib and scipy.stats."""


class _Deferring:
    """A finder of modules that are loaded when they are first used."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in DEFERRED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@cache
def pycma() -> Any:
    """Return the package ``cma``; those of its modules that import much are loaded when they are first used."""
    finder = _Deferring()
    sys.meta_path.insert(0, finder)
    try:
        import cma  # noqa: PLC0415 slow to import, and here only
    finally:
        sys.meta_path.remove(finder)
    return cma


class NoSolutions(dict[Any, Any]):
    """Stands for an archive of pycma, and keeps nothing.

    pycma archives the points that it returned and was told, to find the sampled point of a repaired or transformed
    one, which takes long. ``sacma.strategy.cma_es`` knows sampled points itself.
    """

    def insert(self, *_: Any, **__: Any) -> None:
        """Keep nothing."""

    def truncate_to(self, _: int) -> None:
        """Do nothing."""

    def get(self, _: Any, default: Any = None) -> Any:
        """Return the default."""
        return default

    def pop(self, _: Any, default: Any = None) -> Any:
        """Return the default."""
        return default

    def __getitem__(self, key: Any) -> Any:
        """Raise ``KeyError``."""
        raise KeyError(key)
