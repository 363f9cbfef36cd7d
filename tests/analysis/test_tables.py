"""Median Δf and mean ranks by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sacma.analysis.tables import gains, mean_ranks, median_delta_f, medians_of, pairwise_table, rank_tests, tied
from sacma.analysis.trials import Trial, best_delta_f, budgets_up_to, external_trials, fixed_budgets
from sacma.coco.reader import CocoData, Curve
from tests.analysis.made import trial


def foreign(*curves: Curve) -> tuple[Trial, ...]:
    return external_trials("F", CocoData(curves, "F", (), {}), 1e-8)


def test_median_is_of_the_best_so_far() -> None:
    """At 25·D = 50 evaluations the trials stand at 1e-1, 1e-3 and 1e-8 (from 1e-11): the median is 1e-3."""
    trials = [trial("A", 1, (1, 10.0), (50, 0.1), (51, 1e-9)), trial("A", 1, (10, 1e-3)), trial("A", 1, (49, 1e-11))]
    frame = median_delta_f(trials, fixed_budgets([25.0, 100.0]))
    assert frame["median_delta_f"].to_list() == pytest.approx([1e-3, 1e-8])
    assert frame["evaluations"].to_list() == [50, 200]
    assert frame["trials"].to_list() == [3, 3]


def test_mean_ranks_share_ties() -> None:
    """On f1: A < B < C. On f2 A and B reach the target alike. Mean ranks 1.25, 1.75, 3."""
    values = {("A", 1): 1e-5, ("B", 1): 1e-4, ("C", 1): 1e-3, ("A", 2): 1e-12, ("B", 2): 1e-9, ("C", 2): 1.0}
    trials = [trial(name, f, (1, value)) for (name, f), value in values.items()]
    ranks = mean_ranks(median_delta_f(trials, fixed_budgets([100.0]))).set_index("algorithm")
    assert ranks["mean_rank"].to_dict() == pytest.approx({"A": 1.25, "B": 1.75, "C": 3.0})
    assert set(ranks["functions"]) == {2}


def test_functions_without_all_algorithms_are_left_out() -> None:
    """A function that one algorithm lacks does not enter anybody's mean."""
    trials = [trial(name, f, (1, value)) for name, value in (("A", 1.0), ("B", 2.0)) for f in range(1, 10)]
    trials.append(trial("A", 10, (1, 9.0)))
    ranks = mean_ranks(median_delta_f(trials, fixed_budgets([100.0]))).set_index("algorithm")
    assert ranks["mean_rank"].to_dict() == {"A": 1.0, "B": 2.0}
    assert set(ranks["functions"]) == {9}


def test_noise_is_a_tie_wherever_it_falls() -> None:
    """A local optimum found twice, apart by rounding, is a tie in ranks, pairs and gains; a real difference is not."""
    assert all(np.ptp(tied(np.array([x, x + 5e-10]))) == 0 for x in np.linspace(-8, 8, 10_001))
    rng = np.random.default_rng(1)
    for value in 10.0 ** rng.uniform(-6, 6, 5):
        trials = [trial("A", 1, (1, value)), trial("B", 1, (1, value * (1 + 1e-10)))]
        trials += [trial("A", 2, (1, value)), trial("B", 2, (1, value * (1 + 1e-7)))]
        best = best_delta_f(trials, fixed_budgets([100.0]))
        assert mean_ranks(medians_of(best))["mean_rank"].to_list() == [1.25, 1.75]
        assert pairwise_table(medians_of(best))[["wins", "ties"]].to_numpy().tolist() == [[1, 1], [0, 1]]
        gained = gains(best, "A")
        assert gained["decades"].to_list() == [0.0, pytest.approx(-np.log10(1 + 1e-7))]
        assert gained["superiority"].to_list() == [0.5, 0.0]


def test_before_the_first_evaluation_all_are_alike() -> None:
    """A third of two evaluations is none: every algorithm has inf there, the same rank, and gains nothing."""
    best = best_delta_f([trial(name, 1, (1, 3.0)) for name in "AB"], fixed_budgets([0.25]))
    assert best["delta_f"].to_list() == [np.inf, np.inf]
    assert mean_ranks(medians_of(best))["mean_rank"].to_list() == [1.5, 1.5]
    assert gains(best, "A")[["decades", "p_value"]].to_numpy().tolist() == [[0.0, 1.0]]


def test_budgets_are_the_papers() -> None:
    """25, 50, 83⅓, 125 and 250 evaluations/D, up to the budget and with it."""
    assert budgets_up_to(250) == (25, 50, 250 / 3, 125, 250)
    assert budgets_up_to(20) == (20,)
    for near in (83.3334, 50.003, 25.001, 250.01):
        names = [scenario.name for scenario in fixed_budgets(budgets_up_to(near))]
        assert len(names) == len(set(names))
        assert budgets_up_to(near)[-1] == near
    assert isinstance(median_delta_f([], fixed_budgets([1.0])), pd.DataFrame)


def test_what_a_foreign_trial_does_not_say() -> None:
    """Data that end at 100 evaluations off the target say nothing of 200: that median is not known, nor ranked."""
    short = Curve(1, 2, 1, 100, np.array([1.0, 90.0]), np.array([5.0, 1e-3]))
    hit = Curve(1, 2, 2, 60, np.array([1.0, 60.0]), np.array([5.0, 1e-9]))
    frame = median_delta_f(foreign(short, hit), fixed_budgets([50.0, 100.0]))
    assert frame["median_delta_f"].to_list() == pytest.approx([10**-5.5, np.nan], nan_ok=True)
    assert frame["trials"].to_list() == [2, 1]
    both = median_delta_f([*foreign(short), trial("A", 1, (1, 1.0))], fixed_budgets([50.0, 100.0]))
    assert mean_ranks(both)["scenario"].unique().tolist() == ["50·D"]


def test_tests_and_pairs() -> None:
    """A wins on 20 of 24 functions, B on 4: wins, F_F and p-values are those of the statistics by hand."""
    trials = [trial("A", f, (1, 1.0 if f <= 20 else 3.0)) for f in range(1, 25)]
    trials += [trial("B", f, (1, 2.0)) for f in range(1, 25)]
    medians = median_delta_f(trials, fixed_budgets([100.0]))
    (test,) = rank_tests(medians).to_dict("records")
    chi = 12 * 24 / (2 * 3) * ((28 / 24) ** 2 + (44 / 24) ** 2 - 2 * 9 / 4)
    assert test["F_F"] == pytest.approx(23 * chi / (24 - chi))
    assert test["functions"] == 24
    table = pairwise_table(medians).set_index(["algorithm", "other"])
    assert table["wins"].to_dict() == {("A", "B"): 20, ("B", "A"): 4}
    z = (44 - 28) / 24 / np.sqrt(2 * 3 / (6 * 24))
    for name in ("p_raw", "p_holm", "p_shaffer", "p_bergmann_hommel"):
        assert table[name].to_list() == pytest.approx([2 * stats.norm.sf(z)] * 2)
