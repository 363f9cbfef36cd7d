"""Resamples of the trials behind the paper's claims.

A resample draws functions with replacement, and for each algorithm and function as many trials as there are of it, with
replacement, each algorithm's on their own: as ``agreement`` does for its interval of ρ. A function that is drawn counts
in all dimensions and budgets, and one that is drawn twice has the same trials both times, which lets chance do rather
too much than too little. Where a claim is of a single function, trials alone are drawn. #FE_t stays as it is.

Every draw has a generator of its own, by what it is of: it is the same at each call, for each quantity of the same
trials, and whatever other algorithms, functions and dimensions there are.

    R        resamples
    A        algorithms
    F        functions
    n        trials of an algorithm on a function
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from sacma.analysis.tables import CLOSE, PLACE
from sacma.analysis.trials import ROUNDING
from sacma.coco.suites import BBOB
from sacma.types import Array

RESAMPLES = 1000
UNKNOWN: Array = np.full(1, np.nan)


@dataclass(frozen=True)
class Resamples:
    """Quantities of claims in each resample; a missing one is unknown."""

    # Mean ranks by dimension, scenario and algorithm, each of shape (R,).
    ranks: Mapping[tuple[int, str, str], Array] = field(default_factory=dict)
    # Proportions of targets by dimension, group of functions, algorithm and evaluations/D, each of shape (R,).
    proportions: Mapping[tuple[int, str, str, float], Array] = field(default_factory=dict)
    # Median control frequencies by dimension, function and algorithm, each of shape (R,).
    control: Mapping[tuple[int, int, str], Array] = field(default_factory=dict)

    def rank(self, dimension: int, scenario: str, algorithm: str) -> Array:
        """Return mean ranks, shape (R,), or one NaN."""
        return self.ranks.get((dimension, scenario, algorithm), UNKNOWN)

    def proportion(self, dimension: int, group: str, algorithm: str, budget: float) -> Array:
        """Return proportions of targets after a budget, in evaluations/D, shape (R,), or one NaN."""
        return self.proportions.get((dimension, group, algorithm, budget), UNKNOWN)

    def control_frequency(self, dimension: int, function: int, algorithm: str) -> Array:
        """Return median control frequencies, shape (R,), or one NaN."""
        return self.control.get((dimension, function, algorithm), UNKNOWN)


def drawn_functions(functions: Sequence[int]) -> NDArray[np.int64]:
    """Return the number of draws of each of F functions in each resample, shape (R, F)."""
    rng = np.random.default_rng(list(functions))
    return rng.multinomial(len(functions), np.full(len(functions), 1 / len(functions)), size=RESAMPLES)


def drawn_trials(dimension: int, function: int, algorithm: str, trials: int) -> NDArray[np.int64]:
    """Return the positions of the drawn trials in each resample, shape (R, n)."""
    rng = np.random.default_rng([dimension, function, *algorithm.encode()])
    return rng.integers(trials, size=(RESAMPLES, trials))


def ranks_among(medians: Array) -> Array:
    """Return ranks, shape (…, A, F), of log10 Δf_med of the same shape: the lowest is 1, ties share their ranks."""
    ranks: Array = rankdata(np.round(medians / CLOSE) * CLOSE, axis=-2)
    return ranks


def resampled_ranks(best: pd.DataFrame) -> dict[tuple[int, str, str], Array]:
    """Return mean ranks, as in ``Resamples``, from the best Δf of each trial, as from ``best_delta_f``.

    They are over the functions on which Δf is known of all trials of all algorithms.
    """
    found: dict[tuple[int, str, str], Array] = {}
    for place, rows in best.groupby(PLACE, sort=False):
        D, scenario = cast("tuple[int, str]", place)
        algorithms = list(rows["algorithm"].unique())
        cells = {
            cast("tuple[int, str]", cell): np.log10(of.sort_values("trial")["delta_f"].to_numpy(float))
            for cell, of in rows.groupby(["function", "algorithm"])
        }
        functions = [
            f for f in sorted(rows["function"].unique()) if _known([cells.get((f, name)) for name in algorithms])
        ]
        if not functions:
            continue
        medians = np.empty((RESAMPLES, len(algorithms), len(functions)))
        for a, name in enumerate(algorithms):
            for n, f in enumerate(functions):
                logs = cells[f, name]
                medians[:, a, n] = np.median(logs[drawn_trials(D, f, name, logs.size)], axis=1)
        means = np.einsum("raf,rf->ra", ranks_among(medians), drawn_functions(functions)) / len(functions)
        found |= {(D, scenario, name): mean for name, mean in zip(algorithms, means.round(9).T, strict=True)}
    return found


def _known(logs: Iterable[Array | None]) -> bool:
    return all(of is not None and not np.isnan(of).any() for of in logs)


def resampled_proportions(
    lengths: Iterable[pd.DataFrame], budgets: Sequence[float]
) -> dict[tuple[int, str, str, float], Array]:
    """Return proportions of targets, as in ``Resamples``, from run lengths, as from ``run_lengths``.

    A proportion is over pairs of a function and a target, the mean over trials: what the distribution of run lengths
    is up to the end of the trials, without restarts. The functions of each group are drawn by themselves.
    """
    found: dict[tuple[int, str, str, float], Array] = {}
    for of_dimension in lengths:
        D = int(of_dimension["dimension"].iloc[0])
        limits = np.floor(np.asarray(budgets, float) * D + ROUNDING)
        for name, rows in of_dimension.groupby("algorithm", sort=False):
            targets: dict[int, int] = {}
            reached: dict[int, Array] = {}  # how many of them, by function, each of shape (R, budgets)
            for function, of in rows.sort_values(["trial", "k"]).groupby("function"):
                f, T = cast("int", function), of["k"].nunique()
                counts = (of["reached"].to_numpy().reshape(-1, T, 1) <= limits).sum(axis=1)
                drawn = drawn_trials(D, f, str(name), len(counts))
                targets[f], reached[f] = T, counts[drawn].mean(axis=1)
            for group, functions in BBOB.groups.items():
                there = [f for f in functions if f in targets]
                if there:
                    times = drawn_functions(there)
                    sums = np.einsum("frb,rf->br", [reached[f] for f in there], times)
                    shares = sums / (times @ [targets[f] for f in there])
                    found |= {(D, group, str(name), at): of for at, of in zip(budgets, shares, strict=True)}
    return found


def resampled_control(costs: pd.DataFrame) -> dict[tuple[int, int, str], Array]:
    """Return median control frequencies, as in ``Resamples``, from costs of trials, as from ``trial_costs``.

    Medians are over the trials with model-evaluated generations, NaN in resamples without any.
    """
    found = {}
    for cell, rows in costs.groupby(["dimension", "function", "algorithm"], sort=False):
        D, f, name = cast("tuple[int, int, str]", cell)
        ratios = rows.sort_values("instance")["control_frequency"].to_numpy(float)
        drawn = np.sort(ratios[drawn_trials(D, f, name, ratios.size)], axis=1)  # those without a model, inf, behind
        known = np.isfinite(drawn).sum(axis=1)
        middle = np.stack([np.maximum(known - 1, 0) // 2, known // 2], axis=1)
        medians = np.take_along_axis(drawn, middle, axis=1).mean(axis=1)
        found[D, f, name] = np.where(known > 0, medians, np.nan)
    return found
