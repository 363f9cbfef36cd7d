"""The algorithm that is shipped as configs/sacma.yaml: that it saves evaluations, and what changes nothing."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sacma.config.study import load_study
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array
from tests.conftest import CONFIGS
from tests.strategy.runs import Objective, Run, noisy_sphere, rosenbrock, sphere


def shipped(name: str) -> StrategySettings:
    settings = load_study(CONFIGS / f"{name}.yaml").settings
    assert isinstance(settings, StrategySettings)
    return settings


def needed(name: str, f: Objective, D: int, seed: int) -> int:
    """Return the evaluations until f is below 1e-8."""
    run = Run(shipped(name), D, seed)
    while run.es.best_value > 1e-8 and run.es.true_evaluations < 5000:
        run.step(f)
    return run.es.true_evaluations


@pytest.mark.parametrize(("f", "share"), [(sphere, 0.1), (rosenbrock, 0.25)])
def test_it_saves_evaluations(f: Objective, share: float) -> None:
    """In 3-D, by the median of three seeds, nine tenths of those of CMA-ES with active update on the sphere."""
    saved = [needed("sacma", f, 3, seed) / needed("baselines/acma_es", f, 3, seed) for seed in range(3)]
    assert np.median(saved) <= share


def test_it_repeats_itself() -> None:
    """The same seed gives the same bits."""
    assert Run(shipped("sacma"), 3).until(80, rosenbrock).bits == Run(shipped("sacma"), 3).until(80, rosenbrock).bits


def test_it_asks_for_no_point_twice() -> None:
    """A proposal that takes part in the next population has its value."""
    for seed in (1, 5):
        run = Run(shipped("sacma"), 3, seed).until(80, noisy_sphere(seed))
        assert len(np.unique(run.points.round(12), axis=0)) == len(run.points)


@pytest.mark.parametrize("change", [lambda y: 1024.0 * y, lambda y: y / 4096.0])
def test_units_of_f_change_nothing(change: Callable[[float], float]) -> None:
    """Powers of two, to the bit: models standardise, criteria count ranks, and proposals compare values."""
    plain = Run(shipped("sacma"), 3).until(100, rosenbrock)
    scaled = Run(shipped("sacma"), 3).until(100, lambda x: change(rosenbrock(x)))
    np.testing.assert_array_equal(plain.points, scaled.points)


@pytest.mark.parametrize(("quick_factor", "evaluations"), [(0, 12), (3, 7)])
def test_a_translation_moves_all_points_by_the_same(quick_factor: int, evaluations: int) -> None:
    """Of f and of the initial point: until the second search for a proposal, by which rounding has grown."""
    shift = np.array([0.5, -1.25, 2.0])
    settings = shipped("sacma")
    control = settings.control.model_copy(update={"quick_factor": quick_factor})
    settings = settings.model_copy(update={"control": control})

    def moved(x: Array) -> float:
        return rosenbrock(x - shift)

    rng = np.random.default_rng(1)
    start = rng.uniform(-2, 2, 3)
    plain = Run(settings, 3, initial_point=lambda: start).until(evaluations, rosenbrock)
    other = Run(settings, 3, initial_point=lambda: start + shift).until(evaluations, moved)
    np.testing.assert_allclose(other.points, plain.points + shift, rtol=1e-6, atol=1e-6)


def test_a_rotation_changes_nothing_in_distribution() -> None:
    """Of f and of the initial point: as many evaluations to 1e-8, by Mann and Whitney's test of ten seeds.

    Without the trust-region search, whose first points lie along the coordinates: a separable function suits it better.
    """
    settings = shipped("sacma").model_copy(update={"start": None})
    start = np.array([1.0, -0.5, 1.5])
    rotation = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]

    def ellipsoid(x: Array) -> float:
        return float(np.sum(np.array([1.0, 30.0, 900.0]) * x**2))

    def rotated(x: Array) -> float:
        return ellipsoid(rotation @ x)

    taken = []
    for f, first in ((ellipsoid, start), (rotated, rotation.T @ start)):
        runs = [Run(settings, 3, seed, initial_point=lambda first=first: first) for seed in range(10)]
        for run in runs:
            while run.es.best_value > 1e-8 and run.es.true_evaluations < 500:
                run.step(f)
        taken.append([run.es.true_evaluations for run in runs])
    assert mannwhitneyu(*taken).pvalue > 0.05, taken
