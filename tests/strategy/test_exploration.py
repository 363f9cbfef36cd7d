"""Searches of other optima: when one is due, where it begins, and what it finds."""

from typing import Any

import numpy as np

from sacma.optimize.methods import named
from sacma.strategy.exploration import Exploration
from sacma.strategy.settings import StrategySettings
from sacma.types import Array
from tests.strategy.runs import Run, rosenbrock, sphere


def settings(*, elsewhere: bool) -> StrategySettings:
    content: dict[str, Any] = named("sacma").settings.model_dump()
    return StrategySettings.model_validate({**content, "start": {"name": "trust-region", "elsewhere": elsewhere}})


def two_spheres(x: Array) -> float:
    """Return the lower one of two spheres; the better is the narrower, and far from the points at which runs begin."""
    return float(min(4.0 * np.sum((x - 4.0) ** 2), 10.0 + np.sum((x + 2.0) ** 2)))


def test_the_better_of_two_optima_is_found() -> None:
    """From points nearer to the other one, where the first search and the first run end."""
    starts = iter([np.full(3, -1.0), *np.random.default_rng(1).uniform(-4, 4, (200, 3))])
    found = Run(settings(elsewhere=True), 3, initial_point=starts.__next__).until(120, two_spheres)
    assert found.es.best_value < 1e-8
    assert min(map(two_spheres, np.concatenate(found.asked)[:15])) >= 10.0


def two_valleys(x: Array) -> float:
    """Return a sphere around (−1, −1, −1), outside of which there is a curved valley."""
    near = sphere(x + 2.0)
    return near if near < 1.0 else 10.0 + rosenbrock(x)


def test_a_search_has_twice_the_evaluations_of_the_first() -> None:
    """Where its model promises much to the end: 10 D."""
    starts = iter([np.full(3, -1.1), *np.random.default_rng(1).uniform(-4, 4, (100, 3))])
    asked = np.concatenate(Run(settings(elsewhere=True), 3, initial_point=starts.__next__).until(85, two_valleys).asked)
    far = np.sum((asked + 1.0) ** 2, axis=1) > 1.0
    assert not far[20:40].any()
    assert np.sum(far[20:]) == 30


def test_searches_become_rare() -> None:
    """A function of one optimum pays for few of them: the number of evaluations until the next grows by a fifth."""
    with_searches, without = (Run(settings(elsewhere=elsewhere), 2).until(400, sphere) for elsewhere in (True, False))
    far = [np.concatenate(run.asked)[30:, 0] for run in (with_searches, without)]
    assert np.sum(np.abs(far[0]) > 1.0) > np.sum(np.abs(far[1]) > 1.0)
    exploration = Exploration(2.0)
    for evaluations, found in ((100, np.zeros(2)), (200, None)):
        exploration.start(np.zeros(2), np.ones((1, 2)))
        exploration.learn(found, evaluations)
        for deviation, narrow in ((0.0, True), (0.00039, True), (0.00041, False)):
            after = 6 * evaluations // 5
            assert [exploration.due(n, deviation) for n in (after - 1, after)] == [False, narrow]


def test_a_search_begins_far_from_all_optima() -> None:
    """At the point whose nearest optimum is the farthest."""
    drawn, exploration = np.random.default_rng(1).uniform(-1, 1, (20, 3)), Exploration(1.0)
    optima: list[Array] = []
    for found in np.random.default_rng(2).uniform(-1, 1, (6, 3)):
        optima.append(found)
        nearest = [min(float(np.sum((x - optimum) ** 2)) for optimum in optima) for x in drawn]
        np.testing.assert_array_equal(exploration.start(found, drawn), drawn[int(np.argmax(nearest))])
