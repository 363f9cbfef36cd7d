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


@pytest.mark.parametrize("generations", [0, 1, 2, 5, 30])
@pytest.mark.parametrize("D", [2, 7])
def test_a_long_path_stalls_the_other(D: int, generations: int) -> None:
    """Where p_σ becomes longer than √(D (2 + 4/(D + 1))), in its first generations less, as in pycma."""
    kept = []
    for factor in (0.999, 1.001):
        es = CMAES(np.ones(D), 8, CMAESSampling(), box(D, seed=3))
        for _ in range(generations):
            es.ask()
            es.tell(np.sum(es.sampled**2, axis=1))
        es.ask()
        values = np.sum(es.sampled**2, axis=1)
        before = es.state()
        k, best = before.constants, es.sampled[np.argsort(values)[:4]]
        step = before.C_inverse_root @ (k.weights[:4] @ best - before.mean) / before.sigma
        settled = 1 - (1 - k.cs) ** (2 * (generations + 1))
        path = np.sqrt(factor * D * (2 + 4 / (D + 1)) * settled) * np.eye(D)[0]
        es._es.adapt_sigma.ps[:] = (path - np.sqrt(k.cs * (2 - k.cs) * k.mueff) * step) / (1 - k.cs)
        predicted = cma_update(es.state(), es.sampled, values)
        es.tell(values)
        after = es.state()
        np.testing.assert_allclose(after.ps, path, atol=1e-9)
        np.testing.assert_allclose(predicted.C, after.C, rtol=0, atol=1e-10 * np.abs(after.C).max())
        assert predicted.sigma == pytest.approx(after.sigma, rel=1e-10)
        kept.append(np.allclose(after.pc, (1 - k.cc) * before.pc, rtol=1e-9, atol=1e-12))
    assert kept == [False, True]


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
