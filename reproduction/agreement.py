"""Agreement of mean ranks with the paper's, and the agreement that chance allows.

Mean ranks are over functions, of medians over trials, one on each instance. Two intervals show the influence of chance.
The first resamples functions and trials. The second compares two experiments like ours on the same functions, each on
other instances: each algorithm's trials on a function are drawn, with replacement, from ours. Instances and random
numbers cannot be separated, with one trial an instance. A repetition on the same instances, as ours is of the paper's,
should therefore agree better.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reproduction.resampling import ranks_among
from sacma.analysis.tables import PLACE
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


def agreements(correlations: pd.DataFrame, beside: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """Return correlations with intervals, in each of the paper's ten scenarios.

    Args:
        correlations: as from ``correlations`` of ``sacma.analysis.published``.
        beside: as from ``mean_ranks_beside``.
        best: best Δf of the trials behind it, as from ``best_delta_f``, of functions that all algorithms have.

    Returns:
        The correlations, with columns rho_low and rho_high, a 95 % bootstrap interval over functions and instances;
        repeated_rho and repeated_difference, which two experiments like ours, each on other instances of the same
        functions, would reach in 95 of 100 cases. NaN where ρ is, or where algorithms differ in numbers of trials.
    """
    rows = []
    for D, scenario, rho in correlations[[*PLACE, "spearman_rho"]].itertuples(index=False):
        group, there = (frame[(frame["dimension"] == D) & (frame["scenario"] == scenario)] for frame in (beside, best))
        logs = there.assign(log=np.log10(there["delta_f"])).pivot_table(
            index="algorithm", columns=["function", "trial"], values="log", dropna=False
        )
        logs = logs.reindex(group["algorithm"]).dropna(axis="columns")
        found: tuple[float, ...] = (np.nan,) * 4
        functions = group["functions"].iloc[0]
        trials = Counter(logs.columns.get_level_values("function"))
        if not np.isnan(rho) and len(trials) == functions and len(set(trials.values())) == 1:
            values = logs.to_numpy().reshape(len(logs), functions, -1)
            rng = np.random.default_rng([D, *str(scenario).encode()])
            with_paper = agreement(values, group["paper"].to_numpy(), rng)
            found = with_paper.low, with_paper.high, with_paper.least_rho, with_paper.most_difference
        rows.append(found)
    columns = ["rho_low", "rho_high", "repeated_rho", "repeated_difference"]
    return correlations.join(pd.DataFrame(rows, columns=columns, index=correlations.index))


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
    """Return medians of resampled trials, shape (resamples, algorithms, functions)."""
    drawn = rng.integers(logs.shape[2], size=(RESAMPLES, *logs.shape))
    medians: Array = np.median(np.take_along_axis(logs[None], drawn, axis=3), axis=3)
    return medians


def _mean_ranks(medians: Array) -> Array:
    """Return mean ranks, shape (…, algorithms), of medians, shape (…, algorithms, functions)."""
    mean: Array = ranks_among(medians).mean(axis=-1)
    return mean


def _spearman(a: Array, b: Array) -> Array:
    """Return Spearman's ρ along the last axis; NaN for constant input."""
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
