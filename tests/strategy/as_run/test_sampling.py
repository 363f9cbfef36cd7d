"""Sampling as in the published code: models learn what f has seen, and predict points as sampled."""

from typing import Any

import numpy as np
import pytest

from sacma.strategy.cma_update import cma_update
from sacma.strategy.restarts import Start
from sacma.surrogate.base import FitStatus
from tests.strategy.judged import box
from tests.strategy.runs import Run, generations, parts, sphere

AS_RUN: dict[str, Any] = {"name": "cma-es-as-run"}
KINDS = ("cmaes.m", "pycma")


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


@pytest.mark.parametrize(("D", "ratio"), [(2, 1.48), (3, 1.36), (5, 1.25), (10, 1.17), (20, 1.12)])
def test_constants_of_cmaes_m(D: int, ratio: float) -> None:
    """c_μ of pycma is larger, its c_σ at most ½; the update has the constants that the state shows."""
    runs = [parts(sampling={**AS_RUN, "constants": of}).sampling.start(Start(1.0), np.zeros(D), box(D)) for of in KINDS]
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
