"""Common to all baselines: they stay in budget, end, repeat themselves, and leave no trace outside."""

import os
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_study
from sacma.experiment.problem import TrialEnd
from sacma.experiment.trial import run_trial
from sacma.store.outcome import TrialStatus
from sacma.store.record import TrialRecord
from tests.algorithms.solvable import CountedProblem, rastrigin, sphere
from tests.commands import environment, printed_by
from tests.conftest import CONFIGS
from tests.sizes import sizes

BASELINES = sorted(path.stem for path in (CONFIGS / "baselines").glob("*.yaml"))
SEARCHES = [name for name in BASELINES if name != "random_search"]
# On our own strategy, whose restarts are tested with it; slower than the others.
WITH_MODELS = [
    name for name in BASELINES if name.startswith(("ada_", "dts_", "forest_", "lmm_", "ipop_", "bipop_saacm"))
]


def spec_of(name: str, function: int, dimension: int, budget: int) -> TrialSpec:
    protocol = {"functions": str(function), "dimensions": str(dimension), "instances": "2", "budget": budget}
    (spec,) = plan([load_study(CONFIGS / "baselines" / f"{name}.yaml", protocol)])
    return spec


def bits(record: TrialRecord) -> tuple[object, ...]:
    return record.coco, record.outcome.improved_at, record.outcome.improved_to


def solve(name: str, problem: CountedProblem, seed: int = 1) -> CountedProblem:
    study = load_study(CONFIGS / "baselines" / f"{name}.yaml", {})
    with suppress(TrialEnd):
        ALGORITHMS[study.algorithm].run(problem, study.settings, np.random.default_rng(seed))
    return problem


def test_all_are_documented() -> None:
    """The baselines that the documentation lists are those that there are."""
    text = "".join(
        (CONFIGS.parent / "docs" / f"{page}.md").read_text() for page in ("baselines", "dts_cmaes", "family")
    )
    assert len(BASELINES) == 22
    assert all(f"configs/baselines/{name}.yaml" in text for name in BASELINES)


@pytest.mark.parametrize("name", BASELINES)
def test_budget_is_never_exceeded(name: str) -> None:
    """On a function that is not solved, exactly the budget is used, by COCO's own count."""
    budget = 25
    record = run_trial(spec_of(name, 15, 3, budget))
    assert record.outcome.evaluations == 3 * budget
    assert record.outcome.status == TrialStatus.BUDGET_USED
    assert record.coco.entry.startswith(f"2:{3 * budget}|")


def test_random_search_is_uniform() -> None:
    """Of points in [-5, 5]^D none is outside, means and variances are those of the uniform distribution."""
    points = np.array(solve("random_search", CountedProblem(sphere, 3, 20_000, -1.0)).points)
    assert np.all(np.abs(points) <= 5)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=4 * np.sqrt(25 / 3 / 20_000))
    np.testing.assert_allclose(points.var(axis=0), 25 / 3, rtol=0.04)


def all_bits(names: Sequence[str], budget: int) -> dict[str, tuple[object, ...]]:
    return {name: bits(run_trial(spec_of(name, 15, 2, budget))) for name in names}


@sizes("budget", small=25, full=60)
def test_same_bits_in_any_order_and_process(budget: int) -> None:
    """Whatever ran before in the process, and however the global generator was seeded, a trial is the same.

    So it is in a fresh process with another hash seed, started in another folder.
    """
    np.random.seed(1)
    first = all_bits(BASELINES, budget)
    np.random.seed(2)
    assert all_bits(BASELINES[::-1], budget) == first

    code = f"from tests.algorithms.test_baselines import *\nprint(all_bits(BASELINES, {budget}))"
    path = os.pathsep.join([str(CONFIGS.parent), environment()["PYTHONPATH"]])
    assert printed_by(code, cwd=Path("/"), PYTHONHASHSEED=5, PYTHONPATH=path) == f"{first}\n"


@pytest.mark.parametrize("name", BASELINES)
def test_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No file in the working directory, no output, no warning, and the global generator as it was."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cma_signals.in").write_text("{'timeout': 0}")  # which pycma would read
    np.random.seed(3)
    expected = np.random.uniform(size=5)
    np.random.seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        budget = 100 if name in WITH_MODELS else 300
        problem = solve(name, CountedProblem(rastrigin, 3, budget, -1.0))
    np.testing.assert_array_equal(np.random.uniform(size=5), expected)
    assert len(problem.points) == budget
    assert [path.name for path in tmp_path.iterdir()] == ["cma_signals.in"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in WITH_MODELS])
def test_restarts(name: str) -> None:
    """Runs that have stopped are followed by others from the problem's next initial points."""
    problem = solve(name, CountedProblem(rastrigin, 2, 2200 if "cma_es" in name else 400, -1.0))
    assert len(problem.started_at) > 2
    assert problem.started_at[:2] == [0, problem.started_at[1]]
    assert len({tuple(x) for x in problem.initial_points}) == len(problem.initial_points)


@pytest.mark.parametrize("name", SEARCHES)
def test_starts_where_all_start(name: str) -> None:
    """The first run begins at, or around, the first of the shared initial points."""
    problem = solve(name, CountedProblem(sphere, 3, 1, -1.0))
    assert len(problem.initial_points) == 1
    if name in ("nelder_mead", "powell", "l_bfgs_b", "cobyqa", "cobyla", "slsqp"):
        np.testing.assert_array_equal(problem.points[0], problem.initial_points[0])
