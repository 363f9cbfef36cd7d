"""Settings of a user's own class, with parts of their own, in calls, journals and saved optimizers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.algorithms.registry import ALGORITHMS, Origin, read_algorithm_file
from sacma.optimize.methods import named
from sacma.strategy.generation_control import Generations
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.models import GaussianProcessModel
from tests.optimize.runs import bits, rosenbrock

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_model.py"

X0 = [1.0, 2.0]
rbf_cmaes = read_algorithm_file(EXAMPLE).algorithms["rbf-cmaes"]
MySettings: Any = rbf_cmaes.settings
MINE = MySettings()


def found(budget: int, method: Any = MINE, **more: Any) -> sacma.Result:
    return sacma.minimize(rosenbrock, X0, 0.5, seed=1, budget=budget, method=method, **more)


def test_one_part_of_sacma_exchanged() -> None:
    """All else stays as the default method has it."""
    model = type(MINE.model)()
    run = found(60, MySettings(**named("sacma").settings.model_dump() | {"model": model}))
    assert run.nfev == 60
    assert run.fun < found(60).fun


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the algorithm of examples/own_model.py, as if its package were installed."""
    monkeypatch.setitem(ALGORITHMS._from_files, "rbf-cmaes", (Origin("own_model.py", "1", is_file=True), rbf_cmaes))
    return "rbf-cmaes"


@pytest.mark.parametrize("bounds", [None, (-5, 5)])
def test_a_journal_goes_on(tmp_path: Path, bounds: Any) -> None:
    """To the bit, and is read without the class."""
    whole = found(60, bounds=bounds)
    path = tmp_path / "journal"
    found(25, bounds=bounds, journal=path)
    assert bits(found(60, bounds=bounds, journal=path)) == bits(whole)
    content = sacma.read_journal(path)
    assert np.array_equal(content.points, whole.history.points)
    archive = content.known
    assert found(5, journal=tmp_path / "another", known=archive).nfev == 5


def test_a_journal_of_an_installed_strategy_goes_on(tmp_path: Path, registered: str) -> None:
    """By the algorithm's name, which the file has: it is loaded without settings."""
    path, whole = tmp_path / "journal", found(50, registered)
    found(25, registered, journal=path)
    assert bits(found(50, registered, journal=path)) == bits(whole)
    with pytest.raises(ValueError, match=r"path is .*; allowed: .* others call f themselves, in sacma.minimize"):
        sacma.Optimizer.load(path)


def test_the_journal_of_another_class_is_another_call(tmp_path: Path) -> None:
    """Also where both have the same names and values; no file brings the class."""

    class NoProcess(GaussianProcessModel):
        """A model of one's own with the name of sacma's."""

    class Disguised(StrategySettings):
        model: NoProcess = NoProcess()
        control: Generations = Generations()

    path = tmp_path / "journal"
    plain: Any = StrategySettings(model=GaussianProcessModel(), control=Generations())
    assert Disguised().model_dump() == plain.model_dump()
    found(10, plain, journal=path)
    with pytest.raises(ValueError, match=r"method.algorithm = 'surrogate-cmaes' there, None here"):
        found(10, Disguised(), journal=path)
    sacma.Optimizer(X0, 0.5, method=Disguised()).save(path)
    with pytest.raises(ValueError, match=r"is .*: its method is of a class of the user's own, which no file brings"):
        sacma.Optimizer.load(path)


def test_an_algorithm_of_ones_own_is_called(monkeypatch: pytest.MonkeyPatch, registered: str) -> None:
    """Though its settings be those of a strategy; one that only calls sacma's finds the same points."""
    assert bits(found(40, registered)) == bits(found(40))
    calls = []

    @sacma.algorithm("counted")
    def counted(problem: Any, rng: Any, settings: MySettings) -> None:
        """Count calls, and evaluate the middle first."""
        calls.append(settings.sampling.sigma0)
        problem(np.zeros(problem.dimension))
        rbf_cmaes(problem, rng, settings)

    monkeypatch.setitem(ALGORITHMS._from_files, "counted", (Origin("there.py", "1", is_file=True), counted))
    result = found(20, "counted", bounds=(-4, 4))
    assert calls == [0.5]
    assert result.history.points[0].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="None with a method that calls f itself"):
        found(20, "counted", workers=2)
