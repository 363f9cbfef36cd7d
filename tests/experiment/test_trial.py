"""One trial: budget, target, record, trace."""

import contextlib
import math
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cocoex
import numpy as np
import pytest

from sacma.algorithms.base import Problem
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment.trial import attempt, run_trial
from sacma.store.outcome import TrialFailure, TrialStatus
from tests.conftest import best_after, stand_in

MakeStudy = Callable[..., Study]


def spec_of(study: Study) -> TrialSpec:
    (spec,) = plan([study])
    return spec


@pytest.mark.parametrize("name", ["cmaes", "ada_kendall"])
@pytest.mark.parametrize("budget", [1, 61])
def test_budget_is_never_exceeded(study: MakeStudy, name: str, budget: int) -> None:
    """On a function that is not solved, exactly the budget is used, by COCO's own count, even within a population."""
    spec = spec_of(study(name, functions="15", dimensions="3", instances="2", budget=budget))
    record = run_trial(spec)
    assert record.outcome.evaluations == spec.budget == 3 * budget
    assert record.outcome.status == TrialStatus.BUDGET_USED
    assert record.coco.entry.startswith(f"2:{3 * budget}|")


@pytest.mark.parametrize("target", [1e-8, 1e-2])
@pytest.mark.parametrize("name", ["cmaes", "ada_kendall"])
def test_stops_at_the_target(study: MakeStudy, name: str, target: float) -> None:
    """On the sphere, the evaluation that reaches it is the last one."""
    protocol = {"functions": "1", "dimensions": "2", "instances": "3", "budget": 1000, "target": target}
    outcome = run_trial(spec_of(study(name, **protocol))).outcome
    assert outcome.status == TrialStatus.TARGET_HIT
    assert outcome.best_delta_f <= target
    last, previous = list(zip(outcome.improved_at, outcome.improved_to, strict=True))[:-3:-1]
    assert last == (outcome.evaluations, outcome.best_delta_f)
    assert previous[1] > target


def test_improvements_are_exact(study: MakeStudy) -> None:
    """At COCO's exact triggers, Δf from our improvements is that of COCO's file."""
    record = run_trial(spec_of(study("gp5", functions="15", dimensions="3", instances="1", budget=100)))
    logged = {
        int(line.split()[0]): float(line.split()[2])
        for line in record.coco.data["tdat"].splitlines()
        if not line.startswith("%")
    }
    for multiple in (25, 50, 83, 100):
        assert best_after(record.outcome, 3 * multiple) == pytest.approx(logged[3 * multiple], rel=1e-8)
    assert best_after(record.outcome, 0) == math.inf
    deltas = record.outcome.improved_to
    assert all(a > b for a, b in pairwise(deltas))


def test_trace_says_what_happened(study: MakeStudy) -> None:
    """The trace has a row a generation, ends at the trial's evaluations and agrees with the outcome."""
    record = run_trial(spec_of(study("ada_kendall", functions="8", dimensions="5", instances="1", budget=50)))
    trace, outcome = record.trace, record.outcome
    assert trace["true_evaluations"][-1] == outcome.evaluations
    assert np.sum(trace["evaluated_by"] == "true") == outcome.true_generations
    assert np.sum(trace["evaluated_by"] == "model") == outcome.model_generations
    assert outcome.model_generations > outcome.true_generations
    assert trace["best_delta_f"][-1] == pytest.approx(outcome.best_delta_f, rel=1e-3)
    np.testing.assert_array_equal(trace["generation"], np.arange(1, len(trace["generation"]) + 1))
    assert sum(outcome.fits.values()) == outcome.true_generations - 1  # the last, cut short, trained none
    assert outcome.fits["trained"] > 20
    assert outcome.cpu.fit > 0.0


def test_an_algorithm_that_ignores_its_budget_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that evaluates for ever, and catches all exceptions, makes not one evaluation too many."""

    def endless(problem: Problem, rng: object) -> None:
        while True:
            with contextlib.suppress(Exception):
                problem(np.ones(2))

    outcome = run_trial(stand_in(monkeypatch, endless)).outcome
    assert outcome.evaluations == 20
    assert outcome.status == TrialStatus.BUDGET_USED


def test_an_algorithm_that_goes_on_after_the_target_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluation after the one that hit the target is not made."""
    x_opt = np.asarray(cocoex.BareProblem("bbob", 1, 2, 1).best_parameter())

    def stubborn(problem: Problem, rng: object) -> None:
        for _ in range(20):
            problem(x_opt)

    outcome = run_trial(stand_in(monkeypatch, stubborn)).outcome
    assert outcome.evaluations == 1
    assert outcome.status == TrialStatus.TARGET_HIT


def test_an_algorithm_may_stop_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that returns early has a complete record that says so; its COCO files are complete too."""

    def brief(problem: Problem, rng: object) -> None:
        problem(np.zeros(2))

    record = run_trial(stand_in(monkeypatch, brief))
    assert record.outcome.status == TrialStatus.STOPPED
    assert record.outcome.evaluations == 1
    assert record.coco.entry.startswith("1:1|")


def test_what_an_algorithm_sets_ends_with_its_trial(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """NumPy's handling of errors, filters of warnings, environment, path and folder; the next trial is as if alone."""

    def states() -> tuple[object, ...]:
        return np.geterr(), list(warnings.filters), dict(os.environ), list(sys.path), Path.cwd()

    def strict(problem: Problem, rng: object) -> None:
        np.seterr(all="raise")
        warnings.simplefilter("error")
        os.environ["SACMA_TEST"] = "set"
        sys.path.clear()
        os.chdir(tmp_path)
        problem(np.zeros(2))

    def lenient(problem: Problem, rng: object) -> None:
        handled.append(np.geterr())
        problem(np.zeros(2))

    handled: list[object] = []
    before = states()
    run_trial(stand_in(monkeypatch, strict))
    assert states() == before
    with np.errstate(all="raise"):
        run_trial(stand_in(monkeypatch, lenient))
    run_trial(stand_in(monkeypatch, lenient))
    assert handled[0] == handled[-1]


def test_the_budget_is_not_the_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot give itself more evaluations."""

    def greedy(problem: Any, rng: object) -> None:
        problem.evaluations_left = 1000

    failure = attempt(stand_in(monkeypatch, greedy))
    assert isinstance(failure, TrialFailure)
    assert "evaluations_left" in failure.error


def test_far_points_bring_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their squares overflow: what an algorithm is warned of is its own."""

    def far(problem: Problem, rng: object) -> None:
        problem(np.full(2, 1e160))

    assert run_trial(stand_in(monkeypatch, far)).outcome.evaluations == 1


@pytest.mark.parametrize(
    "point", [np.array([np.nan, 0.0]), np.array([np.inf, 0.0]), np.zeros(2) + 1j, np.zeros(3), "x"]
)
def test_a_broken_evaluation_fails_the_trial(monkeypatch: pytest.MonkeyPatch, point: object) -> None:
    """NaN, which COCO would not count, complex numbers and a wrong shape are reported as the algorithm's failure."""

    def broken(problem: Problem, rng: object) -> None:
        problem(point)  # type: ignore[arg-type]

    failure = attempt(stand_in(monkeypatch, broken))
    assert isinstance(failure, TrialFailure)
    assert "ValueError" in failure.error
    assert "after 0 of 20 evaluations" in failure.traceback


def test_an_unknown_problem_is_not_another_one(study: MakeStudy) -> None:
    """COCO answers a filter that it does not understand with the whole suite; a trial never runs on that."""
    spec = spec_of(study("cmaes", functions="1", dimensions="2", instances="1"))
    failure = attempt(replace(spec, dimension=7))
    assert isinstance(failure, TrialFailure)


def test_a_trial_leaves_nothing_behind(study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file in the working directory, none in the temporary folder."""
    folder = tmp_path
    (folder / "tmp").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.tempdir", str(folder / "tmp"))
    run_trial(spec_of(study("gp1", functions="1", dimensions="2", instances="1", budget=20)))
    assert [p.name for p in folder.rglob("*")] == ["tmp"]
