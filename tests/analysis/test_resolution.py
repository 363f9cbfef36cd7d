"""Identical trials are identical, whether they are known from records or from COCO's files of any observer."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.comparison import Comparison, ExternalData, compare
from sacma.analysis.sections import find
from sacma.analysis.tables import gains, mean_ranks, medians_of, rank_tests
from sacma.analysis.trials import Scenario, best_delta_f, convergence_curves, logged_evaluations
from sacma.coco.formats import load_one
from sacma.coco.suites import SUITES
from sacma.coco.writer import merge
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.store.completeness import Completeness
from sacma.store.record import TrialRecord
from sacma.store.stored_study import StoredStudy
from tests.conftest import CONFIGS

BUDGET = 60
PROTOCOLS: dict[str, dict[str, object]] = {
    "bbob": {"functions": "1,8,15", "dimensions": "2", "instances": "1-3", "budget": BUDGET},
    "bbob-noisy": {"functions": "101,104", "dimensions": "2", "instances": "1-3", "budget": BUDGET},
}
TRIGGERS = ("same", "1,2,5", "7")

Twins = Callable[[str, str], Comparison]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """Make comparisons of trials with themselves: as records, and as a COCO folder of an observer with any triggers."""
    made: dict[tuple[str, str], Comparison] = {}

    def twin(suite: str, triggers: str) -> Comparison:
        if (suite, triggers) not in made:
            study = load_study(CONFIGS / "cmaes.yaml", {"suite": suite, **PROTOCOLS[suite]})
            stored = StoredStudy((study,))
            specs = stored.specs()
            logged = specs if triggers == "same" else [replace(spec, triggers=triggers) for spec in specs]
            ours, theirs = ([run_trial(spec) for spec in of] for of in (specs, logged))
            heads = {record.spec.key: record.head for record in ours}
            covered = (stored, Completeness(specs, heads, {}, ()))
            path = _folder(theirs, tmp_path_factory.mktemp("coco"))
            foreign = ExternalData("Twin", path, load_one(path, SUITES[suite]))
            made[suite, triggers] = compare([covered], [foreign])
        return made[suite, triggers]

    return twin


def _folder(records: list[TrialRecord], folder: Path) -> Path:
    for name, text in merge([(r.spec.place, r.coco) for r in records], "theirs").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _alike(frame: pd.DataFrame, keys: list[str], values: list[str]) -> None:
    first, second = (frame[frame["algorithm"] == name].set_index(keys)[values] for name in ("CMA-ES", "Twin"))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


@pytest.mark.parametrize("triggers", TRIGGERS)
@pytest.mark.parametrize("suite", PROTOCOLS)
def test_identical_trials_are_a_tie_at_any_budget(twins: Twins, suite: str, triggers: str) -> None:
    """At every number of evaluations Δf of each trial, medians, ranks, gains and tests are the same."""
    comparison = twins(suite, triggers)
    every = [Scenario(f"after {n}", n / 2, lambda _D, _f, n=n: n) for n in range(2 * BUDGET + 1)]  # type: ignore[misc]
    best = best_delta_f(comparison.compared.trials, every)
    _alike(best, ["function", "trial", "scenario"], ["delta_f"])
    medians = medians_of(best)
    _alike(medians, ["function", "scenario"], ["trials", "median_delta_f"])
    some = {scenario.name for scenario in every[3::17]}  # what follows is made of these alone
    medians, best = (frame[frame["scenario"].isin(some)] for frame in (medians, best))
    ranks = mean_ranks(medians)
    assert set(ranks["mean_rank"]) == {1.5}
    assert set(ranks["scenario"]) == some
    assert not rank_tests(medians)["significant"].any()
    gained = gains(best, "CMA-ES")
    assert set(gained["decades"]) == {0.0}
    assert set(gained["p_value"]) == {1.0}
    curves = convergence_curves(comparison.compared.trials, BUDGET)
    _alike(curves, ["function", "evaluations"], ["lower_quartile", "median", "upper_quartile"])


@pytest.mark.parametrize("triggers", TRIGGERS)
def test_run_lengths_are_the_same(twins: Twins, triggers: str) -> None:
    """As long as no trial is over: beyond, restarts are drawn for each algorithm by itself."""
    ecdf = find(twins("bbob", triggers))["ecdf"]
    shown = ecdf[ecdf["evaluations_per_dimension"] < BUDGET]
    _alike(shown, ["group", "evaluations_per_dimension"], ["proportion", "functions"])


def test_what_both_have_is_told_exactly(twins: Twins) -> None:
    """At numbers that all files hold, what is compared is what was found, and between them never better than that."""
    comparison = twins("bbob", "same")
    exact = {(t.function, t.instance): t for t in comparison.trials if t.algorithm == "CMA-ES"}
    at = logged_evaluations("25,50,60", 2, 2 * BUDGET)
    for trial in comparison.compared.trials:
        true = exact[trial.function, trial.instance]
        assert trial.best_after(at) == pytest.approx(true.best_after(at), rel=1e-9)
        between = np.arange(1.0, 2 * BUDGET + 1)
        lag = np.log10(trial.best_after(between) / true.best_after(between))
        assert lag.min() > -1e-9
        assert lag.max() < 0.2 + 1e-9


@pytest.mark.parametrize("suite", PROTOCOLS)
def test_what_a_logger_tells(suite: str) -> None:
    """The evaluation numbers are those that COCO's logger writes."""
    study = load_study(CONFIGS / "cmaes.yaml", {"suite": suite, **PROTOCOLS[suite], "instances": "1", "budget": 130})
    for spec in StoredStudy((study,)).specs():
        record = run_trial(spec)
        lines = record.coco.data["tdat"].splitlines()
        told = [int(line.split()[0]) for line in lines if not line.startswith("%")]
        assert sorted(set(told)) == logged_evaluations(spec.triggers, 2, record.outcome.evaluations).tolist()
