"""Trials, scenarios and #FE_t by hand and by brute force."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sacma.analysis.trials import (
    best_delta_f,
    budgets_to_target,
    convergence_curves,
    evaluations_to_target,
    external_trials,
    fixed_budgets,
)
from sacma.coco.reader import CocoData, Curve
from tests.analysis.made import trial


def test_best_after() -> None:
    """Before the first evaluation inf, then the best so far, from the evaluation on at which it was found."""
    one = trial("A", 1, (3, 5.0), (10, 0.5))
    assert one.best_after(np.array([0, 2, 3, 9, 10, 1e9])).tolist() == [np.inf, np.inf, 5.0, 5.0, 0.5, 0.5]


def test_what_is_not_known_is_nan() -> None:
    """A foreign trial tells nothing beyond its end, unless it ended at the target."""
    curves = (
        Curve(1, 2, 1, 60, np.array([1.0, 50.0]), np.array([4.0, 1e-3])),
        Curve(1, 2, 2, 60, np.array([1.0, 50.0]), np.array([4.0, 1e-9])),
    )
    short, hit = external_trials("F", CocoData(curves, "F", (), {}), 1e-8)
    at = np.array([49.0, 60.0, 61.0])
    assert short.best_after(at).tolist() == pytest.approx([4.0, 1e-3, math.nan], nan_ok=True)
    assert hit.best_after(at).tolist() == [4.0, 1e-9, 1e-9]
    table = best_delta_f([short, hit], fixed_budgets([30, 40]))
    assert table["trial"].to_list() == [1, 1, 2, 2]
    assert table["delta_f"].to_list() == pytest.approx([1e-3, math.nan, 1e-8, 1e-8], nan_ok=True)


def test_the_quickest_algorithm_sets_the_budget() -> None:
    """The first to be there names #FE_t; where none is, it is the whole budget; a third is rounded down."""
    trials = [trial("A", 1, (100, 1e-9)), trial("B", 1, (70, 1e-8)), trial("A", 2, (1, 1.0)), trial("B", 2, (1, 1.0))]
    table = evaluations_to_target(trials, 250)
    assert table["evaluations"].to_list() == [70, 500]
    assert table["algorithm"].to_list() == ["B", ""]
    third, whole = budgets_to_target(table)
    assert [third.evaluations(2, f) for f in (1, 2)] == [23, 166]
    assert [whole.evaluations(2, f) for f in (1, 2)] == [70, 500]
    assert evaluations_to_target(trials, 30)["evaluations"].to_list() == [60, 60]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=9), st.integers(1, 250))
def test_evaluations_to_target_by_brute_force(hits: list[int], budget: int) -> None:
    """The smallest number of evaluations at which the median over trials is at the target, tried one by one."""
    trials = [trial("A", 1, (1, 1.0), (hit + 1, 1e-9)) for hit in hits]
    found = evaluations_to_target(trials, budget)["evaluations"].to_list()
    at_target = (n for n in range(1, 2 * budget + 1) if np.median([1e-8 if h + 1 <= n else 1.0 for h in hits]) <= 1e-8)
    assert found == [next(at_target, 2 * budget)]


def test_convergence_is_median_and_quartiles() -> None:
    """At each number of evaluations quantiles, on the log scale, of what trials have found; the last at the budget."""
    rng = np.random.default_rng(1)
    trials = [
        trial("A", 3, *((int(at), 10.0**-k) for k, at in enumerate(np.sort(rng.choice(499, 6, replace=False)) + 1)))
        for _ in range(7)
    ]
    table = convergence_curves(trials, 250)
    assert table["evaluations"].iloc[-1] == 500
    last = table.iloc[-1]
    logs = np.log10([t.to[-1] for t in trials])
    assert np.log10(last[["lower_quartile", "median", "upper_quartile"]].to_numpy(float)) == pytest.approx(
        np.quantile(logs, [0.25, 0.5, 0.75])
    )
    assert (table["lower_quartile"] <= table["median"]).all()
    assert len(convergence_curves([], 250)) == 0
    assert isinstance(convergence_curves([], 250), pd.DataFrame)
