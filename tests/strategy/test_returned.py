"""What parts of a user's own may return wrongly: it is refused at once, in words that name the part."""

import itertools
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from sacma.strategy.control.approximate_ranking import ApproximateRanking
from sacma.strategy.control.doubly_trained import DoublyTrained
from sacma.strategy.restarts import Start
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.strategy.training import TrainingSetSettings
from sacma.surrogate.models.gaussian_process import GaussianProcessModel
from sacma.surrogate.part import Part
from sacma.types import Array

SIZE = 6  # λ in two dimensions


class Own(Part):
    """A part of any kind, which does what the test says."""

    name: Literal["own"] = "own"
    uses_model: ClassVar[bool] = True
    joint: ClassVar[bool] = False
    newest_only: ClassVar[bool] = False
    step_share: ClassVar[float] = 1.0
    initial_range: ClassVar[float] = 4.0
    evaluates_initial_points: ClassVar[bool] = False
    evaluates_means: ClassVar[bool] = False
    does: ClassVar[Callable[..., Any]]

    def build(self, context: Any) -> Any:
        """Return itself."""
        return self

    def propose(self, model: Any, archive: Any) -> Any:
        """Propose, as the test says."""
        return type(self).does(archive)

    def learn(self, standings: Any, best_before: Any) -> None:
        """Learn nothing."""

    def forget_run(self) -> None:
        """Forget nothing."""

    def evaluate(self, population: Any) -> Any:
        """Evaluate, as the test says."""
        return type(self).does(population)

    def worth(self, posterior: Any, best_value: float, parents: int) -> Any:
        """Return the worth, as the test says."""
        return type(self).does(posterior)

    def choose(self, whitened: Array, size: int, rng: Any) -> Any:
        """Choose, as the test says."""
        return type(self).does(whitened, size)

    def evaluations(self, dimension: int) -> int:
        """Return the evaluations of the start."""
        return 10

    def search(self, start: Array, radius: float, context: Any) -> Any:
        """Search, as the test says."""
        return type(self).does(start)

    def next(self, last: Any) -> Any:
        """Return the next start, as the test says."""
        return type(self).does(last)


def part(does: Callable[..., Any]) -> Any:
    """Return a part that does it."""
    return type("Own", (Own,), {"does": staticmethod(does), "__module__": __name__})()


def run(budget: int = 60, **parts: Any) -> SurrogateStrategy:
    """Minimise a sphere with these parts, none of which sacma's validation would take."""
    given: dict[str, Any] = {"model": GaussianProcessModel(), "control": ApproximateRanking(), **parts}
    settings = StrategySettings.model_construct(**given)
    rng = np.random.default_rng(1)
    box = (np.full(2, -5.0), np.full(2, 5.0))
    es = SurrogateStrategy(settings, initial_point=lambda: rng.uniform(-4, 4, size=2), box=box, rng=rng)
    while es.true_evaluations < budget:
        es.tell([float(x @ x) for x in es.ask()])
    return es


@pytest.mark.parametrize(
    ("points", "given"),
    [
        (np.zeros(2), r"points of shape \(2,\)"),
        (np.zeros((1, 3)), r"points of shape \(1, 3\)"),
        ([[np.nan, 1.0]], "points that are not finite"),
    ],
)
def test_proposals(points: Any, given: str) -> None:
    """Of any other shape, or not finite."""
    with pytest.raises(ValueError, match=rf"^Own gave {given}; allowed: finite ones, shape \(n, 2\)$"):
        run(proposals=part(lambda _: points))


def test_more_proposals_than_the_population_has_points() -> None:
    """F evaluates all of them, given as lists, and the best take part in the next population."""
    proposed = []

    def several(archive: Any) -> Any:
        points = [[0.1 * i + 0.01 * len(archive), 0.0] for i in range(3 * SIZE)]
        proposed.extend(points)
        return points

    es = run(200, proposals=part(several))
    assert len(proposed) >= 2 * 3 * SIZE
    assert es.best_value < 0.01


def ranks_by(values: Any) -> Callable[..., Any]:
    """Return a control that has f evaluate a population and ranks it otherwise."""

    def evaluate(population: Any) -> Any:
        yield from population.evaluate(population.unevaluated)
        return values(population)

    return evaluate


@pytest.mark.parametrize(
    ("values", "given"),
    [
        (lambda population: population.values[1:], r"values of shape \(5,\)"),
        (lambda population: np.full(population.size, np.nan), "NaN for 6 points"),
        (lambda _: 1.0, r"values of shape \(\)"),
    ],
)
def test_values_of_a_control(values: Any, given: str) -> None:
    """Not one a point, or NaN."""
    with pytest.raises(ValueError, match=rf"^Own ranked a population by {given}; allowed: 6 numbers, none of them "):
        run(control=part(ranks_by(values)))


@pytest.mark.parametrize("indices", [[-1], [SIZE], [0, 0], [0.5], [[0, 1]], [True, False]])
def test_points_for_f(indices: Any) -> None:
    """Indices that are none of the population's, or one twice."""

    def evaluate(population: Any) -> Any:
        yield from population.evaluate(indices)

    with pytest.raises(ValueError, match=r"^f is to evaluate points .*; allowed: indices from 0 to 5, each once$"):
        run(control=part(evaluate))


def test_a_list_of_indices() -> None:
    """It is as good as an array."""

    def evaluate(population: Any) -> Any:
        yield from population.evaluate(list(range(population.size)))
        return population.values.tolist()

    assert run(control=part(evaluate)).best_value < 1.0


@pytest.mark.parametrize("control", [ApproximateRanking, DoublyTrained])
@pytest.mark.parametrize(
    ("worth", "given"),
    [
        (lambda _: 1.0, r"shape \(\)"),
        (lambda posterior: posterior.mean[1:], r"shape \(5,\)"),
        (lambda posterior: posterior.mean * np.nan, "NaN alone"),
    ],
)
def test_worths_of_a_criterion(control: Any, worth: Any, given: str) -> None:
    """Not one a point, or NaN alone."""
    settings = control().model_copy(update={"criterion": part(worth)})
    with pytest.raises(ValueError, match=rf"^Own gave worths of {given}; allowed: 6 numbers, one a point$"):
        run(control=settings)


@pytest.mark.parametrize("control", [ApproximateRanking, DoublyTrained])
def test_the_worths_of_a_criterion_stay_its_own(control: Any) -> None:
    """An array that it keeps is not written to."""
    kept = np.arange(SIZE, dtype=float)
    kept.flags.writeable = False
    run(control=control().model_copy(update={"criterion": part(lambda _: kept)}))


@pytest.mark.parametrize(
    "choose",
    [
        lambda whitened, size: np.empty(0, dtype=int),
        lambda whitened, size: np.arange(size + 1),
        lambda whitened, size: np.zeros(size, dtype=int),
        lambda whitened, size: np.arange(size) - 1,
        lambda whitened, size: np.arange(size) + len(whitened) - size + 1,
        lambda whitened, size: np.arange(size)[::-1],
        lambda whitened, size: np.arange(size) + 0.0,
        lambda whitened, size: 3,
    ],
)
def test_a_selection(choose: Any) -> None:
    """None, too many, one twice, not there, not ascending, no integers."""
    training_set = TrainingSetSettings(n_max_factor=4).model_copy(update={"selection": part(choose)})
    with pytest.raises(ValueError, match=r"^Own chose .*; allowed: 1 to 8 indices from 0 to \d+, ascending$"):
        run(training_set=training_set)


def test_a_start_that_never_ends() -> None:
    """It gives points that are known, for ever."""

    def search(start: Array) -> Any:
        while True:
            yield [start.tolist()]

    with pytest.raises(ValueError, match=r"^Own: 10000 requests in a row without an evaluation of f$"):
        run(start=part(search))


def test_a_control_that_never_asks() -> None:
    """It discards population after population."""

    def evaluate(population: Any) -> Any:
        yield from ()

    with pytest.raises(ValueError, match=r"^Own: 10000 generations in a row without an evaluation of f$"):
        run(control=part(evaluate))


@pytest.mark.parametrize("growth", [np.nan, np.inf, 0.0, -1.0])
def test_a_start_of_no_size(growth: float) -> None:
    """Neither a population nor σ₀ is multiplied by it."""
    for name in ("growth", "step"):
        given: Any = {"growth": 1.0, name: growth}
        with pytest.raises(ValueError, match=rf"^{name} of a start is {growth}; allowed: a number above 0$"):
            Start(**given)


def test_a_population_that_is_too_small() -> None:
    """It is refused by the growth that makes it."""
    starts = itertools.count()
    plan = part(lambda last: Start(1.0 / 2.0 ** next(starts)))
    with pytest.raises(ValueError, match=r"^growth of a start is 0.5, a population of 3; allowed: .* of 4 and more$"):
        run(10_000, restarts=plan, control=part(ranks_by(lambda population: population.values)))
