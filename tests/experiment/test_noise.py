"""Trials of other suites than bbob: their noise, their Δf, and where they end."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import cocoex
import numpy as np
import pandas as pd
import pytest

from sacma.algorithms.base import Problem
from sacma.coco.suites import NOISY
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment import seeding
from sacma.experiment.problem import optimal_value
from sacma.experiment.replay import replay
from sacma.experiment.seeding import begin_noise
from sacma.experiment.trial import run_trial, suite_of
from sacma.experiment.workers import LocalWorkers, results
from sacma.store.outcome import TrialStatus
from sacma.store.provenance import Manifest
from sacma.store.record import FinishedTrial, TrialRecord, decode
from sacma.store.trace import write_traces
from tests.conftest import best_after, stand_in

MakeStudy = Callable[..., Study]
SMALL: Mapping[str, Any] = {"suite": "bbob-noisy", "dimensions": "2", "instances": "1", "budget": 20}


def specs_of(study: MakeStudy, name: str = "cmaes", **protocol: object) -> tuple[TrialSpec, ...]:
    return plan([study(name, **{**SMALL, **protocol})])


def measured(spec: TrialSpec, of: TrialSpec | None = None) -> list[float]:
    """Return values of one point, six times, with the noise of this trial or of another."""
    suite = suite_of(spec)
    begin_noise(of or spec)
    problem = suite[0]
    return [float(problem(np.ones(spec.dimension))) for _ in range(6)]


def found(record: TrialRecord) -> tuple[object, ...]:
    return record.coco, record.outcome.improved_at, record.outcome.improved_to, record.outcome.status


def test_every_stream_of_random_numbers_is_in_the_manifest(study: MakeStudy) -> None:
    """What a trial draws from is what the manifest says, of a noisy function, too."""
    drawn: set[str] = set()

    def stream(spec: TrialSpec, *names: str) -> np.random.Generator:
        drawn.add(names[0])
        words = [int.from_bytes(sha256(name.encode()).digest()[:8], "big") for name in (spec.suite, *names)]
        return np.random.default_rng(np.random.SeedSequence([spec.seed, *spec.place, *words]))

    spec = specs_of(study, functions="101")[0]
    expected = run_trial(spec)
    with mock.patch.object(seeding, "stream", stream):
        again = run_trial(spec)
    assert isinstance(expected, TrialRecord)
    assert isinstance(again, TrialRecord)
    assert found(again) == found(expected)
    said = json.loads(Manifest("A", (), ()).encode())["seeds"]
    assert drawn == set(re.findall("'([^']*)'", said)) == {"initial points", "noise", "sampling"}


def test_noise_is_the_same_whatever_came_before(study: MakeStudy) -> None:
    """COCO's noise belongs to the process: a trial has its own all the same, after other trials and other problems."""
    specs = specs_of(study, functions="101,102,103,117")
    once = [measured(spec) for spec in specs]
    cocoex.Suite("bbob-noisy", "", "dimensions: 3")[5](np.zeros(3))
    assert [measured(spec) for spec in reversed(specs)] == once[::-1]
    assert all(len(set(values)) > 1 for values in once[:2])


def test_noise_is_independent_over_trials_and_common_to_algorithms(study: MakeStudy) -> None:
    """Every instance and every seed has its own, all algorithms meet the same."""
    specs = specs_of(study, functions="107", instances="1-15")
    one = specs[0]
    # Of one problem, so that all that differs is where the noise begins.
    noise = {tuple(measured(one, spec)) for spec in specs}
    assert len(noise) == 15
    assert measured(one) == measured(specs_of(study, "gp1", functions="107")[0])
    assert measured(one) != measured(one, replace(one, seed=2))


def test_same_bits_in_any_process_and_order(study: MakeStudy) -> None:
    """The same trials here, again in reverse, replayed, and in workers: the same files and improvements."""
    asked = {"functions": "101,108,124", "instances": "1,2"}
    specs = [spec for name in ("cmaes", "ada_kendall") for spec in specs_of(study, name, **asked)]
    once = [run_trial(spec) for spec in specs]
    again = [run_trial(spec) for spec in reversed(specs)]
    assert [found(record) for record in once] == [found(record) for record in reversed(again)]
    assert [replay(once[number]).difference for number in (3, 9)] == [None, None]
    with LocalWorkers(1) as workers:
        done = [result for result in results(specs[::-1], workers) if isinstance(result, FinishedTrial)]
    theirs = {result.spec: found(decode(result.content)) for result in done}
    assert theirs == {spec: found(record) for spec, record in zip(specs, once, strict=True)}


def evaluating(
    monkeypatch: pytest.MonkeyPatch,
    suite: str,
    place: tuple[int, int, int],
    points: Any,
    values: list[float] | None = None,
) -> TrialSpec:
    """Return the spec of a trial that evaluates given points and adds what it measures to ``values``."""
    measured = [] if values is None else values

    def minimize(problem: Problem, rng: object) -> None:
        measured.extend(problem(point) for point in points)

    return stand_in(monkeypatch, minimize, suite, place, len(points))


def approach(x_opt: Any, number: int = 300) -> Any:
    """Return points that come ever closer to the optimum, not evenly."""
    rng = np.random.default_rng(5)
    steps = 10.0 ** np.linspace(0, -6, number) * rng.uniform(0.2, 2, number)
    directions = rng.standard_normal((number, len(x_opt)))
    return x_opt + steps[:, None] * directions / np.linalg.norm(directions, axis=1)[:, None]


# The ellipsoid of bbob, f10, is another: its condition is 1e6, not 1e4.
@pytest.mark.parametrize("function", [f for f in NOISY.functions if NOISY.bbob_functions[f] != 10])
def test_delta_f_is_noise_free(monkeypatch: pytest.MonkeyPatch, function: int) -> None:
    """What a record says came down is what the function of bbob without noise says, but for COCO's targets."""
    twin = cocoex.BareProblem("bbob", NOISY.bbob_functions[function], 3, 2)
    points = approach(np.asarray(twin.best_parameter()))
    scale = 0.1 if NOISY.bbob_functions[function] == 19 else 1.0  # Griewank-Rosenbrock is a tenth of bbob's
    best = np.minimum.accumulate([scale * (twin(point) - twin.best_value()) for point in points])
    record = run_trial(evaluating(monkeypatch, "bbob-noisy", (function, 3, 2), points))
    outcome = record.outcome
    at, to = np.array(outcome.improved_at), np.array(outcome.improved_to)
    np.testing.assert_allclose(to, best[at - 1], rtol=1e-8, atol=1e-11)
    assert outcome.evaluations == len(points)
    told = np.array([best_after(outcome, n) for n in range(1, len(points) + 1)])
    assert np.all(told <= np.maximum(best, 1e-8) * 10**0.05 * (1 + 1e-8))
    assert outcome.best_delta_f == pytest.approx(best[-1], rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("function", [101, 102, 107, 108, 110, 119, 128])
def test_lucky_measurements_hit_no_target(monkeypatch: pytest.MonkeyPatch, function: int) -> None:
    """Of 200 measurements of one point some are below a target that the point is above: it is not hit."""
    values: list[float] = []
    spec = evaluating(monkeypatch, "bbob-noisy", (function, 2, 1), np.full((200, 2), 4.5), values)
    true = run_trial(spec).outcome.best_delta_f
    lucky = min(values) - optimal_value(spec)
    assert lucky < true
    outcome = run_trial(replace(spec, target=(lucky + true) / 2)).outcome
    assert outcome.status == TrialStatus.BUDGET_USED
    assert (outcome.evaluations, outcome.best_delta_f) == (200, true)


def test_a_noisy_trial_goes_on_at_its_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can see there that the optimum is found; the record says when it was, and that it was."""
    x_opt = np.asarray(cocoex.BareProblem("bbob", 1, 2, 1).best_parameter())
    points = [np.zeros(2), np.zeros(2), *[x_opt] * 18]
    outcome = run_trial(evaluating(monkeypatch, "bbob-noisy", (107, 2, 1), points)).outcome
    assert outcome.status == TrialStatus.TARGET_HIT
    assert (outcome.improved_at, outcome.evaluations) == ((1, 3), 20)
    assert outcome.best_delta_f == 0


def test_a_trial_of_a_wrong_optimum_fails(monkeypatch: pytest.MonkeyPatch, study: MakeStudy) -> None:
    """COCO's files name the optimal value: a trial that held its values to another is none."""
    (spec,) = specs_of(study, suite="bbob-largescale", functions="1", dimensions="20", budget=1)
    monkeypatch.setattr("sacma.experiment.trial.optimal_value", lambda _: 79.49)
    with pytest.raises(RuntimeError, match=r"COCO's optimal value is 79\.48, not 79\.49"):
        run_trial(spec)


@pytest.mark.parametrize("dimension", [40, 80, 320])
def test_largescale_delta_f_is_exact(monkeypatch: pytest.MonkeyPatch, dimension: int) -> None:
    """What the record says is what COCO's files say, at all that they tell."""
    points = np.random.default_rng(1).uniform(-4, 4, (30, dimension))
    record = run_trial(evaluating(monkeypatch, "bbob-largescale", (8, dimension, 3), points))
    at, to = record.coco.improvements()
    assert [best_after(record.outcome, evaluation) for evaluation in at] == pytest.approx(to, rel=1e-9)


def test_traces_of_large_dimensions(study: MakeStudy, tmp_path: Path) -> None:
    """Dimensions beyond 255 are in the traces as they are."""
    (spec,) = specs_of(study, suite="bbob", functions="1")
    trace = run_trial(spec).trace
    write_traces(tmp_path / "t.parquet", [(spec, trace), (replace(spec, dimension=320), trace)])
    assert set(pd.read_parquet(tmp_path / "t.parquet")["dimension"]) == {2, 320}
