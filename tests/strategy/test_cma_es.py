"""The wrapper of pycma: randomness, bounds and the space of the distribution."""

import cma
import numpy as np
import pytest

from sacma.strategy.cma_es import CMAES
from sacma.strategy.restarts import RestartedCMAES
from sacma.strategy.settings import CMAESSettings
from sacma.surrogate.whitening import Array

D = 5
BOX = (np.full(D, -5.0), np.full(D, 5.0))


def run(settings: CMAESSettings, generations: int, f: object = lambda x: float(np.sum((x - 4.9) ** 2))) -> CMAES:
    rng = np.random.default_rng(11)
    es = CMAES(rng.uniform(-4, 4, D), 8, settings, BOX, rng)
    assert callable(f)
    for _ in range(generations):
        es.tell(np.array([f(x) for x in es.ask()]))
    return es


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
def test_population_lies_at_root_D(bounds: str) -> None:
    """The mean squared Mahalanobis distance of a population to its own distribution is D, however bounded."""
    settings = CMAESSettings.model_validate({"bounds": bounds})
    rng = np.random.default_rng(11)
    es = CMAES(rng.uniform(-4, 4, D), 8, settings, BOX, rng)
    squares = []
    for _ in range(200):
        proposed = es.ask()
        squares += list(es.whitening().distances(es.sampled) ** 2)
        es.tell(np.array([np.sum((x - 4.9) ** 2) for x in proposed]))
    assert np.mean(squares) == pytest.approx(D, abs=5 * np.sqrt(2 * D / len(squares)))


def test_sampled_points_are_those_that_f_sees() -> None:
    """Without bounds, proposed and sampled points are the same to the bit; with the penalty, but for clipping."""
    for bounds in ("none", "penalty"):
        settings = CMAESSettings.model_validate({"bounds": bounds})
        rng = np.random.default_rng(3)
        es = CMAES(rng.uniform(-4, 4, D), 8, settings, BOX, rng)
        for _ in range(50):
            proposed = np.array(es.ask())
            expected = es.sampled if bounds == "none" else np.clip(es.sampled, -5.0, 5.0)
            np.testing.assert_array_equal(proposed, expected)
            es.tell(np.sum((proposed - 4.9) ** 2, axis=1))


@pytest.mark.parametrize("bounds", ["penalty", "transform"])
def test_proposed_points_are_in_the_box(bounds: str) -> None:
    """With bounds, f never sees a point outside, and an optimum near the border is found."""
    seen: list[Array] = []

    def f(x: Array) -> float:
        seen.append(x)
        return float(np.sum((x - 4.9) ** 2))

    run(CMAESSettings.model_validate({"bounds": bounds}), 150, f)
    assert np.abs(np.array(seen)).max() <= 5.0
    assert min(np.sum((x - 4.9) ** 2) for x in seen) < 1e-8


def test_no_global_randomness() -> None:
    """NumPy's global generator is neither seeded nor used; the same generator gives the same samples."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 the one that must stay untouched
    first, second = run(CMAESSettings(), 20), run(CMAESSettings(), 20)
    np.testing.assert_array_equal(first.sampled, second.sampled)
    after = np.random.get_state(legacy=False)  # noqa: NPY002 idem
    np.testing.assert_equal(before, after)


def restarted(settings: CMAESSettings, restarts: int) -> list[int]:
    """Population sizes of successive runs on a constant function, which stops each run quickly."""
    rng = np.random.default_rng(0)
    runs = RestartedCMAES(settings, lambda: rng.uniform(-4, 4, 2), (np.full(2, -5.0), np.full(2, 5.0)), rng)
    sizes = [runs.run.population_size]
    while runs.restarts < restarts and not runs.ended:
        runs.run.ask()
        runs.run.tell(np.zeros(runs.run.population_size))
        if runs.run.stop():
            runs.restart()
            if not runs.ended:
                sizes.append(runs.run.population_size)
    return sizes


def test_population_doubles_and_starts_over() -> None:
    """λ = 6, 12, … doubles at each of max_restarts restarts, then the sequence begins anew."""
    assert restarted(CMAESSettings(max_restarts=2), 6) == [6, 12, 24, 6, 12, 24, 6]


def test_last_restart_can_be_the_end() -> None:
    """With after_last_restart: stop, the run after the last restart is the last run."""
    assert restarted(CMAESSettings(max_restarts=2, after_last_restart="stop"), 9) == [6, 12, 24]


def test_restarts_from_new_points() -> None:
    """Each run begins at the next initial point."""
    points = iter([np.zeros(2), np.ones(2), np.full(2, 2.0)])
    rng = np.random.default_rng(0)
    runs = RestartedCMAES(CMAESSettings(), lambda: next(points), (np.full(2, -5.0), np.full(2, 5.0)), rng)
    while not runs.restarts:
        runs.run.ask()
        runs.run.tell(np.zeros(6))
        if runs.run.stop():
            runs.restart()
    np.testing.assert_array_equal(runs.run.whitening().mean, np.ones(2))


def test_restarts_can_begin_at_the_same_point() -> None:
    """With restart_from: same, runs share x₀ until the sequence starts over."""
    rng = np.random.default_rng(0)
    settings = CMAESSettings(max_restarts=1, restart_from="same")
    runs = RestartedCMAES(settings, lambda: rng.uniform(-4, 4, 2), (np.full(2, -5.0), np.full(2, 5.0)), rng)
    first = runs.run.initial_point
    assert not runs.restart()
    np.testing.assert_array_equal(runs.run.initial_point, first)
    np.testing.assert_array_equal(runs.run.whitening().mean, first)
    assert runs.restart()
    assert np.all(runs.run.initial_point != first)


def test_further_samples_are_of_the_same_distribution() -> None:
    """Whitened, they are standard normal."""
    rng = np.random.default_rng(4)
    es = CMAES(np.ones(3), 8, CMAESSettings(), (np.full(3, -5.0), np.full(3, 5.0)), rng)
    for _ in range(30):
        X = es.ask()
        es.tell(np.array([x @ (x * [1.0, 9.0, 100.0]) for x in X]))
    es.ask()
    z = np.vstack([es.whitening()(es.sample()) for _ in range(500)])
    np.testing.assert_allclose(np.cov(z.T), np.eye(3), atol=0.1)
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=0.1)


def test_a_plateau_is_no_end_of_a_penalised_run() -> None:
    """The penalty of pycma raises where the first values are equal, or all but one: here the run goes on."""
    for values in (np.zeros(8), np.arange(8.0) == 0, np.array([np.inf] + [1.0] * 7)):
        rng = np.random.default_rng(0)
        es = CMAES(np.full(4, 4.9), 8, CMAESSettings(bounds="penalty"), (np.full(4, -5.0), np.full(4, 5.0)), rng)
        es.ask()
        es.tell(np.asarray(values, dtype=float))
        X = es.ask()
        es.tell(np.array([x @ x for x in X]))
        assert np.isfinite(es.sigma)


@pytest.mark.parametrize("bounds", ["penalty", "transform"])
def test_bounds_in_one_dimension(bounds: str) -> None:
    """There, too, points stay within the box, and σ begins with no more than a third of its width."""
    assert float(eval(cma.CMAOptions.defaults()["maxstd_boundrange"].split("#")[0])) == pytest.approx(1 / 3)  # noqa: S307
    for upper in (0.5, np.inf):
        rng = np.random.default_rng(0)
        settings = CMAESSettings.model_validate({"bounds": bounds, "sigma0": 100.0})
        es = CMAES(np.zeros(1), 6, settings, (np.zeros(1), np.array([upper])), rng)
        assert es.sigma == (0.5 / 3 if upper == 0.5 else 100.0)
        seen: list[Array] = []
        for _ in range(60):
            X = es.ask()
            seen += list(X)
            es.tell(np.array([(x[0] - 0.7) ** 2 for x in X]))
        assert np.all((np.array(seen) >= 0.0) & (np.array(seen) <= upper))
        assert min(abs(x[0] - min(0.7, upper)) for x in seen) < 1e-3


def test_the_penalty_begins_however_wide_the_distribution_is_beside_the_values() -> None:
    """The scale of pycma's penalty is that of the values over σ², which may underflow."""
    rng = np.random.default_rng(0)
    es = CMAES(np.zeros(2), 6, CMAESSettings(bounds="penalty", sigma0=1e10), (-np.ones(2), np.full(2, np.inf)), rng)
    es.ask()
    es.tell(1e-310 * np.arange(6.0))
    es.ask()
    assert np.isfinite(es.sigma)


def test_coordinates_stay_however_ill_conditioned() -> None:
    """Beyond a condition number of 1e12 pycma would change coordinates: samples stay where f sees them."""
    rng = np.random.default_rng(2)
    es = CMAES(np.ones(3), 12, CMAESSettings(), (np.full(3, -5.0), np.full(3, 5.0)), rng)
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    condition = 0.0
    for _ in range(1000):
        X = es.ask()
        np.testing.assert_allclose(es.sampled, np.asarray(X), rtol=1e-12, atol=1e-300)
        eigenvalues = np.linalg.eigvalsh(es.state().C)
        condition = max(condition, eigenvalues[-1] / eigenvalues[0])
        es.tell(np.array([(np.array([1.0, 1e7, 1e14]) * (rotation @ x)) @ (rotation @ x) for x in X]))
        if es.stop():
            break
    assert condition > 1e12
