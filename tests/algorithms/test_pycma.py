"""lq-CMA-ES, its variants and BIPOP-CMA-ES: pycma's, with our random numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Self
from unittest.mock import patch

import cma
import numpy as np
import pytest
import yaml
from scipy import optimize

from sacma.algorithms import baselines
from sacma.algorithms.base import Algorithm
from sacma.algorithms.baselines import (
    BIPOPSettings,
    LQSettings,
    bipop_cmaes,
    contained,
    lq_cmaes,
    rank_lq_cmaes,
    slsqp_lq_cmaes,
)
from sacma.config.plan import plan
from sacma.config.study import load_study
from sacma.experiment.problem import TrialEnd
from sacma.experiment.trial import run_trial
from sacma.types import Array
from tests.algorithms.solvable import CountedProblem, rastrigin, sphere


class Runs:
    """The runs that pycma has begun: population sizes and step sizes."""

    def __init__(self) -> None:
        self.population_sizes: list[int] = []
        self.step_sizes: list[float] = []
        self.active: list[bool] = []
        self._begin = cma.CMAEvolutionStrategy.__init__

    def __enter__(self) -> Self:
        runs, begin = self, self._begin

        def watched(es: cma.CMAEvolutionStrategy, *arguments: object) -> None:
            begin(es, *arguments)
            runs.population_sizes.append(es.popsize)
            runs.step_sizes.append(es.sigma0)
            runs.active.append(es.opts["CMA_active"])

        self._patch = patch.object(cma.CMAEvolutionStrategy, "__init__", watched)
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()


def lq(problem: CountedProblem, settings: LQSettings) -> CountedProblem:
    with pytest.raises(TrialEnd):
        lq_cmaes(problem, np.random.default_rng(1), settings)
    return problem


def bipop(problem: CountedProblem, settings: BIPOPSettings) -> CountedProblem:
    with pytest.raises(TrialEnd):
        bipop_cmaes(problem, np.random.default_rng(1), settings)
    return problem


def test_lq_restarts_with_growing_populations_and_starts_over() -> None:
    """λ doubles at each of max_restarts restarts, then is the first one again."""
    with Runs() as runs:
        lq(CountedProblem(rastrigin, 2, 4000, -1.0), LQSettings(max_restarts=2))
    assert len(runs.population_sizes) >= 4
    assert runs.population_sizes == [(6, 12, 24)[n % 3] for n in range(len(runs.population_sizes))]
    assert set(runs.step_sizes) == {8 / 3}
    assert all(runs.active)


def test_lq_is_that_of_pycma() -> None:
    """Bare pycma, with the same random numbers, evaluates the same points."""
    problem = lq(CountedProblem(sphere, 4, 10_000), LQSettings())
    rng = np.random.default_rng(1)
    with contained(rng):  # takes its seed from rng, as ours does
        pass
    bare = CountedProblem(sphere, 4, 10_000)
    options = {"seed": np.nan, "randn": lambda *shape: rng.standard_normal(shape), "popsize": 8, "verbose": -10}
    with pytest.raises(TrialEnd):
        cma.fmin_lq_surr2(bare, bare.initial_point(4.0), 8 / 3, options)
    np.testing.assert_array_equal(problem.points, bare.points)


def rank_lq(problem: CountedProblem) -> CountedProblem:
    with pytest.raises(TrialEnd):
        rank_lq_cmaes(problem, np.random.default_rng(1), LQSettings())
    return problem


@pytest.mark.parametrize("change", [np.cbrt, np.log1p, lambda y: y**3 - 7.0])
def test_rank_lq_is_the_same_for_increasing_functions_of_f(change: Callable[[float], float]) -> None:
    """It evaluates the same points, which lq-CMA-ES does not, until values are so close that they are rounded."""

    def changed(x: Array) -> float:
        return float(change(sphere(x)))

    plain, other = (rank_lq(CountedProblem(f, 5, 90, -np.inf)) for f in (sphere, changed))
    np.testing.assert_array_equal(plain.points, other.points)
    assert min(plain.values) < 1e-3
    values = [lq(CountedProblem(f, 5, 90, -np.inf), LQSettings()) for f in (sphere, changed)]
    assert not np.array_equal(values[0].points, values[1].points)


def test_rank_lq_without_ranks_is_lq_of_pycma() -> None:
    """With the values themselves in place of ranks, restarts included."""
    with patch.object(baselines, "ranks", np.array):
        problem = rank_lq(CountedProblem(rastrigin, 2, 1500, -1.0))
    np.testing.assert_array_equal(
        problem.points, lq(CountedProblem(rastrigin, 2, 1500, -1.0), LQSettings(max_restarts=4)).points
    )
    assert len(problem.started_at) >= 3


class Logged(CountedProblem):
    """A problem that keeps what is logged."""

    def log(self, **values: float) -> None:
        """Keep it."""
        self.logged = [*getattr(self, "logged", []), values]


@pytest.mark.parametrize("variant", [lq_cmaes, rank_lq_cmaes, slsqp_lq_cmaes])
def test_evaluations_by_the_model_are_logged(variant: Algorithm) -> None:
    """After each population: all of its points but those evaluated with f."""
    problem = Logged(sphere, 4, 90, -np.inf)
    with pytest.raises(TrialEnd):
        variant(problem, np.random.default_rng(1), LQSettings())
    by_model = np.array([values["model_evaluations"] for values in problem.logged])
    assert np.all(np.diff(by_model) >= 0)
    assert np.max(np.diff(by_model)) == 7  # one of eight
    assert all(values["sigma"] > 0 and values["axis_ratio"] >= 1 for values in problem.logged)


@pytest.mark.parametrize("iterations", [300, 3])
def test_slsqp_comes_before_lq(iterations: int) -> None:
    """The first points are those of SciPy until it ends; lq-CMA-ES then begins at other initial points."""
    problem = CountedProblem(rastrigin, 3, 600, -1.0)
    with pytest.raises(TrialEnd), patch.object(baselines, "SLSQP_ITERATIONS", iterations):
        slsqp_lq_cmaes(problem, np.random.default_rng(1), LQSettings())
    bare = CountedProblem(rastrigin, 3, 600, -1.0)
    options = {"maxiter": iterations}
    found = optimize.minimize(bare, bare.initial_point(4.0), method="SLSQP", tol=1e-11, options=options)
    assert found.success == (iterations == 300)
    assert problem.started_at[1] == len(bare.points)
    with pytest.raises(TrialEnd):
        lq_cmaes(bare, np.random.default_rng(1), LQSettings())
    np.testing.assert_array_equal(problem.points, bare.points)


def test_bipop_has_two_populations() -> None:
    """Large runs double λ and keep σ₀; small ones have at most half of the last large λ, and σ₀ down to a hundredth."""
    with Runs() as runs:
        bipop(CountedProblem(rastrigin, 2, 40_000, -1.0), BIPOPSettings())
    assert not any(runs.active)
    first, *others = zip(runs.population_sizes, runs.step_sizes, strict=True)
    assert first == (6, 2.0)
    large = [size for size, sigma in others if sigma == 2.0]
    small = [(size, sigma) for size, sigma in others if sigma != 2.0]
    assert large == [6 * 2**n for n in range(1, len(large) + 1)]
    assert len(large) >= 3
    assert len(small) >= 3
    assert all(0.02 <= sigma < 2.0 for _, sigma in small)
    assert all(6 <= size <= max(large) for size, _ in small)


def test_contained_is_seeded_from_the_generator() -> None:
    """Other generators, other numbers; the same, the same; and an error gives the state back as well."""

    def drawn(seed: int) -> float:
        with contained(np.random.default_rng(seed)):
            return float(np.random.uniform())

    np.random.seed(4)
    expected = np.random.uniform()
    np.random.seed(4)
    assert drawn(1) == drawn(1) != drawn(2)
    with pytest.raises(TrialEnd), contained(np.random.default_rng(1)):
        raise TrialEnd
    assert np.random.uniform() == expected


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("surrogate-cmaes", {"sampling": {"bounds": "transform"}, "restarts": {"name": "ipop", "initial_range": 30.0}}),
        ("lq-cmaes", {"within_box": True, "initial_range": 30.0}),
        ("bipop-cmaes", {"within_box": True, "initial_range": 30.0}),
    ],
)
def test_runs_that_begin_outside_of_the_box(tmp_path: Path, algorithm: str, settings: dict[str, object]) -> None:
    """Within bounds they begin at the nearest point inside."""
    config = tmp_path / "a.yaml"
    config.write_text(yaml.safe_dump({"name": "A", "algorithm": algorithm, "settings": settings}))
    study = load_study(config, {"functions": "23", "dimensions": "2", "instances": "1-4", "budget": 30})
    records = [run_trial(spec) for spec in plan([study])]
    assert all(record.outcome.evaluations == 60 for record in records)
