"""The what-if update against pycma's own."""

import cma
import numpy as np
import pytest

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.cma_update import cma_update
from tests.strategy.judged import box


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize(("D", "population_size"), [(2, 6), (5, 8), (5, 40), (20, 12)])
def test_is_pycmas_update(D: int, population_size: int, active: bool) -> None:  # noqa: FBT001
    """Mean, σ and C after the update agree with pycma's to 1e-10 over 150 generations of an ill-conditioned run."""
    context = box(D, seed=7)
    es = CMAES(context.rng.uniform(-4, 4, D), population_size, CMAESSampling(active=active), context)
    for _ in range(150):
        es.ask()
        values = np.array([cma.ff.elli(x) for x in es.sampled])
        state = es.state()
        predicted = cma_update(state, es.sampled, values)
        es.tell(values)
        after = es.state()
        np.testing.assert_allclose(predicted.mean, after.mean, rtol=1e-10, atol=1e-10 * after.sigma)
        assert predicted.sigma == pytest.approx(after.sigma, rel=1e-10)
        np.testing.assert_allclose(predicted.C, after.C, rtol=0, atol=1e-10 * np.abs(after.C).max())


def test_leaves_the_state_alone() -> None:
    """It is pure: neither the state nor the population changes."""
    es = CMAES(np.ones(3), 7, CMAESSampling(), box(3))
    es.ask()
    state, points = es.state(), es.sampled.copy()
    before = [np.array(a) for a in (state.mean, state.C, state.pc, state.ps)]
    cma_update(state, es.sampled, np.arange(7.0))
    for old, new in zip(before, (state.mean, state.C, state.pc, state.ps), strict=True):
        np.testing.assert_array_equal(old, new)
    np.testing.assert_array_equal(points, es.sampled)
