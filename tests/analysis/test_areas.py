"""Areas under run-length curves: by brute force, with intervals as those of resampled instances."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.areas import areas, trial_areas
from sacma.analysis.trials import Trial
from tests.analysis.made import trial
from tests.commands import refusal, reported, sacma
from tests.conftest import CONFIGS

BUDGET = 20.0


def some_trials(instances: int = 6) -> list[Trial]:
    rng = np.random.default_rng(1)
    found = []
    for function in range(1, 9):
        for _ in range(instances):
            at = np.sort(rng.choice(np.arange(2.0, 41.0), 12, replace=False))
            steps = zip([1.0, *at], np.geomspace(1e3, 10.0 ** rng.uniform(-9, 1), 13), strict=True)
            found.append(trial("A", function, *steps, D=2, ended=40))
    return found


def test_by_brute_force() -> None:
    """The share of pairs of a target and a budget at which the best value so far is at the target."""
    trials = some_trials()
    budgets = [2 * BUDGET ** (i / 59) for i in range(60)]
    targets = [10 ** (2 - i / 5) for i in range(51)]
    for one, area in zip(trials, trial_areas(trials, BUDGET), strict=True):
        best = [min(f for n, f in zip(one.at, one.to, strict=True) if n <= budget * (1 + 1e-12)) for budget in budgets]
        reached = [f <= target * (1 + 1e-12) for f in best for target in targets]
        assert area == pytest.approx(sum(reached) / len(reached))


def test_intervals_are_those_of_resampled_instances() -> None:
    """Means over functions, of as many trials as there are, drawn with replacement within each function."""
    trials = some_trials(15)
    (row,) = areas(trials, BUDGET).to_dict("records")
    values = trial_areas(trials, BUDGET).reshape(8, 15)
    assert row["area"] == pytest.approx(values.mean())
    assert (row["functions"], row["trials"]) == (8, 120)
    drawn = np.random.default_rng(2).integers(15, size=(4000, 8, 15))
    means = values[np.arange(8)[None, :, None], drawn].mean(axis=(1, 2))
    low, high = np.quantile(means, [0.025, 0.975])
    assert row["lower"] == pytest.approx(low, abs=0.1 * (high - low))
    assert row["upper"] == pytest.approx(high, abs=0.1 * (high - low))


def test_what_is_not_known_has_none() -> None:
    """No area where a trial ends before the budget off the target; no interval of single trials."""
    single = areas(some_trials(1), BUDGET)
    assert single[["lower", "upper"]].isna().all(axis=None)
    short = [Trial("B", 2, 1, 1, 10, 1e-8, 10, np.array([1.0]), np.array([1.0]))]
    assert math.isnan(trial_areas(short, BUDGET)[0])
    assert areas(short, BUDGET).empty
    assert list(areas([], BUDGET)) == list(single)


def test_budgets_and_targets_are_free(tmp_path: Path) -> None:
    """Tables are at the budgets given, up to the largest, and of the targets given."""
    configs = [CONFIGS / "cmaes.yaml", CONFIGS / "baselines" / "random_search.yaml"]
    problems = ("--functions", "1,8", "--dimensions", 2, "--instances", "1-2", "--budget", 60)
    assert sacma("run", *configs, *problems, "--jobs", 1, cwd=tmp_path).returncode == 0
    reported("--budgets", "40,5,12.5", "--targets", "1e1..1e-2,50", cwd=tmp_path)
    tables = tmp_path / "results" / "report" / "tables"
    ranks = pd.read_csv(tables / "mean_ranks.csv")
    assert list(ranks["scenario"].unique()) == ["5·D", "12.5·D", "40·D", "#FE_t/3", "#FE_t"]
    assert pd.read_csv(tables / "median_delta_f.csv")["evaluations"].max() <= 80
    times = pd.read_csv(tables / "ert.csv")
    assert list(times["target"].unique()) == [50, 10, 1, 0.1, 0.01]
    curves = pd.read_csv(tables / "ecdf_targets.csv")
    ends = curves[(curves["group"] == "all") & (curves["evaluations_per_dimension"] == 40)]
    shares = times.groupby("algorithm")["success_rate"].mean()
    assert ends.set_index("algorithm")["proportion"][list(shares.index)].to_list() == pytest.approx(shares.to_list())
    assert 'data-chart="ecdf_targets"' in (tables.parent / "index.html").read_text()
    assert len(pd.read_csv(tables / "areas.csv")) == 2
    for wrong, said in (
        (("--budgets", "10,x"), "'x' is not a positive number; write them like 10,25,100"),
        (("--targets", "1e2..1..0.1"), "'1e2..1..0.1' is not a positive number"),
        (("--budgets", "10", "--budget", "10"), "--budget and --budgets are both given"),
        (("--budgets", "10,61"), "--budgets: no trial has more than 60·D evaluations"),
    ):
        assert said in refusal("postprocess", "--no-pages", *wrong, cwd=tmp_path)
