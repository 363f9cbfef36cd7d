"""Checks of what parts return, which can be of a user's own: wrong values would show much later, or never."""

from typing import Any

import numpy as np

from sacma.surrogate.training_set import Indices
from sacma.types import Array

MOST_WITHOUT = 10_000
"""Generations, or requests of a start, in a row without an evaluation of f: a thousand are the most of sacma's own."""


def points_of(part: object, points: Any, dimension: int) -> Array:
    """Return points, shape (n, D); raise ValueError for others than finite ones."""
    X = np.asarray(points, dtype=float)
    if X.ndim != 2 or X.shape[1] != dimension or not np.isfinite(X).all():  # noqa: PLR2004 a matrix
        given = f"points of shape {X.shape}" if np.isfinite(X).all() else "points that are not finite"
        raise ValueError(f"{type(part).__name__} gave {given}; allowed: finite ones, shape (n, {dimension})")
    return X


def ranking_values_of(part: object, values: Any, size: int) -> Array:
    """Return the values that rank a population, shape (λ,); raise ValueError for any other number of them, or NaN."""
    y = np.asarray(values, dtype=float)
    if y.shape != (size,) or np.isnan(y).any():
        given = f"values of shape {y.shape}" if y.shape != (size,) else f"NaN for {np.isnan(y).sum()} points"
        raise ValueError(
            f"{type(part).__name__} ranked a population by {given}; allowed: {size} numbers, none of them NaN"
        )
    return y


def worths_of(part: object, worths: Any, size: int) -> Array:
    """Return the worth of each point of a population, shape (λ,); raise ValueError for another number, or only NaN."""
    w = np.asarray(worths, dtype=float)
    if w.shape != (size,) or np.isnan(w).all():
        given = f"shape {w.shape}" if w.shape != (size,) else "NaN alone"
        raise ValueError(f"{type(part).__name__} gave worths of {given}; allowed: {size} numbers, one a point")
    return w


def indices_of(indices: Any, size: int) -> Indices:
    """Return indices of points of a population; raise ValueError for what are none, or not each once."""
    kept = np.asarray(indices)
    if kept.shape == (0,):
        return np.empty(0, dtype=np.intp)
    whole = kept.ndim == 1 and kept.dtype.kind == "i"
    if not whole or kept.min() < 0 or kept.max() >= size or len(set(kept.tolist())) < len(kept):
        raise ValueError(f"f is to evaluate points {indices!r}; allowed: indices from 0 to {size - 1}, each once")
    return kept


class Patience:
    """Raises ValueError when a part lets too much pass without an evaluation of f: it would go on for ever."""

    def __init__(self, part: object, what: str) -> None:
        self._part, self._what = type(part).__name__, what
        self._evaluations, self._passed = 0, 0

    def passes(self, evaluations: int) -> None:
        """Take note of another step, after which so many points have been evaluated with f in all."""
        self._passed = self._passed + 1 if evaluations == self._evaluations else 0
        self._evaluations = evaluations
        if self._passed > MOST_WITHOUT:
            raise ValueError(f"{self._part}: {MOST_WITHOUT} {self._what} in a row without an evaluation of f")
