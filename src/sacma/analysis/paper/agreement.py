"""Agreement of mean ranks with the paper's, and how good it could be at all.

Mean ranks are over functions, of medians over trials, one on each instance: of other functions, on other instances and
with other random numbers they would be others. Two intervals say by how much. The first resamples our functions and
trials. The second asks how well two experiments like ours agree with each other, both on our functions, each on other
instances: in both each algorithm's trials on a function are drawn, with replacement, from ours. With one trial an
instance, what instances contribute and what random numbers do cannot be told apart. So these are not the bounds of a
repetition on the same instances, as ours is of the paper's: that should agree better, by how much is not known.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from sacma.analysis.paper.resampling import ranks_among
from sacma.types import Array

RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Agreement:
    """Agreement with the paper's mean ranks in one scenario."""

    rho: float  # Spearman's, of the mean ranks
    difference: float  # root mean square of the differences of mean ranks
    low: float  # of rho, 95 % bootstrap interval over functions and instances
    high: float
    least_rho: float  # of two experiments on our functions and other instances in 95 of 100 cases, or a larger one
    most_difference: float  # the same of the difference, or a smaller one


def agreement(logs: Array, paper: Array, rng: np.random.Generator) -> Agreement:
    """Compare our mean ranks with the paper's.

    Args:
        logs: log10 of the best Δf of each trial, shape (algorithms, functions, instances).
        paper: its mean ranks, shape (algorithms,).
        rng: of the resampling.
    """
    functions = logs.shape[1]
    ours = _mean_ranks(np.median(logs, axis=2))
    chosen = rng.integers(functions, size=(RESAMPLES, 1, functions))
    resampled = _mean_ranks(np.take_along_axis(_medians(logs, rng), chosen, axis=2))
    low, high = _quantiles(_spearman(resampled, paper), (1 - LEVEL) / 2, (1 + LEVEL) / 2)
    once, again = (_mean_ranks(_medians(logs, rng)) for _ in range(2))
    (least,) = _quantiles(_spearman(once, again), 1 - LEVEL)
    (most,) = _quantiles(_distance(once, again), LEVEL)
    rho, difference = float(_spearman(ours, paper)), float(_distance(ours, paper))
    return Agreement(rho, difference, low, high, least, most)


def _medians(logs: Array, rng: np.random.Generator) -> Array:
    """Return medians of trials drawn with replacement, shape (resamples, algorithms, functions), each on its own."""
    drawn = rng.integers(logs.shape[2], size=(RESAMPLES, *logs.shape))
    medians: Array = np.median(np.take_along_axis(logs[None], drawn, axis=3), axis=3)
    return medians


def _mean_ranks(medians: Array) -> Array:
    """Return mean ranks, shape (…, algorithms), of medians, shape (…, algorithms, functions)."""
    mean: Array = ranks_among(medians).mean(axis=-1)
    return mean


def _spearman(a: Array, b: Array) -> Array:
    """Return Spearman's ρ along the last axis; NaN where all of one are equal."""
    x, y = (rankdata(np.round(of, 9), axis=-1) for of in (a, b))
    x, y = (of - of.mean(axis=-1, keepdims=True) for of in (x, y))
    with np.errstate(invalid="ignore"):
        rho: Array = (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    return rho


def _distance(a: Array, b: Array) -> Array:
    distance: Array = np.sqrt(np.mean((a - b) ** 2, axis=-1))
    return distance


def _quantiles(values: Array, *at: float) -> list[float]:
    return [float(value) for value in np.nanquantile(values, at)]
