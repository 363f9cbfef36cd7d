"""Sampling, restarts, model and acceptance as in the published code; its control is in test_generation_control."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sacma.strategy import as_run
from sacma.strategy.as_run import GaussianProcessAsRun, IPOPAsRun, SpansSample
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.cma_update import cma_update
from sacma.strategy.restarts import Keeps, LastRun, Start
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, Search, SearchedFrom
from sacma.surrogate.model import FitStatus
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array
from tests.strategy.judged import box
from tests.strategy.runs import KENDALL, Run, Scripted, Watched, generations, parts, rastrigin, sphere
from tests.surrogate.test_gaussian_process import data

WIDE = {"radius": 1e6}
RESTARTS = {"name": "ipop-as-run"}
SAMPLING: dict[str, Any] = {"name": "cma-es-as-run"}


@pytest.mark.parametrize(
    ("reach", "span", "accepted"),
    [(1.0, 1e-7, True), (1.0, 1e-9, False), (1e-9, 1e-10, True), (1e-9, 1e-11, False), (1.0, np.nan, False)],
)
def test_the_span_of_a_repaired_sample_decides(*, reach: float, span: float, accepted: bool) -> None:
    """At least min(1e-8, 5 % of the training values' range); NaN is none, and no point is outside of the box."""
    run = CMAESSampling(bounds="penalty", sigma0=8.0).start(Start(1.0), np.zeros(2), box(2))
    run.ask()

    def model(x: Array) -> Array:
        assert np.abs(x).max() == 5.0
        return span * np.linspace(0, 1, len(x))

    status = SpansSample().judge(model, run, np.array([0.0, reach]))
    assert status == (FitStatus.TRAINED if accepted else FitStatus.NARROW_PREDICTION)


def test_starts() -> None:
    """Twice at the same point with everything kept, then at the best recent point, or at m if f is lower there."""
    plan = IPOPAsRun(max_restarts=2)
    starts = plan.starts(box(2))
    assert next(starts) == Start(1.0, keeps=Keeps.NOTHING)
    x0, mean, best = np.ones(2), np.full(2, 2.0), np.full(2, 3.0)
    others = [starts.send(LastRun(10, x0, mean, value, (best, 1.0))) for value in (9.0, 9.0, 1.5, 9.0, 9.0, 0.5)]
    assert [start.growth for start in others] == [2.0, 4.0, 1.0, 2.0, 4.0, 1.0]
    assert [start.keeps for start in others] == [Keeps.ALL, Keeps.ALL, Keeps.NOTHING] * 2
    np.testing.assert_array_equal([start.initial_point for start in others], [x0, x0, best, x0, x0, mean])


@pytest.mark.parametrize(("restarts", "expected"), [("ipop", "TmmmmmT"), ("ipop-as-run", "mmmTmmmmm")])
def test_model_and_phase_survive_a_restart(restarts: str, expected: str) -> None:
    """After two of five model generations the run stops: as run, the new one begins with the other three."""
    content: dict[str, Any] = {"training_set": WIDE, "sampling": Watched(stop_at=4), "restarts": {"name": restarts}}
    model = Scripted()
    run = Run(parts(control=generations(5), model=model, **content)).until(80)
    assert run.pattern.startswith("TTmm" + expected)
    assert run.generations[4].population_size == 2 * run.generations[3].population_size
    assert ("x" in model.built[0].events) == (restarts == "ipop")


def test_after_the_last_restart_everything_is_forgotten() -> None:
    """The first training has few points again, and there is no smoothed error."""
    settings = parts(control=KENDALL, training_set=WIDE, restarts={**RESTARTS, "max_restarts": 1})
    run = Run(settings, 2).until(4000, rastrigin)
    first_of_run = [b for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert {g.restart % 2 for g in first_of_run} == {0, 1}
    for g in first_of_run:
        fresh = g.restart % 2 == 0
        assert (0 < g.training_set_size < 30) == fresh
        if fresh or g.evaluated_by == "true":
            assert math.isnan(g.smoothed_error) == fresh


def test_means_are_evaluated_and_kept_apart() -> None:
    """x₀ comes alone before each run, within the bounds, and m after it; both count, and no model sees them."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=generations(1), model=model, training_set=WIDE, sampling=sampling, restarts=RESTARTS), 2)
    while not run.generations or run.generations[-1].restart < 2:
        run.step(rastrigin if len(run.es.ask()) > 1 else lambda _: -777.0)
    assert run.es.true_evaluations == len(run.points)
    alone = [points[0] for points in run.asked if len(points) == 1]
    assert len(alone) >= 5
    np.testing.assert_array_equal(alone[:5:2], [alone[0]] * 3)
    np.testing.assert_array_equal(alone[1], sampling.runs[0].mean)
    assert not np.array_equal(alone[0], alone[1])
    assert run.es.best_value == -777.0
    assert all(training.values.min() > -1.0 for training in model.built[0].sets)
    assert all(values.min() > -100.0 for values in sampling.told)
    outside = parts(sampling={"name": "cma-es", "bounds": "penalty"}, restarts=RESTARTS)
    run = Run(outside, initial_point=lambda: np.array([9.0, 0.0, -7.0]))
    np.testing.assert_array_equal(run.es.ask(), [[5.0, 0.0, -5.0]])
    run.es.end([1.0])  # it belongs to no generation
    assert (run.es.true_evaluations, run.es.best_value, run.generations) == (1, 1.0, [])


@pytest.mark.parametrize(("name", "outside"), [("cma-es", True), ("cma-es-as-run", False)])
def test_repaired_points_are_learnt(name: str, *, outside: bool) -> None:
    """With a penalty, which is the default as run, none that is outside of the box; nor proposals."""
    assert parts(sampling=SAMPLING).sampling.bounds == "penalty"
    sampling = parts(sampling={"name": name, "bounds": "penalty", "sigma0": 8.0}).sampling
    run = sampling.start(Start(1.0), np.zeros(3), box(3))
    run.ask()
    assert (np.abs(run.learned).max() > 5.0) == outside
    assert np.abs(run.sampled).max() > 5.0
    seen, learned = run.place(run.sampled)
    np.testing.assert_array_equal(seen, np.array(run.proposed))
    np.testing.assert_array_equal(learned, run.learned)
    proposing = parts(control=generations(1), sampling=sampling, proposals={"name": "model-optimum"})
    asked = Run(proposing).until(60, lambda x: sphere(x - 6.0))
    assert any(len(points) == 1 for points in asked.asked)
    assert np.abs(asked.points).max() <= 5.0


@pytest.mark.parametrize(("D", "ratio"), [(2, 1.48), (5, 1.25), (20, 1.12)])
def test_constants_of_cmaes_m(D: int, ratio: float) -> None:
    """c_μ of pycma is larger, its c_σ at most ½; the update has the constants that the state shows."""
    kinds = ("cmaes.m", "pycma")
    runs = [
        parts(sampling={**SAMPLING, "constants": of}).sampling.start(Start(1.0), np.zeros(D), box(D)) for of in kinds
    ]
    for run in runs:
        run.ask()
    ours, pycma = (run.state().constants for run in runs)
    assert pycma.cmu / ours.cmu == pytest.approx(ratio, abs=0.01)
    assert ours.cs == pytest.approx((ours.mueff + 2) / (D + ours.mueff + 3))
    assert pycma.cs == pytest.approx(min(0.5, ours.cs))
    assert ours.ds == pytest.approx(1 + ours.cs)
    assert (ours.c1, ours.cc) == (pycma.c1, pycma.cc)
    for run in runs:
        values = np.arange(run.population_size, dtype=float)
        expected = cma_update(run.state(), run.sampled, values)
        run.tell(values)
        run.ask()
        after = run.state()
        np.testing.assert_allclose(after.C, expected.C, rtol=1e-10)
        assert after.sigma == pytest.approx(expected.sigma, rel=1e-10)


def test_step_size_is_at_most_half_of_the_box() -> None:
    """The standard deviation of a coordinate: 5 of 10; pycma's own limit is a third."""
    for name, limit in (("cma-es", 10 / 3), ("cma-es-as-run", 5.0)):
        sampling = parts(sampling={"name": name, "bounds": "penalty", "sigma0": 50.0}).sampling
        run = sampling.start(Start(1.0), np.zeros(3), box(3))
        np.testing.assert_allclose(np.linalg.inv(run.whitening().to_white), limit * np.eye(3), atol=1e-12)


def test_each_search_begins_at_the_published_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was kept; where the log likelihood grows by less than asked, a search from several follows."""
    here, training = Whitening(np.zeros(10), np.eye(10)), data(10, 150)

    def fit(least: float) -> GaussianProcess:
        monkeypatch.setattr(as_run, "SECOND_SEARCH_BELOW", least)
        model = GaussianProcessAsRun().build(box(10))
        first = model.fit(training, here)
        assert isinstance(first, GaussianProcess)
        model.keep(first, here)
        second = model.fit(training, here)
        assert isinstance(second, GaussianProcess)
        assert (second.hyperparameters, second.costs) == (first.hyperparameters, first.costs)
        return first

    search = Search.of(training)
    assert isinstance(search, Search)
    grown = search.run(SearchedFrom.START, [Hyperparameters(0.5, 2.5e-5)])
    alone, followed = fit(0.99 * grown), fit(1.01 * grown)
    assert (alone.costs["searched_from"], followed.costs["searched_from"]) == ("start", "several starts")
    assert followed.log_likelihood > alone.log_likelihood
    constant = TrainingSet(training.inputs, np.ones(150))
    assert GaussianProcessAsRun().build(box(10)).fit(constant, here) == FitStatus.CONSTANT_VALUES
