"""The sequences of starts of IPOP and BIPOP."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from sacma.strategy.restarts import BIPOP, IPOP, Keeps, LastRun, Start
from tests.strategy.judged import box
from tests.strategy.runs import DOUBLY, Run, Scripted, Watched, parts, sphere

LAST = LastRun(100, np.zeros(2), np.ones(2))


def sizes(run: Run, restarts: int) -> list[int]:
    """Return the population sizes of successive runs on a constant function, which stops each run quickly."""
    while not run.es.stopped and (not run.generations or run.generations[-1].restart < restarts):
        run.step(lambda _: 0.0)
    by_restart = {g.restart: g.population_size for g in run.generations}
    return [by_restart[restart] for restart in sorted(by_restart)]


def test_the_population_doubles_and_starts_over() -> None:
    """λ = 6, 12, … doubles at each of max_restarts restarts, then the sequence begins anew."""
    run = Run(parts(restarts={"name": "ipop", "max_restarts": 2}), 2)
    assert sizes(run, 6) == [6, 12, 24, 6, 12, 24, 6]


def test_each_run_begins_at_a_new_point() -> None:
    """They are drawn one after the other."""
    starts = (np.full(2, float(n)) for n in count(1))
    run = Run(parts(sampling={"name": "cma-es", "sigma0": 1e-6}), 2, initial_point=lambda: next(starts))
    sizes(run, 2)
    first_of_run = {g.restart: points for g, points in reversed(list(zip(run.generations, run.asked, strict=False)))}
    for restart in range(3):
        np.testing.assert_allclose(first_of_run[restart], restart + 1.0, atol=1e-4)


@pytest.mark.parametrize("most", [0, 2])
def test_starts(most: int) -> None:
    """Each at a new point with archive and errors kept, also where the sequence begins anew."""
    plan = IPOP(max_restarts=most)
    following = plan.starts(box(2))
    starts = [next(following), *(following.send(LAST) for _ in range(3))]
    growths = [1.0, 2.0, 4.0, 1.0] if most else [1.0] * 4
    assert starts == [Start(growth, None, Keeps.ARCHIVE_AND_ERROR) for growth in growths]
    assert not plan.evaluates_means
    assert not plan.evaluates_initial_points


@pytest.mark.parametrize("bounds", ["none", "transform"])
def test_initial_points_are_evaluated_first(bounds: str) -> None:
    """Each before the samples of its run; it counts, and models learn from it."""
    starts = (np.full(2, 0.5 * n) for n in count(1))
    sampling = Watched.model_validate({"bounds": bounds, "stop_at": 2, "sigma0": 0.1})
    model = Scripted()
    restarts = {"name": "ipop", "evaluates_initial_points": True}
    content = parts(model=model, control=DOUBLY, sampling=sampling, restarts=restarts)
    run = Run(content, 2, initial_point=lambda: next(starts)).until(40, sphere)
    asked = [points[0] for points in run.asked if len(points) == 1]
    for start in (0.5, 1.0):
        assert any(np.allclose(point, start, atol=1e-12) for point in asked)
    np.testing.assert_allclose(run.asked[0], [[0.5, 0.5]])
    assert run.es.true_evaluations == len(run.values)
    assert sphere(np.full(2, 0.5)) in model.built[0].sets[0].values
    assert sphere(np.full(2, 1.0)) in model.built[0].sets[-1].values


def taken(evaluations_of: Callable[[Start], int], number: int, **settings: object) -> list[Start]:
    """Return the starts of BIPOP, with runs that take so many evaluations."""
    following = BIPOP(**settings).starts(box(2))  # type: ignore[arg-type]
    starts = [next(following)]
    while len(starts) < number:
        starts.append(following.send(replace(LAST, evaluations=evaluations_of(starts[-1]))))
    return starts


def test_two_regimes_share_the_evaluations() -> None:
    """Large populations double; in between are small runs, with about as many evaluations."""
    starts = taken(lambda start: int(100 * start.growth), 60)
    assert (starts[0].growth, starts[0].step) == (1.0, 1.0)
    large = [start for start in starts[1:] if start.step == 1.0]
    small = [start for start in starts if start.step < 1.0]
    assert [start.growth for start in large] == [2.0**n for n in range(1, len(large) + 1)]
    assert len(large) >= 4
    assert starts[1] is large[0]
    used = [sum(int(100 * start.growth) for start in of) for of in (large[:-1], small)]
    assert 0.8 * used[0] <= used[1] <= used[0] + 100 * large[-1].growth
    assert len(small) > 3 * len(large)
    assert all(start.keeps is Keeps.ARCHIVE_AND_ERROR and start.initial_point is None for start in starts)


def test_small_runs_are_between_the_first_and_half_the_last_large_one() -> None:
    """Small steps are uniform on a logarithmic scale, small populations mostly near the first."""
    starts = taken(lambda start: 1 if start.step < 1.0 else 1000, 3000, max_restarts=5)
    small = [start for start in starts if start.step < 1.0]
    growths, steps = np.array([start.growth for start in small[2000:]]), np.log10([start.step for start in small])
    assert len(starts) - len(small) <= 6
    large = max(start.growth for start in starts)
    assert 1.0 <= growths.min() <= 1.01
    assert 0.9 * large / 2 < growths.max() <= large / 2
    assert np.median(growths) == pytest.approx((large / 2) ** 0.25, rel=0.1)
    np.testing.assert_allclose(np.quantile(steps, [0.0, 0.25, 0.5, 0.75, 1.0]), [-2.0, -1.5, -1.0, -0.5, 0.0], atol=0.1)
