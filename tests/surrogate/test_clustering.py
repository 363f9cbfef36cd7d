"""k-means selection: seeds and centroids against independent implementations, and the points that are chosen."""

import numpy as np
import pytest
from scipy.cluster.vq import kmeans2
from sklearn.cluster import KMeans as Sklearn
from sklearn.cluster import kmeans_plusplus

from sacma.surrogate.clustering import ITERATIONS, k_means_plus_plus, lloyd
from sacma.surrogate.training_set import KMeans
from sacma.types import Array


def converging(D: int, seed: int = 1) -> Array:
    """Return candidates as a converging run leaves them in whitened space: from √D to 64 away, the newest last."""
    n = 100 * D
    return np.random.default_rng(seed).standard_normal((n, D)) * np.geomspace(64 / np.sqrt(D), 1, n)[:, None]


def near(points: Array) -> float:
    """Return the share of points within 3√D of m."""
    return float(np.mean(np.linalg.norm(points, axis=1) < 3 * np.sqrt(points.shape[1])))


def seeds_by_definition(points: Array, uniform: Array) -> list[int]:
    """Draw k-means++ seeds by inverting the cumulative sum of the squared distances to the nearest seed."""
    seeds = [int(uniform[0] * len(points))]
    for u in uniform[1:]:
        squares = np.min([np.sum((points - points[s]) ** 2, axis=1) for s in seeds], axis=0)
        seeds.append(int(np.searchsorted(np.cumsum(squares), u * squares.sum(), side="right")))
    return seeds


@pytest.mark.parametrize("D", [1, 2, 5])
def test_seeds_are_drawn_by_squared_distance(D: int) -> None:
    """Of integer points, whose squared distances are exact; no seed twice."""
    rng = np.random.default_rng(D)
    for _ in range(20):
        points = np.unique(rng.integers(-50, 50, (60, D)), axis=0).astype(float)
        uniform = rng.random(12)
        seeds = k_means_plus_plus(points, uniform)
        assert seeds.tolist() == seeds_by_definition(points, uniform)
        assert len(set(seeds.tolist())) == 12


def test_more_seeds_than_distinct_points() -> None:
    """The last point is repeated."""
    points = np.array([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]])
    seeds = k_means_plus_plus(points, np.full(4, 0.5))
    assert set(seeds.tolist()) <= {0, 1, 2}
    assert seeds[-1] == 2
    assert len(np.unique(KMeans().choose(points, 3, np.random.default_rng(0)))) <= 2


@pytest.mark.parametrize("D", [2, 10])
def test_lloyd_is_scipys(D: int) -> None:
    """Centroids after as many iterations from the same seeds."""
    points = converging(D)
    start = points[np.random.default_rng(2).choice(len(points), 15 * D, replace=False)]
    expected, _ = kmeans2(points, start, iter=ITERATIONS, minit="matrix", missing="raise")
    np.testing.assert_allclose(lloyd(points, start), expected, rtol=1e-10)


@pytest.mark.parametrize("D", [2, 5, 10])
def test_as_few_near_points_are_chosen_as_by_plain_k_means(D: int) -> None:
    """k-means++ spreads the choice over the space: of the points near m few are chosen, of random seeds many."""
    points, size, rng = converging(D), 15 * D, np.random.default_rng(3)
    shares: dict[str, list[float]] = {"k-means++": [], "random": [], "plain": []}
    for seed in range(10):
        for seeding in ("k-means++", "random"):
            shares[seeding].append(near(points[KMeans(seeding=seeding).choose(points, size, rng)]))
        start, _ = kmeans_plusplus(points, size, n_local_trials=1, random_state=seed)
        plain = Sklearn(size, init=start, n_init=1, max_iter=100, algorithm="lloyd").fit(points)
        chosen = np.argmin(plain.transform(points), axis=0)
        shares["plain"].append(near(points[np.unique(chosen)]))
    ours, random, plain = (np.mean(shares[name]) for name in ("k-means++", "random", "plain"))
    scatter = np.std(shares["plain"]) + 1 / size
    assert abs(ours - plain) < scatter
    assert random > 1.5 * ours
