"""Points beside those that a run asks for, and what it learns from them."""

from typing import Any

import numpy as np

import sacma


def bowl(x: np.ndarray) -> float:
    return float(np.sum((x - 0.3) ** 2 * [1, 100]))


def after(evaluations: int, **options: object) -> sacma.Optimizer:
    es = sacma.Optimizer([0.0, 0.0], 0.5, seed=1, **options)  # type: ignore[arg-type]
    while es.result.nfev < evaluations:
        X = es.ask()
        es.tell(X, [bowl(x) for x in X])
    return es


def test_they_are_of_the_same_distribution() -> None:
    """N(m, σ²C) of the open population, in the user's coordinates."""
    es = after(60, scale=[1.0, 0.1], method="cmaes")
    rng = np.random.default_rng(1)
    search: Any = es._run._search
    points = np.array([es._run.call.box.points([search.further(rng).seen])[0] for _ in range(4000)])
    strategy = search._strategy
    inner = strategy._sampling._es
    expected = inner.sigma**2 * inner.C * np.outer([1.0, 0.1], [1.0, 0.1])
    assert np.allclose(points.mean(axis=0), inner.mean * [1.0, 0.1], atol=4 * np.sqrt(np.diag(expected) / 4000))
    assert np.allclose(np.cov(points.T), expected, rtol=0.15, atol=0.1 * np.sqrt(np.prod(np.diag(expected))))


def test_they_are_within_the_bounds_and_change_nothing() -> None:
    """The run goes on as if none had been drawn."""
    es, other = (after(6, bounds=(-0.1, 0.4)) for _ in range(2))
    rng = np.random.default_rng(1)
    search: Any = es._run._search
    points = np.array([es._run.call.box.points([search.further(rng).seen])[0] for _ in range(200)])
    assert points.min() == -0.1
    assert points.max() == 0.4
    for run in (es, other):
        X = run.ask()
        run.tell(X, [bowl(x) for x in X])
    assert np.array_equal(es.ask(), other.ask())


def test_models_learn_from_them() -> None:
    """Their values are in the archive, in the strategy's coordinates; they count as no evaluations."""
    es = after(30, scale=[1.0, 0.1])
    search: Any = es._run._search
    strategy = search._strategy
    before, count = es.result.nfev, len(strategy._archive)
    es.tell([[50.0, 0.2]], [7.0])
    archive = strategy._archive
    assert len(archive) == count + 1
    assert np.allclose(archive.points[-1], [50.0, 2.0])
    assert archive.values[-1] == 7.0
    assert es.result.nfev == before
