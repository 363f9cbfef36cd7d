"""s*ACM-ES: hyperparameters that follow errors, lifelength, and invariance."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import kendalltau

from sacma.strategy.cma_es import CMAES
from sacma.strategy.generation import EvaluatedBy
from sacma.strategy.ranking_model import RankingModel, RankingSVMModel, limits, usual
from sacma.surrogate.ranking_svm import Ranked, RankingParameters, RankingSVM, fit_ranking_svm, usual_size
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array
from tests.strategy.judged import box
from tests.strategy.runs import Run, Scripted, Watched, parts, rastrigin, rosenbrock, sphere

SETS: dict[str, Any] = {"radius": np.inf, "n_req_factor": 4, "n_max_factor": 70}
LIFE: dict[str, Any] = {"name": "lifelength"}
SVM: dict[str, Any] = {"name": "ranking-svm"}


def saacm(seed: int = 1, D: int = 3, **more: Any) -> Run:
    return Run(parts(model=SVM, control=LIFE, training_set=SETS, **more), D, seed)


@pytest.mark.parametrize("change", [np.cbrt, np.log1p, lambda y: y**3 - 7.0])
def test_increasing_functions_of_f_change_no_point(change: Callable[[float], float]) -> None:
    """The same points are evaluated, as long as no stop condition compares values; a Gaussian process sees them."""

    def changed(x: Array) -> float:
        return float(change(rosenbrock(x)))

    plain, other = saacm().until(300, rosenbrock), saacm().until(300, changed)
    assert "m" in plain.pattern
    np.testing.assert_array_equal(plain.points, other.points)
    control = {"name": "generations"}
    first, second = (Run(parts(control=control)).until(150, f).points for f in (rosenbrock, changed))
    assert not np.array_equal(first, second)


def test_it_saves_evaluations() -> None:
    """Of CMA-ES alone, on a function that a machine can learn."""
    assert saacm(D=5).until(300).es.best_value < 1e-2 * Run(parts(), 5).until(300).es.best_value


def test_the_lifelength_follows_the_smoothed_error() -> None:
    """From 0.5 on by a fifth of each error; no model before the tenth generation, and after a restart again."""
    run = saacm().until(250, rastrigin)
    smoothed, left, count = 0.5, 0, 0
    for generation in run.generations:
        if generation.evaluated_by == "model":
            left -= 1
            assert left >= 0
            continue
        assert left == 0
        count += 1
        if not np.isnan(generation.error):
            smoothed = 0.8 * smoothed + 0.2 * generation.error
            assert generation.smoothed_error == pytest.approx(smoothed)
            assert count >= 10
        left = max(0, int(np.floor((0.45 - smoothed) / 0.45 * 20)) - 1) if count >= 10 else 0
    assert run.pattern.startswith("T" * 10)
    assert "m" in run.pattern


def test_a_run_begins_with_generations_by_f() -> None:
    """After a restart the error of the last run is forgotten with its model."""
    sampling = Watched(stop_at=60)
    run = Run(parts(model=Scripted(), control=LIFE, sampling=sampling), 2).until(400, sphere)
    second = [g for g in run.generations if g.restart == 1]
    assert [g.evaluated_by for g in second[:10]] == ["true"] * 10
    judged = next(g for g in second if not np.isnan(g.error))
    assert judged.smoothed_error == pytest.approx(0.4 + 0.2 * judged.error)


@pytest.mark.parametrize(("D", "draws"), [(9, 1), (10, 10)])
def test_a_trusted_model_has_larger_populations(D: int, draws: int) -> None:
    """From 10-D on, where four generations or more are by one model: of 10 λ samples the μ best and the λ − μ worst."""
    calls: list[tuple[int, Array]] = []

    def remember(predicted: Array, _: int) -> Array:
        calls.append((len(run.generations), predicted))
        return predicted

    sampling = Watched(sigma0=0.5)
    control = {**LIFE, "larger_populations": True, "first_generations": 3}
    run = Run(parts(model=Scripted(changed=remember), control=control, sampling=sampling), D)
    run.until(120, sphere)
    planned, seen = 0, set()
    for place, generation in enumerate(run.generations):
        if generation.evaluated_by != EvaluatedBy.MODEL:
            planned = planned if np.isnan(generation.error) else generation.model_generations
            continue
        of = draws if planned >= 4 else 1
        seen.add(of)
        told, size = sampling.told[place], generation.population_size
        predicted = np.concatenate([values for at, values in calls if at == place][-of:])
        assert len(predicted) == of * size
        ordered = np.sort(predicted)
        np.testing.assert_array_equal(np.sort(told), np.append(ordered[: size // 2], ordered[size // 2 - size :]))
    assert draws in seen


def model_of(D: int, *, adaptive: bool = True) -> RankingModel:
    model = RankingSVMModel(adaptive=adaptive).build(box(D))
    assert isinstance(model, RankingModel)
    return model


def sets_of(values: Callable[[Array], Array], D: int, sizes: range) -> list[TrainingSet]:
    """Return growing training sets around the origin."""
    inputs = np.random.default_rng(4).normal(size=(sizes.stop, D))
    return [TrainingSet(inputs[:n], values(inputs[:n]), np.arange(n)) for n in sizes]


def f(x: Array) -> Array:
    return np.asarray(np.sum(x**2 * np.logspace(0, 2, x.shape[1]), axis=1))


def rippled(x: Array) -> Array:
    return f(x) + 30.0 * np.asarray(np.sin(5.0 * x[:, 0]))


def machine(fitted: object) -> RankingSVM:
    assert isinstance(fitted, RankingSVM)
    return fitted


@pytest.mark.parametrize(("drift", "larger"), [(0.0, True), (0.5, False)])
def test_the_number_of_training_points_follows_errors(drift: float, *, larger: bool) -> None:
    """Where f moves from point to point, old ones mislead, and machines come to use fewer than where it stays."""
    rng = np.random.default_rng(6)
    optimum = drift * np.arange(400.0)[:, None] * np.ones(2)
    inputs = optimum + rng.normal(size=(400, 2))
    values = f(inputs - optimum)
    model, whitening, sizes = model_of(2), Whitening(np.zeros(2), np.eye(2)), []
    for n in range(110, 400, 8):
        training = TrainingSet(inputs[:n], values[:n], np.arange(n))
        sizes.append(len(machine(model.fit(training, whitening)).values))
    assert (np.mean(sizes[-20:]) > 65) == larger


class Searching(CMAES):
    """The search of hyperparameters, which remembers what it asked and was told."""

    searches: ClassVar[list["Searching"]] = []

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.start, self.asked, self.told = np.array(given[0]), np.empty((0, 4)), np.empty(0)
        self.searches.append(self)

    def ask(self) -> Sequence[Array]:
        """Sample far enough that some are out of range."""
        points = super().ask()
        self.asked = np.array(points)
        return points

    def tell(self, values: Array) -> None:
        """Remember the errors."""
        self.told = values
        super().tell(values)


def test_hyperparameters_are_judged_by_new_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty by (1 − τ)/2 of machines of the earlier points; out of range or with too few points by how much above 1.

    The next machine has those at the mean, in a cube of the ranges: 4 D to twice the usual n, 0 to 10, 0 to 6, ½ to 2.
    """
    monkeypatch.setattr("sacma.strategy.ranking_model.CMAES", Searching)
    monkeypatch.setattr(Searching, "searches", [])
    model, low, high = model_of(3), np.array([12.0, 0.0, 0.0, 0.5]), np.array([2.0 * usual_size(3), 10.0, 6.0, 2.0])
    first, second = sets_of(rippled, 3, range(60, 91, 30))
    here, later = Whitening(np.zeros(3), np.eye(3)), Whitening(np.array([0.1, 0.2, 0.3]), np.diag([2.0, 1.0, 0.5]))
    model.fit(first, here)
    found = machine(model.fit(replace(second, inputs=later(second.inputs)), later))
    (search,) = Searching.searches
    assert np.all((search.start >= 0.2) & (search.start <= 0.8))
    kinds, expected = set(), []
    for candidate in search.asked.tolist():
        theta = RankingParameters(*(low + np.array(candidate) * (high - low)))
        beyond = sum(max(0.0, -c, c - 1.0) for c in candidate) + max(0.0, theta.size - 60) / high[0]
        scores = Ranked(first).machine(theta).scores(second.inputs[60:]) if not beyond else np.zeros(30)
        wrong = (1.0 - kendalltau(scores, second.values[60:]).statistic) / 2.0
        expected.append(1.0 + beyond if beyond else wrong)
        kinds.add(bool(beyond))
    assert len(expected) == 20
    assert kinds == {False, True}
    np.testing.assert_allclose(search.told, expected, rtol=1e-6)
    inside = np.all((search.mean >= 0.0) & (search.mean <= 1.0))
    theta = RankingParameters(*(low + search.mean * (high - low))) if inside else usual(3)
    alone = machine(fit_ranking_svm(replace(second, inputs=later(second.inputs)), theta))
    assert found.twice == pytest.approx(alone.twice)
    assert len(found.values) == len(alone.values)


def test_few_new_values_do_not_change_hyperparameters() -> None:
    """A machine of the same points and up to three more is that of the same hyperparameters; four more move them."""
    whitening = Whitening(np.zeros(3), np.eye(3))
    for more, same in ((1, True), (3, True), (4, False)):
        first, second = sets_of(f, 3, range(50, 51 + more, more))
        model = model_of(3)
        model.fit(first, whitening)
        found, plain = machine(model.fit(second, whitening)), machine(fit_ranking_svm(second, usual(3)))
        assert (found.twice == plain.twice) == same


def test_a_restart_begins_with_the_usual_ones_and_new_points() -> None:
    """Points of the last run are left out."""
    whitening = Whitening(np.zeros(3), np.eye(3))
    first, second = sets_of(f, 3, range(60, 91, 30))
    model = model_of(3)
    for training in (first, second):
        model.fit(training, whitening)
    model.forget()
    inputs = np.vstack([second.inputs, 5.0 + second.inputs[:40]])
    training = TrainingSet(inputs, f(inputs), np.arange(len(inputs)))
    later = TrainingSet(inputs[90:], f(inputs[90:]), np.arange(90, 130))
    np.testing.assert_array_equal(
        machine(model.fit(training, whitening)).predict(inputs[:5]),
        machine(fit_ranking_svm(later, usual(3))).predict(inputs[:5]),
    )


def test_usual_hyperparameters_are_within_their_limits() -> None:
    """In all dimensions."""
    for D in (1, 2, 5, 10, 40):
        low, high = limits(D)
        theta = usual(D)
        assert isinstance(theta, RankingParameters)
        assert np.all((low <= list(vars(theta).values())) & (list(vars(theta).values()) <= high))


@pytest.mark.parametrize("control", ["doubly-trained", "generations", "approximate-ranking", "best-first"])
def test_ranking_svm_goes_with_other_controls(control: str) -> None:
    """And finds what CMA-ES finds."""
    run = Run(parts(control={"name": control}, model=SVM, training_set=SETS), 3).until(250)
    assert run.es.best_value < 1e-1
