"""The best of a grid: against brute force, by hand with ties, and what its tests promise, simulated."""

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.sweep import (
    decide,
    firsts,
    main_effects,
    rank_settings,
    signed_rank_tests,
    standings,
    win_shares,
)

Values = dict[tuple[int, int, float], dict[str, float]]
"""Δf_med by ranking (dimension, function, budget) and setting."""


def medians_of(values: Values) -> pd.DataFrame:
    rows = [(s, D, f, b, v) for (D, f, b), by_setting in values.items() for s, v in by_setting.items()]
    return pd.DataFrame(rows, columns=["algorithm", "dimension", "function", "budget", "median_delta_f"])


def random_values(settings: int, functions: int, seed: int) -> Values:
    """Few different values, so that ties abound."""
    rng = random.Random(seed)
    keys = itertools.product((2, 5), range(1, functions + 1), (25.0, 50.0))
    return {key: {f"s{n}": 10.0 ** -rng.randint(0, 8) for n in range(settings)} for key in keys}


def scores_by_brute_force(values: Values, rankings: Sequence[tuple[int, int, float]]) -> dict[str, tuple[int, float]]:
    """First ranks and rank sum of each setting over some rankings, by counting who is better."""
    settings = list(next(iter(values.values())))
    scores = {}
    for own in settings:
        first, total = 0, 0.0
        for ranking in rankings:
            better = sum(values[ranking][other] < values[ranking][own] for other in settings)
            equal = sum(values[ranking][other] == values[ranking][own] for other in settings)
            first += better == 0
            total += 1 + better + (equal - 1) / 2
        scores[own] = first, total
    return scores


def best_by_brute_force(scores: dict[str, tuple[int, float]]) -> list[str]:
    most = max(first for first, _ in scores.values())
    least = min(total for first, total in scores.values() if first == most)
    return [name for name, score in scores.items() if score == (most, least)]


@pytest.mark.parametrize("seed", range(8))
def test_standings_are_those_of_brute_force(seed: int) -> None:
    """First ranks, rank sums, places and winner of 12 settings on 6 functions, in 2 dimensions at 2 budgets."""
    values = random_values(12, 6, seed)
    names = [f"s{n}" for n in range(12)]
    table = standings(rank_settings(medians_of(values), names))
    scores = scores_by_brute_force(values, list(values))
    for name, (first, total) in scores.items():
        assert table.loc[name, "first_ranks"] == first
        assert table.loc[name, "rank_sum"] == total
        assert table.loc[name, "mean_rank"] == pytest.approx(total / len(values))
        better = sum((-f, t) < (-first, total) for f, t in scores.values())
        assert table.loc[name, "place"] == 1 + better
    assert list(table.index[table["place"] == 1]) == best_by_brute_force(scores)
    assert decide(table).winner == best_by_brute_force(scores)[0]


def by_hand(**rows: Sequence[float]) -> pd.DataFrame:
    """Ranks from Δf_med of settings on f1, f2, … in 2-D at 25·D."""
    values: Values = {}
    for name, deltas in rows.items():
        for number, delta in enumerate(deltas, start=1):
            values.setdefault((2, number, 25.0), {})[name] = delta
    return rank_settings(medians_of(values), list(rows))


def test_target_reached_by_several() -> None:
    """A and C reach the target on f1: both are first there, and share ranks 1 and 2."""
    ranks = by_hand(A=[1e-8, 1e-2], B=[1e-3, 1e-3], C=[1e-8, 1e-1])
    assert ranks.to_numpy().tolist() == [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]]
    assert firsts(ranks).sum().to_dict() == {"A": 1, "B": 1, "C": 1}
    table = standings(ranks)
    assert table["rank_sum"].to_dict() == {"A": 3.5, "B": 4.0, "C": 4.5}
    decision = decide(table)
    assert (decision.winner, decision.runner_up, decision.decided_by) == ("A", "B", "rank sum")
    assert decision.tied == ("A", "B", "C")
    assert decision.margin == 0


def test_first_ranks_come_before_rank_sums() -> None:
    """A is first twice and last otherwise, B second everywhere: A wins though its rank sum is higher."""
    table = standings(by_hand(A=[1, 1, 9, 9, 9], B=[2, 2, 2, 2, 2], C=[3, 3, 1, 5, 5], D=[4, 4, 4, 1, 4], E=[5] * 5))
    decision = decide(table)
    assert table["rank_sum"].to_dict()["A"] > table["rank_sum"].to_dict()["B"]
    assert (decision.winner, decision.decided_by, decision.margin) == ("A", "first ranks", 1)


def test_a_tie_that_nothing_decides() -> None:
    """Two settings that mirror each other are both at place 1, and said to be equal."""
    table = standings(by_hand(A=[1, 2], B=[2, 1], C=[3, 3]))
    assert table["place"].to_dict() == {"A": 1, "B": 1, "C": 3}
    assert decide(table).decided_by == "nothing"


def test_noise_of_the_logarithm_is_a_tie() -> None:
    """Medians that differ by a rounding error have the same rank; 1 part in 10⁶ is a difference."""
    ranks = by_hand(A=[1e-3, 1e-3], B=[1e-3 * (1 + 1e-15), 1e-3 * (1 + 1e-6)])
    assert ranks.to_numpy().tolist() == [[1.5, 1.5], [1.0, 2.0]]


def test_rankings_that_lack_a_setting_are_left_out() -> None:
    """No trial, or a median that is not known: that ranking is none; other algorithms are not looked at."""
    values = random_values(3, 2, 1)
    del values[2, 1, 25.0]["s0"]
    values[2, 2, 50.0]["s1"] = math.nan
    for by_setting in values.values():
        by_setting["other"] = 1e-9
    ranks = rank_settings(medians_of(values), ["s0", "s1", "s2"])
    assert len(ranks) == len(values) - 2
    assert list(ranks.columns) == ["s0", "s1", "s2"]
    assert rank_settings(medians_of(values), ["s0", "absent"]).empty


@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_all_draws(seed: int) -> None:
    """The bootstrap agrees with the mean over all 4⁴ draws of functions within four standard errors."""
    values = random_values(5, 4, seed)
    names = [f"s{n}" for n in range(5)]
    expected = dict.fromkeys(names, 0.0)
    for draw in itertools.product(range(1, 5), repeat=4):
        rankings = [ranking for function in draw for ranking in values if ranking[1] == function]
        best = best_by_brute_force(scores_by_brute_force(values, rankings))
        for name in best:
            expected[name] += 1 / len(best) / 4**4
    shares = win_shares(rank_settings(medians_of(values), names), rng=np.random.default_rng(seed), resamples=4000)
    assert shares.sum() == pytest.approx(1)
    for name, share in expected.items():
        assert shares[name] == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 4000) + 1e-12)


def test_shares_of_sure_and_unsure_winners() -> None:
    """A setting that is first everywhere wins always; with one function nothing can be said; the seed decides."""
    sure = by_hand(A=[1, 1, 1], B=[2, 2, 2])
    assert win_shares(sure, rng=np.random.default_rng(1)).to_dict() == {"A": 1.0, "B": 0.0}
    assert win_shares(by_hand(A=[1], B=[2]), rng=np.random.default_rng(1)).isna().all()
    unsure = by_hand(A=[1, 2, 1], B=[2, 1, 2])
    first, second = (win_shares(unsure, rng=np.random.default_rng(3)) for _ in range(2))
    pd.testing.assert_series_equal(first, second)


def p_by_brute_force(differences: Sequence[float]) -> float:
    """Wilcoxon's signed-rank test over all signs of the differences that are not zero."""
    sizes = [abs(d) for d in differences if d]
    ranks = [1 + sum(o < s for o in sizes) + (sum(o == s for o in sizes) - 1) / 2 for s in sizes]
    middle = sum(ranks) / 2
    observed = abs(sum(rank for rank, d in zip(ranks, [d for d in differences if d], strict=True) if d > 0) - middle)
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((0, 1), repeat=len(ranks))]
    return sum(abs(total - middle) >= observed - 1e-9 for total in sums) / len(sums)


@pytest.mark.parametrize("seed", range(3))
def test_signed_ranks_are_those_of_all_signs(seed: int) -> None:
    """p-values of 4 settings on 9 functions, with ties and zeros, by enumeration; Holm's correction by definition."""
    values = random_values(4, 9, seed)
    names = [f"s{n}" for n in range(4)]
    ranks = rank_settings(medians_of(values), names)
    table = signed_rank_tests(ranks, "s2")
    assert list(table.index) == ["s0", "s1", "s3"]
    by_setting = ranks.to_dict()
    mean = {
        (name, f): sum(by_setting[name][key] for key in values if key[1] == f) / 4
        for name in names
        for f in range(1, 10)
    }
    for name, row in table.iterrows():
        differences = [round(mean[str(name), f] - mean["s2", f], 9) for f in range(1, 10)]
        assert (row["functions"], row["better"], row["worse"]) == (
            9,
            sum(d < 0 for d in differences),
            sum(d > 0 for d in differences),
        )
        assert row["p_raw"] == pytest.approx(p_by_brute_force(differences))
    ordered = table["p_raw"].sort_values()
    holm, largest = {}, 0.0
    for position, (name, p) in enumerate(ordered.items()):
        largest = max(largest, min(1.0, (3 - position) * p))
        holm[name] = largest
    assert table["p_holm"].to_dict() == pytest.approx(holm)


def test_settings_that_are_equal_everywhere() -> None:
    """No difference at all has p = 1; six functions on one side are just significant, five are not."""
    equal = signed_rank_tests(by_hand(A=[1] * 6, B=[1] * 6, C=[2] * 6), "A")
    assert equal["p_raw"].to_dict() == {"B": 1.0, "C": 2 / 2**6}
    assert equal["p_holm"].to_dict() == {"B": 1.0, "C": 4 / 2**6}
    assert signed_rank_tests(by_hand(A=[1] * 5, B=[2] * 5), "A")["p_raw"]["B"] == 2 / 2**5


def test_levels_hold_though_the_winner_was_chosen() -> None:
    """Of settings that are all equal, the winner differs from the runner-up, or a reference, in 5 % or less.

    200 studies of 8 settings on 12 functions; the rankings of a function go together. The bound is three standard
    errors above 5 %.
    """
    rng = np.random.default_rng(20)
    index = pd.MultiIndex.from_product([[2], range(12), [25.0, 50.0, 250.0]], names=["dimension", "function", "budget"])
    names = [f"s{n}" for n in range(8)]
    against_runner_up, against_reference = [], []
    for _ in range(200):
        of_function = np.repeat(rng.normal(size=(12, 8)), 3, axis=0)
        ranks = pd.DataFrame(of_function + rng.normal(size=(36, 8)), index, names).rank(axis="columns")
        decision = decide(standings(ranks))
        pair = ranks[[decision.winner, decision.runner_up]]
        against_runner_up.append(signed_rank_tests(pair, decision.runner_up)["p_raw"].iloc[0] < 0.05)
        test = signed_rank_tests(ranks, "s0").reindex([decision.winner])  # NaN where the winner is the reference
        against_reference.append(test["p_holm"].iloc[0] < 0.05)
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    assert np.mean(against_runner_up) <= most
    assert np.mean(against_reference) <= most


def test_main_effects_are_means_over_settings() -> None:
    """Mean rank and first ranks of each value of a 2 × 3 grid, by brute force; the means of a key average (k + 1)/2."""
    values = random_values(6, 5, 3)
    names = [f"s{n}" for n in range(6)]
    grid = pd.DataFrame(
        [{"gamma": g, "rate": r} for g, r in itertools.product(["T1", "T2"], ["0.2", "0.5", "null"])], index=names
    )
    effects = main_effects(rank_settings(medians_of(values), names), grid)
    scores = scores_by_brute_force(values, list(values))
    assert effects["value"].to_list() == ["T1", "T2", "0.2", "0.5", "null"]
    for row in effects.to_dict("records"):
        own = [name for name in names if grid.loc[name, row["key"]] == row["value"]]
        assert row["settings"] == len(own)
        assert row["first_ranks"] == sum(scores[name][0] for name in own)
        assert row["mean_rank"] == pytest.approx(sum(scores[name][1] for name in own) / len(own) / len(values))
    for _, rows in effects.groupby("key"):
        assert rows["mean_rank"].mean() == pytest.approx(7 / 2)


def test_what_is_asked_of_frames_is_in_them() -> None:
    """Columns as documented."""
    ranks = by_hand(A=[1, 2], B=[2, 1], C=[3, 3])
    expected: dict[str, Any] = {
        "standings": (standings(ranks), ["place", "first_ranks", "rank_sum", "mean_rank"]),
        "tests": (signed_rank_tests(ranks, "A"), ["functions", "better", "worse", "p_raw", "p_holm"]),
    }
    for frame, columns in expected.values():
        assert list(frame.columns) == columns
        assert frame.index.name == "setting"
