"""Resamples are held against plain loops, against what they are resamples of, and against data known beforehand."""

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd
import pytest

from reproduction.claims import checks
from reproduction.evidence import SURE, compared, evidence_of, lower
from reproduction.resampling import (
    RESAMPLES,
    drawn_functions,
    drawn_trials,
    resampled_control,
    resampled_proportions,
    resampled_ranks,
)
from sacma.analysis.published import ALGORITHMS, AS_PRINTED
from sacma.analysis.run_lengths import run_lengths, targets
from sacma.analysis.section import Findings
from sacma.analysis.sections import find
from sacma.analysis.trials import Trial
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, made
from tests.analysis.made import compared as compared_studies
from tests.conftest import SIX

NAMES, FUNCTIONS, TRIALS = ("A", "B", "C"), (3, 8, 21, 24), 5

Logs = Mapping[tuple[str, int], Sequence[float]]  # log10 Δf of trials by algorithm and function


def logs_of(shift: float) -> Logs:
    """Make up trials: A is better than the others by some decades, and ties are many."""
    rng = np.random.default_rng(5)
    places = {(name, f): np.round(rng.normal(size=TRIALS), 1) for name in NAMES for f in FUNCTIONS}
    return {(name, f): (of - shift * (name == "A")).tolist() for (name, f), of in places.items()}


def best_of(logs: Logs) -> pd.DataFrame:
    """Return them as from ``best_delta_f``, in another order."""
    rows = [(name, 2, f, "#FE_t", n, 10.0**log) for (name, f), of in logs.items() for n, log in enumerate(of, start=1)]
    frame = pd.DataFrame(rows, columns=["algorithm", "dimension", "function", "scenario", "trial", "delta_f"])
    return frame.assign(instance=frame["trial"], budget=1.0, evaluations=2).sample(frac=1, random_state=1)


def plain_mean_ranks(medians: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return mean ranks over functions, ties sharing theirs, by counting."""
    ranks: dict[str, list[float]] = {name: [] for name in NAMES}
    for of in medians:
        for name, mine in of.items():
            below = sum(other < mine - 5e-10 for other in of.values())
            same = sum(abs(other - mine) < 5e-10 for other in of.values())
            ranks[name].append(below + (same + 1) / 2)
    return {name: statistics.fmean(of) for name, of in ranks.items()}


def test_mean_ranks_are_those_of_a_plain_loop() -> None:
    """Of the same draws, resample by resample."""
    logs = logs_of(0.3)
    found = resampled_ranks(best_of(logs))
    times = drawn_functions(FUNCTIONS)
    for r in range(0, RESAMPLES, 50):
        medians = []
        for f, often in zip(FUNCTIONS, times[r].tolist(), strict=True):
            drawn = {name: [logs[name, f][i] for i in drawn_trials(2, f, name, TRIALS)[r].tolist()] for name in NAMES}
            medians += [{name: statistics.median(of) for name, of in drawn.items()}] * often
        expected = plain_mean_ranks(medians)
        assert {name: found[2, "#FE_t", name][r] for name in NAMES} == pytest.approx(expected)


def trials_of(dimension: int) -> list[Trial]:
    """Make up trials that come down to a random target."""
    rng = np.random.default_rng(9)
    found = []
    for name in NAMES:
        for f in (6, 7, 8, 9, 21):
            for instance in range(1, TRIALS + 1):
                at = np.sort(rng.choice(np.arange(1.0, 50 * dimension), size=12, replace=False))
                to = np.sort(10.0 ** rng.uniform(-3, 4, size=12))[::-1]
                found.append(Trial(name, dimension, f, instance, 50 * dimension, 1e-8, math.inf, at, to))
    return found


def test_proportions_are_those_of_a_plain_loop() -> None:
    """Pairs of functions and targets are counted, those of a function as often as it is drawn."""
    trials, wanted = trials_of(3), targets(3)
    found = resampled_proportions([run_lengths(trials, wanted)], (5.0, 50 / 3))
    moderate = (6, 7, 8, 9)
    times = drawn_functions(moderate)
    for r, (name, budget) in enumerate([("A", 5.0), ("B", 50 / 3), ("C", 50 / 3)] * 5):
        reached, pairs = 0.0, 0
        for f, often in zip(moderate, times[r].tolist(), strict=True):
            of = [trial for trial in trials if (trial.algorithm, trial.function) == (name, f)]
            goals = wanted.loc[wanted["function"] == f, "target"].to_list()
            for i in drawn_trials(3, f, name, TRIALS)[r].tolist():
                best = min(
                    (to for at, to in zip(of[i].at, of[i].to, strict=True) if at <= 3 * budget), default=math.inf
                )
                reached += often * sum(best <= goal for goal in goals) / TRIALS
            pairs += often * len(goals)
        assert found[3, "moderate", name, budget][r] == pytest.approx(reached / pairs)
    assert (3, "separable", "A", 5.0) not in found


def costs_of() -> pd.DataFrame:
    """Make up control frequencies, some trials without a model-evaluated generation."""
    rng = np.random.default_rng(4)
    ratios = np.where(rng.random((len(NAMES), TRIALS)) < 0.3, np.inf, rng.random((len(NAMES), TRIALS)))
    rows = [
        (name, 2, 8, instance, ratio, 3)
        for name, of in zip(NAMES, ratios.tolist(), strict=True)
        for instance, ratio in enumerate(of, start=1)
    ]
    columns = ["algorithm", "dimension", "function", "instance", "control_frequency", "model_generations"]
    return pd.DataFrame(rows, columns=columns)


def test_control_frequencies_are_those_of_a_plain_loop() -> None:
    """Medians of the trials that have one; NaN where none has."""
    costs = costs_of()
    found = resampled_control(costs)
    for name in NAMES:
        ratios = costs.loc[costs["algorithm"] == name, "control_frequency"].to_list()
        for r, drawn in enumerate(drawn_trials(2, 8, name, TRIALS).tolist()):
            finite = [ratios[i] for i in drawn if ratios[i] < math.inf]
            expected = statistics.median(finite) if finite else math.nan
            assert found[2, 8, name][r] == pytest.approx(expected, nan_ok=True)


def test_draws_are_of_all_alike_and_repeatable() -> None:
    """As often as others, the same at each call, and others for other trials and functions."""
    times = drawn_functions(FUNCTIONS)
    assert set(times.sum(axis=1)) == {len(FUNCTIONS)}
    assert times.mean(axis=0) == pytest.approx(np.ones(4), abs=4 * math.sqrt(0.75 / RESAMPLES))
    trials = drawn_trials(2, 8, "A", TRIALS)
    assert trials.shape == (RESAMPLES, TRIALS)
    assert np.bincount(trials.ravel()) / trials.size == pytest.approx(np.full(5, 0.2), abs=0.025)
    assert np.array_equal(trials, drawn_trials(2, 8, "A", TRIALS))
    others = [drawn_trials(2, 8, "B", TRIALS), drawn_trials(2, 9, "A", TRIALS), drawn_trials(3, 8, "A", TRIALS)]
    assert not any(np.array_equal(trials, other) for other in others)


def test_what_is_decided() -> None:
    """From 95 % of resamples on, together with our data."""

    def holds(share: float, *, ours: bool | None) -> bool | None:
        resampled = np.repeat([1.0, 0.0], [round(1000 * share), 1000 - round(1000 * share)])
        return compared("", 0.0, "", resampled, holds=ours).holds

    assert holds(SURE, ours=True) is holds(1.0, ours=True) is True
    assert holds(1 - SURE, ours=False) is holds(0.0, ours=False) is False
    undecided = [(0.949, True), (0.5, True), (0.051, False), (0.5, False), (1.0, False), (0.0, True), (1.0, None)]
    assert [holds(share, ours=ours) for share, ours in undecided] == [None] * 7
    assert compared("", 0.0, "", np.full(1, np.nan), holds=True).holds is None
    assert lower(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])).tolist() == [0, 1, 0]  # not where both are equal


NOISE = np.random.default_rng(3).normal(size=(6, 24, 15))


@cache
def study(ahead: float) -> Findings:
    """Make up the paper's study in 20-D: the adaptive algorithms are ahead by so many decades, all are as noisy."""

    def found(spec: TrialSpec) -> Improvements:
        number = ALGORITHMS.index(spec.name)
        noise = NOISE[number, spec.function - 1, spec.instance % 15]
        lead = ahead if number in (4, 5) else 0.0
        return [(1, 1e9), (spec.budget // 20, 1e8), (spec.budget // 2, 10.0 ** float(noise - lead))]

    protocol = {"functions": "1-24", "dimensions": "20", "instances": "1-15"}
    return find(compared_studies(*(made(name, found, protocol) for name in SIX)))


def ranks_of_20(ahead: float) -> pd.DataFrame:
    found = checks(evidence_of(study(ahead), AS_PRINTED))
    return found[(found["claim"] == 2) & found["what"].str.contains("20-D, #FE_t$")]


def test_a_clear_lead_holds_and_an_even_one_is_undecided() -> None:
    """From trials to checks: the two are ahead by two decades, behind by two, or by none."""
    shown = [ranks_of_20(ahead)[["resamples", "holds"]].to_numpy().tolist()[0] for ahead in (2.0, -2.0, 0.0)]
    assert shown[:2] == [[1.0, "yes"], [0.0, "no"]]
    share, holds = shown[2]
    assert holds == ""
    assert 0.05 < share < 0.95
