"""SciPy's local searches, one after the other."""

from typing import get_args

import numpy as np
import pytest
from scipy import optimize

from sacma.algorithms.baselines import LocalSearchSettings, local_search
from sacma.experiment.problem import TrialEnd
from sacma.types import Array
from tests.algorithms.solvable import CountedProblem, rastrigin

METHODS = get_args(LocalSearchSettings.model_fields["method"].annotation)
SCIPY = {name: name.replace("_", "-") for name in METHODS} | {"lbfgsb": "L-BFGS-B"}


def settings_of(method: str, **others: object) -> LocalSearchSettings:
    return LocalSearchSettings.model_validate({"method": method, **others})


def search(problem: CountedProblem, settings: LocalSearchSettings) -> CountedProblem:
    with pytest.raises(TrialEnd):
        local_search(problem, np.random.default_rng(1), settings)
    return problem


@pytest.mark.parametrize("method", METHODS)
def test_the_first_run_is_that_of_scipy(method: str) -> None:
    """Until the first restart, SciPy by itself evaluates the same points, and stops there by itself."""
    problem = search(CountedProblem(rastrigin, 2, 300, -1.0), settings_of(method))
    bare = CountedProblem(rastrigin, 2, 300, -1.0)
    optimize.minimize(bare, bare.initial_point(4.0), method=SCIPY[method], tol=1e-11)
    assert len(bare.points) == problem.started_at[1]
    np.testing.assert_array_equal(bare.points, problem.points[: len(bare.points)])


@pytest.mark.parametrize("method", METHODS)
def test_within_the_box(method: str) -> None:
    """A slope leads out of the box, or to its border."""

    def slope(x: Array) -> float:
        return float(np.sum(x))

    free = search(CountedProblem(slope, 2, 300, -np.inf), settings_of(method))
    held = search(CountedProblem(slope, 2, 300, -np.inf), settings_of(method, within_box=True))
    assert np.max(np.abs(free.points)) > 5
    assert np.max(np.abs(held.points)) <= 5 + 1e-7  # a finite difference
    assert min(held.values) == pytest.approx(-10, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_diverges_is_given_up(method: str) -> None:
    """Values that overflow do not lead to points that are not finite."""

    def cliff(x: Array) -> float:
        with np.errstate(all="ignore"):
            return float(-np.exp(np.sum(x) ** 2))

    assert len(search(CountedProblem(cliff, 3, 500, -np.inf), settings_of(method)).points) > 0
