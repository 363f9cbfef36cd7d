"""Restarts as in the published code: the same point, everything kept, means evaluated, and a start afresh."""

import math
from itertools import pairwise

import numpy as np
import pytest

from sacma.strategy.as_run.restarts import IPOPAsRun
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import Keeps, LastRun, Start
from sacma.surrogate.base import FitStatus
from tests.strategy.judged import box
from tests.strategy.runs import DOUBLY, KENDALL, Run, Scripted, Watched, generations, parts, rastrigin, sphere

WIDE = {"radius": 1e6}
AS_RUN = {"name": "ipop-as-run"}


def test_starts() -> None:
    """Twice at the same point with everything kept, then at the best recent point, or at m if f is lower there."""
    last = CMAESSampling().start(Start(1.0), np.ones(2), box(2))
    last.ask()
    last.tell(np.array([3.0, 2.0, 1.0, 5.0, 6.0, 7.0]))
    plan = IPOPAsRun(max_restarts=2).build(box(2))
    assert plan.evaluates_means
    first = plan.next(None)
    others = [plan.next(LastRun(last, 10, value)) for value in (9.0, 9.0, 1.5, 9.0, 9.0, 0.5)]
    assert first == Start(1.0, keeps=Keeps.NOTHING)
    assert all(start is not None for start in others)
    assert [start.growth for start in others if start] == [2.0, 4.0, 1.0, 2.0, 4.0, 1.0]
    memory = [Keeps.ALL, Keeps.ALL, Keeps.NOTHING]
    assert [start.keeps for start in others if start] == memory * 2
    points = [start.initial_point for start in others if start]
    np.testing.assert_array_equal([points[0], points[1], points[3]], np.ones((3, 2)))
    np.testing.assert_array_equal(points[2], last.proposed[2])
    np.testing.assert_array_equal(points[5], last.mean)


@pytest.mark.parametrize(("restarts", "expected"), [("ipop", "TmmmmmT"), ("ipop-as-run", "mmmTmmmmm")])
def test_model_and_phase_survive_a_restart(restarts: str, expected: str) -> None:
    """After two of five model generations the run stops: as run, the new one begins with the other three."""
    model = Scripted()
    settings = parts(
        control=generations(5),
        model=model,
        training_set=WIDE,
        sampling=Watched(stop_at=4),
        restarts={"name": restarts},
    )
    run = Run(settings).until(80)
    assert run.pattern.startswith("TTmm" + expected)
    assert run.generations[4].population_size == 2 * run.generations[3].population_size
    assert ("x" in model.built[0].events) == (restarts == "ipop")


def test_after_the_last_restart_everything_is_forgotten() -> None:
    """The first training has few points again, and there is no smoothed error."""
    settings = parts(control=KENDALL, training_set=WIDE, restarts={**AS_RUN, "max_restarts": 1})
    run = Run(settings, 2).until(4000, rastrigin)
    first_of_run = [b for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert {g.restart % 2 for g in first_of_run} == {0, 1}
    for g in first_of_run:
        fresh = g.restart % 2 == 0
        assert (0 < g.training_set_size < 30) == fresh
        if fresh or g.evaluated_by == "true":
            assert math.isnan(g.smoothed_error) == fresh


@pytest.mark.parametrize("restarts", ["ipop", "ipop-as-run"])
def test_an_adaptive_share_is_forgotten_with_all_else(restarts: str) -> None:
    """After the last restart as run there are too few points again, and the first smoothed error."""
    share = {"name": "adaptive", "smallest": 0.5}
    restart = {"name": restarts, "max_restarts": 0}
    run = Run(parts(control={**DOUBLY, "share": share}, training_set=WIDE, restarts=restart), 2).until(900, rastrigin)
    after = [b for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert after
    for g in after:
        fresh = restarts == "ipop-as-run"
        assert (g.fit_status == FitStatus.TOO_FEW_POINTS) == fresh
        assert (g.smoothed_error == 0.05) == fresh


def test_points_given_at_the_start_are_not_forgotten() -> None:
    """They belong to no run."""
    X = np.random.default_rng(2).uniform(-4, 4, (30, 3))
    settings = parts(control=generations(1), training_set=WIDE, restarts={**AS_RUN, "max_restarts": 0})
    run = Run(settings, archive=(X, np.array([rastrigin(x) for x in X]))).until(2500, rastrigin)
    after = [b for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert after
    assert all(g.training_set_size == 37 for g in after)


def test_means_are_evaluated_and_kept_apart() -> None:
    """x₀ comes alone before each run, m alone after it; both count, and no model sees them."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=generations(1), model=model, training_set=WIDE, sampling=sampling, restarts=AS_RUN), 2)
    while not run.generations or run.generations[-1].restart < 2:
        run.step(rastrigin if len(run.es.ask()) > 1 else lambda _: -777.0)
    assert run.es.true_evaluations == len(run.points)
    alone = [points[0] for points in run.asked if len(points) == 1]
    assert len(alone) >= 5
    np.testing.assert_array_equal(alone[:5:2], [alone[0]] * 3)
    np.testing.assert_array_equal(alone[1], sampling.runs[0].mean)
    assert not np.array_equal(alone[0], alone[1])
    assert run.es.best_value == -777.0
    assert all(training.values.min() >= 0.0 for training in model.built[0].sets)
    assert all(values.min() >= 0.0 for values in sampling.told)


def test_ending_at_a_mean_reports_no_generation() -> None:
    """A mean belongs to none; it counts all the same."""
    run = Run(parts(restarts=AS_RUN))
    assert len(run.es.ask()) == 1
    run.es.end([1.0])
    assert (run.es.true_evaluations, run.es.best_value, run.generations) == (1, 1.0, [])


def test_the_first_mean_is_evaluated_within_the_bounds() -> None:
    """x₀ outside of the box is repaired before f sees it."""
    sampling = {"name": "cma-es", "bounds": "penalty"}
    start = np.array([9.0, 0.0, -7.0])
    run = Run(parts(sampling=sampling, restarts=AS_RUN), initial_point=lambda: start)
    np.testing.assert_array_equal(run.es.ask(), [[5.0, 0.0, -5.0]])
    run.step(sphere)
    assert run.es.best_value == sphere(np.array([5.0, 0.0, -5.0]))
