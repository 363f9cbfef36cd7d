"""Trial specs: order, identity, budgets and seeds."""

from collections.abc import Callable

import numpy as np

from sacma.config.plan import evaluation_triggers, plan
from sacma.config.study import Study
from sacma.experiment.seeding import initial_points, sampling

MakeStudy = Callable[..., Study]


def test_order_is_that_of_the_suite(study: MakeStudy) -> None:
    """Dimension, then function, then instance."""
    specs = plan([study("gp1", functions="1,8", dimensions="2,5", instances="1-2")])
    assert [(s.dimension, s.function, s.instance) for s in specs] == [
        (d, f, i) for d in (2, 5) for f in (1, 8) for i in (1, 2)
    ]


def test_keys_stay(study: MakeStudy) -> None:
    """Records are found by the keys of their trials: a key that changes is a trial that is run again."""
    first, *_, last = plan([study("cmaes")])
    assert (first.key, last.key) == ("c9cc29eeb09d3612e153", "9607ee2265421eb0d164")


def test_key_is_content(study: MakeStudy) -> None:
    """The same content has the same key; another seed, budget or setting has another."""
    protocol = {"functions": "1", "dimensions": "2", "instances": "1"}
    keys = [plan([s])[0].key for s in (study("gp1", **protocol), study("gp1", **protocol))]
    assert keys[0] == keys[1]
    others = [study("gp1", **protocol, seed=2), study("gp1", **protocol, budget=100), study("gp5", **protocol)]
    assert len({keys[0], *(plan([s])[0].key for s in others)}) == 4


def test_triggers_hold_the_papers_budgets() -> None:
    """COCO logs Δf exactly at the paper's multiples of D up to the budget, and at the budget."""
    assert evaluation_triggers(250) == "25,50,83,125,250"
    assert evaluation_triggers(100) == "25,50,83,100"
    assert evaluation_triggers(0.6) == "1"


def test_initial_points_are_paired_and_samples_are_not(study: MakeStudy) -> None:
    """On one problem all algorithms draw the same initial points and different samples."""
    protocol = {"functions": "1", "dimensions": "2", "instances": "1-2"}
    a, a2 = plan([study("gp1", **protocol)])
    b, _ = plan([study("cmaes", **protocol)])
    np.testing.assert_array_equal(initial_points(a).random(4), initial_points(b).random(4))
    draws = [g.random() for g in (sampling(a), sampling(b), sampling(a2), initial_points(a), initial_points(a2))]
    assert len(set(draws)) == 5
    assert sampling(a).random() == sampling(a).random()
