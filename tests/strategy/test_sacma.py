"""The algorithm that is shipped as configs/sacma.yaml: that it saves evaluations, and what changes nothing."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sacma.config.study import load_study
from sacma.strategy.settings import StrategySettings
from sacma.types import Array
from tests.conftest import CONFIGS
from tests.strategy.runs import Objective, Run, rosenbrock, sphere


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


def some_failed(failed: float, fails: Iterator[bool], x: Array) -> float:
    """Return the Rosenbrock function, or the value of a failure."""
    return failed if next(fails) else rosenbrock(x)


@pytest.mark.parametrize("failed", [np.inf, 1e10, np.finfo(float).max])
def test_huge_values_are_failures(failed: float) -> None:
    """A tenth of such values costs as much as failures do, in the median of seven runs."""
    best = []
    for seed in range(7):
        run, tenth = Run(shipped("sacma"), 3, seed), itertools.cycle([False] * 4 + [True] + [False] * 5)
        run.until(120, partial(some_failed, failed, tenth))
        best.append(run.es.best_value)
    assert np.median(best) < 1.0


SHIFT = np.array([0.25, -0.5, 0.375])


def shifted(x: Array) -> float:
    return rosenbrock(x - SHIFT[: len(x)])


@pytest.mark.parametrize(("start", "evaluations"), [("trust region", 16), (None, 7)])
def test_a_translation_moves_all_points_by_the_same(start: str | None, evaluations: int) -> None:
    """Of f and of the initial point: until some points after the search in the trust region, and after the first model.

    Later rounding has grown, since the likelihood is searched from optimum to optimum.
    """
    settings = shipped("sacma").model_copy(update={} if start else {"start": None})
    first = np.random.default_rng(1).uniform(-1, 1, 3)  # so that all is far from the box
    plain = Run(settings, 3, initial_point=lambda: first).until(evaluations, rosenbrock)
    other = Run(settings, 3, initial_point=lambda: first + SHIFT).until(evaluations, shifted)
    np.testing.assert_allclose(other.points, plain.points + SHIFT, rtol=1e-6, atol=1e-6)


AXES = np.array([1.0, 30.0, 900.0])
ROTATION = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]


def ellipsoid(x: Array) -> float:
    return float(np.sum(AXES * x**2))


@pytest.mark.parametrize(
    ("start", "f", "optimum", "g", "move"),
    [
        ("trust region", rosenbrock, np.ones(2), lambda x: rosenbrock(x) + 64.0, lambda x: x),
        # Without the first points along the coordinates, which suit a separable function better.
        (None, ellipsoid, np.zeros(3), lambda x: ellipsoid(ROTATION @ x), lambda x: ROTATION.T @ x),
    ],
    ids=["offset", "rotation"],
)
def test_what_changes_nothing_in_distribution(
    start: str | None, f: Objective, optimum: Array, g: Objective, move: Callable[[Array], Array]
) -> None:
    """Of f and x₀: as many evaluations to 1e-8 above the lowest value, by Mann and Whitney's test of six seeds each."""
    settings = shipped("sacma").model_copy(update={} if start else {"start": None})
    D, taken = len(optimum), []
    first = np.array([1.0, -0.5, 1.5])[:D]
    for objective, x0, best, seeds in ((f, first, optimum, range(6)), (g, move(first), move(optimum), range(10, 16))):
        runs = [Run(settings, D, seed, initial_point=lambda x0=x0: x0) for seed in seeds]
        enough = objective(best) + 1e-8
        for run in runs:
            while run.es.best_value > enough and run.es.true_evaluations < 500:
                run.step(objective)
        taken.append([run.es.true_evaluations for run in runs])
    assert mannwhitneyu(*taken).pvalue > 0.05, taken
