"""pycma, loaded without the modules that a run does not need, and with its randomness and files under our control."""

import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any

import numpy as np

from sacma.types import Array

DEFERRED = ("cma.s", "cma.fitness_models")  # modules of pycma that import Matplotlib and scipy.stats


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


def contained_options(rng: np.random.Generator) -> dict[str, Any]:
    """Return options that make pycma sample from ``rng``, print nothing and touch no file."""
    return {
        "seed": np.nan,  # leaves NumPy's global generator alone …
        "randn": lambda *shape: rng.standard_normal(shape),  # … and samples from ours
        "signals_filename": "",  # no option file from the working directory
        "verbose": -10,
        "verb_log": 0,
        "verb_disp": 0,
    }


def limited_in_1d(sigma0: float, box: tuple[Array, Array], options: dict[str, Any], share: float) -> float:
    """Return σ₀ of a run in one dimension: there pycma raises instead of limiting it to a share of the box."""
    options["maxstd"] = np.inf
    return min(sigma0, float(box[1][0] - box[0][0]) * share)


@cache
def bound_penalty() -> Any:
    """Return pycma's penalty of points outside a box, with the same numbers in less time.

    pycma's ``BoundPenalty`` repairs and penalises coordinate by coordinate, and each point several times a generation.
    """
    base: Any = pycma().BoundPenalty

    class BoundPenalty(base):  # type: ignore[misc]
        """``cma.BoundPenalty`` with another ``repair`` and another penalty."""

        def __init__(self, bounds: Any = None) -> None:
            super().__init__(bounds)
            self._sides: tuple[Array, Array] | None = None

        def repair(self, x: Array, copy_if_changed: bool = True) -> Array:  # noqa: FBT001, FBT002 pycma's signature
            """Return ``x``, shape (D,) or (n, D), with each coordinate outside the box on its border."""
            if self._sides is None:
                D = np.shape(x)[-1]
                self._sides = self.get_bounds("lower", D), self.get_bounds("upper", D)
            lower, upper = self._sides
            point = np.asarray(x)
            # Of two zeros the bound, as Python's max and min of (bound, x) return the first of equals.
            repaired = np.where(point > lower, point, lower)
            repaired = np.where(repaired < upper, repaired, upper)
            if copy_if_changed:
                return repaired
            x[:] = repaired
            return x

        def __call__(self, x: Any, archive: Any, gp: Any) -> Any:  # noqa: ARG002 pycma's signature
            """Return the penalties of points, shape (λ, D): nothing is scaled or fixed, so that they are as sampled."""
            points = np.asarray(x)
            terms = self.gamma * (self.repair(points) - points) ** 2
            # In the order of Python's sum; NumPy's has another from eight coordinates on.
            return sum(terms.T) / points.shape[1]

    return BoundPenalty
