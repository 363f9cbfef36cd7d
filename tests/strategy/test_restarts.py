"""The sequence of starts of IPOP."""

from itertools import count

import numpy as np
import pytest

from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import IPOP, Keeps, Start
from tests.strategy.judged import box
from tests.strategy.runs import DOUBLY, Run, Scripted, Watched, parts, sphere

LAST = CMAESSampling().start(Start(1.0), np.zeros(2), box(2))


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


def test_the_factor_is_a_setting() -> None:
    """λ is multiplied by it, and rounded."""
    run = Run(parts(restarts={"name": "ipop", "max_restarts": 3, "population_factor": 1.5}), 2)
    assert sizes(run, 3) == [6, 9, 14, 20]


def test_the_last_restart_can_be_the_end() -> None:
    """With after_last_restart: stop, the run after the last restart is the last run."""
    run = Run(parts(restarts={"name": "ipop", "max_restarts": 2, "after_last_restart": "stop"}), 2)
    assert sizes(run, 9) == [6, 12, 24]


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
    plan = IPOP(max_restarts=most).build()
    starts = [plan.next(None, np.inf), *(plan.next(LAST, np.inf) for _ in range(3))]
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
