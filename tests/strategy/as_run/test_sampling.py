"""Sampling as in the published code: models learn what f has seen, and predict points as sampled."""

from typing import Any

import numpy as np
import pytest

from sacma.strategy.restarts import Start
from sacma.surrogate.base import FitStatus
from tests.strategy.judged import box
from tests.strategy.runs import Run, generations, parts, sphere

AS_RUN: dict[str, Any] = {"name": "cma-es-as-run"}


@pytest.mark.parametrize(("name", "outside"), [("cma-es", True), ("cma-es-as-run", False)])
def test_repaired_points_are_learnt(name: str, *, outside: bool) -> None:
    """With a penalty, as run, none that is outside of the box."""
    sampling = parts(sampling={"name": name, "bounds": "penalty", "sigma0": 8.0}).sampling
    run = sampling.start(Start(1.0), np.zeros(3), box(3))
    run.ask()
    assert (np.abs(run.learned).max() > 5.0) == outside
    assert np.abs(run.sampled).max() > 5.0
    seen, learned = run.place(run.sampled)
    np.testing.assert_array_equal(seen, np.array(run.proposed))
    np.testing.assert_array_equal(learned, run.learned)


def test_bounds_are_a_penalty() -> None:
    """By default."""
    assert parts(sampling=AS_RUN).sampling.bounds == "penalty"


def test_a_model_is_not_rejected_for_a_repaired_population() -> None:
    """Where the whole population is repaired to one corner, the model is checked on points as sampled."""
    run = Run(parts(control=generations(1), sampling={**AS_RUN, "sigma0": 2.0})).until(400, lambda x: float(np.sum(x)))
    statuses = [g.fit_status for g in run.generations if g.fit_status]
    assert statuses.count(FitStatus.TRAINED) > 0.9 * len(statuses)


def test_proposals_are_learnt_repaired() -> None:
    """As the populations are."""
    run = Run(parts(control=generations(1), sampling={**AS_RUN, "sigma0": 8.0}, proposals={"name": "model-optimum"}))
    run.until(60, lambda x: sphere(x - 6.0))
    assert any(len(points) == 1 for points in run.asked)
    assert np.abs(run.points).max() <= 5.0
