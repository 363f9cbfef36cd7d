"""Searches of other optima: when one is due, where it begins, and what it finds."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sacma.optimize.methods import named
from sacma.strategy.exploration import Exploration
from sacma.strategy.settings import StrategySettings
from sacma.strategy.trust_region import Found
from sacma.types import Array
from tests.strategy.runs import Run, sphere


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


def test_searches_are_rare_where_one_optimum_is_known() -> None:
    """A function of one optimum pays for few of them: the number of evaluations until the next triples."""
    with_searches, without = (Run(settings(elsewhere=elsewhere), 2).until(400, sphere) for elsewhere in (True, False))
    far = [np.concatenate(run.asked)[30:, 0] for run in (with_searches, without)]
    assert np.sum(np.abs(far[0]) > 1.0) > np.sum(np.abs(far[1]) > 1.0)
    exploration = Exploration(1.0)
    evaluations, begun = 20, []
    while evaluations < 2000:
        if exploration.due(evaluations, 0.0):
            begun.append(evaluations)
            exploration.start(np.zeros(2), np.ones((1, 2)))
            exploration.learn(Found(np.full(2, 0.01), 1e-9, 0.0), best=0.0, evaluations=evaluations)
        evaluations += 1
    assert all(later >= 3 * earlier for earlier, later in pairwise(begun))
    assert len(begun) == 5


@pytest.mark.parametrize(
    ("point", "value", "promised", "several"),
    [
        (0.3, 6.0, 0.49, True),
        (0.3, 6.0, 0.51, False),
        (0.3, 3.9, np.inf, True),
        (0.3, 4.0, 0.0, False),
        (0.19, 6.0, 0.1, False),
        (0.21, 6.0, 0.1, True),
    ],
    ids=["an optimum of its own", "on its way", "better", "as good", "the same optimum", "apart from it"],
)
def test_another_optimum_is_known(point: float, value: float, promised: float, *, several: bool) -> None:
    """It is apart, and better or as deep as its model promises; then searches are frequent, also after others."""
    exploration = Exploration(2.0)
    exploration.start(np.zeros(2), np.ones((1, 2)))
    exploration.learn(Found(np.array([point, 0.0]), value, promised), best=4.0, evaluations=100)
    after = 110 if several else 300
    for deviation, narrow in ((0.0, True), (0.00199, True), (0.00201, False)):
        assert [exploration.due(n, deviation) for n in (after - 1, after + 1)] == [False, narrow]
    exploration.learn(None, best=4.0, evaluations=200)
    assert [exploration.due(2 * n, 0.0) for n in (after - 1, after + 1)] == [False, True]


def test_a_search_begins_far_from_all_optima() -> None:
    """At the point whose nearest optimum is the farthest."""
    drawn, exploration = np.random.default_rng(1).uniform(-1, 1, (20, 3)), Exploration(1.0)
    optima: list[Array] = []
    for found in np.random.default_rng(2).uniform(-1, 1, (6, 3)):
        optima.append(found)
        nearest = [min(float(np.sum((x - optimum) ** 2)) for optimum in optima) for x in drawn]
        np.testing.assert_array_equal(exploration.start(found, drawn), drawn[int(np.argmax(nearest))])
