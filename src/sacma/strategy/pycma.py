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
