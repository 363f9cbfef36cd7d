"""S-CMA-ES as an ask/tell object: which generations are true, what survives a restart, what the strategy sees."""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sacma.strategy.evolution_control import AdaptiveControl, Decision
from sacma.strategy.model_error import JudgedPopulation
from sacma.strategy.scmaes import SurrogateCMAES

from sacma.strategy.cma_es import CMAES
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SCMAESSettings
from sacma.strategy.training import Model, Regression
from sacma.surrogate.gaussian_process import FitStatus, GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array

ADAPTIVE = [
    {"model_error": "kendall"},
    {"model_error": "ranking_difference", "transfer": "T1"},
    {"model_error": "kullback_leibler", "error_threshold": 0.9, "update_rate": 0.5},
]


def sphere(x: Array) -> float:
    return float(np.sum((x - 1.0) ** 2))


def rastrigin(x: Array) -> float:
    return float(10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


def strategy(settings: CMAESSettings, D: int, generations: list[Generation], seed: int = 1) -> SurrogateCMAES:
    rng = np.random.default_rng(seed)
    return SurrogateCMAES(
        settings,
        initial_point=lambda: rng.uniform(-4, 4, D),
        box=(np.full(D, -5.0), np.full(D, 5.0)),
        rng=rng,
        on_generation=generations.append,
    )


def run(
    settings: CMAESSettings, f: Callable[[Array], float], D: int, evaluations: int, seed: int = 1
) -> list[Generation]:
    generations: list[Generation] = []
    es = strategy(settings, D, generations, seed)
    while es.true_evaluations < evaluations:
        es.tell([f(x) for x in es.ask()])
    return generations


def pattern(generations: list[Generation]) -> str:
    return "".join("T" if g.evaluated_by == EvaluatedBy.TRUTH else "m" for g in generations)


@pytest.mark.parametrize("g_m", [0, 1, 5])
def test_constant_control_alternates(g_m: int) -> None:
    """After each trained model come exactly g_m model generations, and then a true one."""
    settings = SCMAESSettings(model_generations=g_m, training_radius=64.0)
    generations = run(settings, sphere, 3, 120)
    untrained = sum(g.fit_status == FitStatus.TOO_FEW_POINTS for g in generations)
    assert untrained == 1  # 7 points, n_req = 9
    rest = pattern(generations)[untrained:]
    assert rest.startswith(("T" + g_m * "m") * 4)


def test_model_generations_cost_no_evaluation() -> None:
    """True evaluations grow by λ in true generations and not at all in model generations."""
    generations = run(SCMAESSettings(model_generations=5, training_radius=64.0), sphere, 3, 120)
    for before, after in pairwise(generations):
        grown = after.true_evaluations - before.true_evaluations
        assert grown == (after.population_size if after.evaluated_by == EvaluatedBy.TRUTH else 0)


def test_no_surrogate_is_plain_cma_es() -> None:
    """With settings of CMA-ES every generation is true, and so it is with g_m = 0, sample for sample."""
    plain = run(CMAESSettings(), sphere, 3, 300)
    never = run(SCMAESSettings(model_generations=0), sphere, 3, 300)
    assert set(pattern(plain)) == {"T"}
    assert [g.sigma for g in plain] == [g.sigma for g in never]
    assert [g.best_value for g in plain] == [g.best_value for g in never]


@pytest.mark.parametrize("settings", ADAPTIVE)
def test_adaptive_control_uses_its_decisions(settings: dict[str, Any]) -> None:
    """Each true generation is followed by the g_m that it decided; errors are in [0, 1]; the first g_m is 1."""
    adaptive = AdaptiveSCMAESSettings.model_validate({**settings, "training_radius": 64.0})
    generations = run(adaptive, sphere, 3, 150)
    runs = pattern(generations).split("T")[1:]
    true = [g for g in generations if g.evaluated_by == EvaluatedBy.TRUTH]
    same_run = [a.restart == b.restart for a, b in pairwise(true)]
    for g, models, unbroken in zip(true[:-1], runs[:-1], same_run, strict=True):
        assert len(models) == g.model_generations or not unbroken
    trained = [g for g in true if g.fit_status == FitStatus.TRAINED]
    assert trained[0].model_generations == 1
    errors = [g.error for g in true if not math.isnan(g.error)]
    assert len(errors) > 5
    assert all(0.0 <= e <= 1.0 for e in errors)
    assert len({g.model_generations for g in true}) > 1


def test_smoothed_error_survives_a_restart_and_the_model_does_not() -> None:
    """After a restart the first generation is true, has no error of an earlier model, and keeps ε_s."""
    settings = AdaptiveSCMAESSettings(model_error="kendall", training_radius=64.0)
    generations = run(settings, rastrigin, 2, 3000)
    restarts = [(a, b) for a, b in pairwise(generations) if b.restart > a.restart]
    assert restarts
    for before, after in restarts:
        assert after.evaluated_by == EvaluatedBy.TRUTH
        assert math.isnan(after.error)
        smoothed = [g.smoothed_error for g in generations[: before.generation] if not math.isnan(g.smoothed_error)]
        assert after.smoothed_error == smoothed[-1] if smoothed else math.isnan(after.smoothed_error)


def test_archive_survives_a_restart() -> None:
    """With a large radius, the first generation after a restart already has points of the runs before."""
    settings = SCMAESSettings(training_radius=1e6)
    generations = run(settings, rastrigin, 2, 1500)
    after = [b for a, b in pairwise(generations) if b.restart > a.restart]
    assert after
    assert all(g.training_set_size == 30 for g in after)


def outcomes_of_training(monkeypatch: pytest.MonkeyPatch, wanted: Iterable[bool]) -> list[Any]:
    """Let trainings fail where ``wanted`` says so, succeed for ever after it, and note their warm starts."""
    warm_starts: list[Any] = []
    verdicts = iter(wanted)

    def fit(
        training: TrainingSet, *, start: Hyperparameters, warm: Hyperparameters | None, **how: Any
    ) -> GaussianProcess | FitStatus:
        warm_starts.append(warm)
        wanted = next(verdicts, True)
        return fit_gaussian_process(training, start=start, warm=warm, **how) if wanted else FitStatus.NO_FACTOR

    monkeypatch.setattr("sacma.strategy.learners.fit_gaussian_process", fit)
    return warm_starts


def test_a_failed_training_leaves_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a success, a failure and a success: no model generation after the failure, and no error after that."""
    outcomes_of_training(monkeypatch, [True, False])
    settings = AdaptiveSCMAESSettings(model_error="kendall", training_radius=64.0)
    generations = run(settings, sphere, 3, 60)
    true = [g for g in generations if g.evaluated_by == EvaluatedBy.TRUTH]
    assert [g.fit_status for g in true[:4]] == ["too few points", "trained", "no factor", "trained"]
    assert pattern(generations).startswith("TTmTT")
    assert not math.isnan(true[2].error)
    assert math.isnan(true[3].error)
    assert true[3].smoothed_error == true[2].smoothed_error


def test_each_model_is_judged_on_the_next_population(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged is the model of one true generation earlier, on points that it has not been trained on."""
    judged: list[JudgedPopulation | None] = []
    models: list[Model[Regression] | None] = []
    decide = AdaptiveControl.decide

    def spy(self: AdaptiveControl, population: JudgedPopulation | None) -> Decision:
        judged.append(population)
        models.append(es._model)
        return decide(self, population)

    monkeypatch.setattr(AdaptiveControl, "decide", spy)
    es = strategy(AdaptiveSCMAESSettings(model_error="kendall", training_radius=64.0), 3, [])
    for _ in range(8):
        es.tell([sphere(x) for x in es.ask()])
    assert judged[:2] == [None, None]
    for population, model in zip(judged[2:], models[1:-1], strict=True):
        assert population is not None
        assert model is not None
        np.testing.assert_array_equal(population.predicted, model(population.points))
        inside = model.whitening(population.points)
        assert isinstance(model.fitted, GaussianProcess)
        assert not any((row == model.fitted.inputs).all(axis=1).any() for row in inside)


def test_a_restart_forgets_the_hyperparameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each training but the first of a run starts from the one before; the first of a run starts cold."""
    warm_starts = outcomes_of_training(monkeypatch, [])
    generations = run(SCMAESSettings(training_radius=1e6), rastrigin, 2, 1500)
    fitted = [g for g in generations if g.fit_status not in {"", FitStatus.TOO_FEW_POINTS}]
    first_of_run = [True, *(b.restart > a.restart for a, b in pairwise(fitted))]
    assert sum(first_of_run) > 1
    cold = [warm is None for warm in warm_starts]
    assert all(is_cold for is_cold, first in zip(cold, first_of_run, strict=True) if first)
    assert sum(cold) < len(cold) / 2


@pytest.mark.parametrize("prediction", [np.nan, np.inf, 7.0])
def test_a_model_that_cannot_rank_is_not_used(monkeypatch: pytest.MonkeyPatch, prediction: float) -> None:
    """Predictions that are not finite, or constant, on the training population: not trained. On a later one: stop."""
    monkeypatch.setattr(Model, "__call__", lambda _, points: np.full(len(points), prediction))
    generations = run(SCMAESSettings(training_radius=64.0), sphere, 3, 60)
    assert set(pattern(generations)) == {"T"}
    assert {g.fit_status for g in generations} == {FitStatus.TOO_FEW_POINTS, FitStatus.CONSTANT_PREDICTION}

    calls = iter(range(10**9))
    monkeypatch.setattr(
        Model, "__call__", lambda _, points: np.arange(7.0) if next(calls) % 2 == 0 else np.full(7, prediction)
    )
    generations = run(SCMAESSettings(training_radius=64.0), sphere, 3, 60)
    assert set(pattern(generations)) == {"T"}
    assert FitStatus.TRAINED in {g.fit_status for g in generations}


@pytest.mark.parametrize("values", [[1.0], [1.0] * 8, [math.nan] + [1.0] * 6, [-math.inf] + [1.0] * 6])
def test_tell_takes_a_value_a_point(values: list[float]) -> None:
    """Too few, too many, NaN and minus infinity are refused in words."""
    es = strategy(CMAESSettings(), 3, [])
    es.ask()
    with pytest.raises(ValueError, match="7 numbers, one a point"):
        es.tell(values)


def test_strategy_never_sees_a_value_better_than_any_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model values are shifted up, all by the same, where their least lies below the best true value."""
    told: list[Array] = []
    original = CMAES.tell

    def spy(self: CMAES, values: Array) -> None:
        told.append(np.array(values))
        original(self, values)

    monkeypatch.setattr(CMAES, "tell", spy)
    generations = run(SCMAESSettings(model_generations=5, training_radius=64.0), sphere, 3, 100)
    model = [(g, v) for g, v in zip(generations, told, strict=True) if g.evaluated_by == EvaluatedBy.MODEL]
    gaps = [(float(v.min()) - g.best_value) / g.best_value for g, v in model]
    assert min(gaps) >= -1e-12
    assert any(abs(gap) < 1e-12 for gap in gaps)


def test_too_large_a_requirement_is_plain_cma_es() -> None:
    """Without enough points in reach no model is trained and every generation is true."""
    generations = run(SCMAESSettings(training_radius=1e-6), sphere, 3, 200)
    assert set(pattern(generations)) == {"T"}
    assert {g.fit_status for g in generations} == {FitStatus.TOO_FEW_POINTS}


@pytest.mark.parametrize(
    "f",
    [
        lambda _: 3.0,
        lambda x: float(np.sign(x[0])),
        lambda x: 1e308 * float(np.tanh(x[0])),
        lambda x: 1.79e308 * float(np.sign(x[0])),
    ],
)
@pytest.mark.parametrize("settings", [*ADAPTIVE, None])
def test_survives_degenerate_objectives(f: Callable[[Array], float], settings: dict[str, Any] | None) -> None:
    """Constant, two-valued and huge objectives raise nothing, and evaluations go on."""
    chosen = (
        SCMAESSettings(training_radius=64.0)
        if settings is None
        else AdaptiveSCMAESSettings.model_validate({**settings, "training_radius": 64.0})
    )
    assert run(chosen, f, 2, 400)[-1].true_evaluations >= 400


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
@pytest.mark.parametrize("selection", ["recent", "nearest", "kmeans"])
def test_all_selections_and_bounds_converge(bounds: str, selection: str) -> None:
    """Each way of choosing points and of handling bounds solves the sphere, and does so with a model."""
    settings = SCMAESSettings.model_validate(
        {"bounds": bounds, "selection": selection, "training_radius": 64.0, "model_generations": 3}
    )
    generations = run(settings, sphere, 3, 240)
    assert generations[-1].best_value < 1e-8
    assert pattern(generations).count("m") > 30


def test_end_reports_a_part_of_a_population() -> None:
    """``end`` archives and reports the points that were evaluated, and nothing when there are none."""
    generations: list[Generation] = []
    es = strategy(CMAESSettings(), 2, generations)
    population = es.ask()
    es.end([sphere(population[0]), sphere(population[1])])
    assert es.true_evaluations == 2
    assert len(generations) == 1
    assert es.best_value == min(sphere(population[0]), sphere(population[1]))
    es.end([])
    assert len(generations) == 1


def test_a_failed_training_can_keep_the_last_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """With failed_training: keeps_model the failure has no error and no g_m; the next success judges the old model."""
    outcomes_of_training(monkeypatch, [True, False])
    settings = AdaptiveSCMAESSettings(model_error="kendall", training_radius=64.0, failed_training="keeps_model")
    generations = run(settings, sphere, 3, 60)
    true = [g for g in generations if g.evaluated_by == EvaluatedBy.TRUTH]
    assert [g.fit_status for g in true[:4]] == ["too few points", "trained", "no factor", "trained"]
    assert pattern(generations).startswith("TTmTT")
    assert math.isnan(true[2].error)
    assert not math.isnan(true[3].error)


@pytest.mark.parametrize("survives", ["archive_and_error", "all"])
def test_model_and_phase_can_survive_a_restart(monkeypatch: pytest.MonkeyPatch, survives: str) -> None:
    """A restart after two of five model generations: with all surviving, the new run begins with the other three."""
    checks = iter(range(10**9))
    monkeypatch.setattr(CMAES, "stop", lambda _: ("forced",) if next(checks) == 3 else ())
    settings = SCMAESSettings.model_validate(
        {"training_radius": 1e6, "model_generations": 5, "survives_restart": survives, "restart_from": "same"}
    )
    generations = run(settings, sphere, 3, 80)
    before, after = (pattern([g for g in generations if g.restart == restart]) for restart in (0, 1))
    assert before == "TTmm"
    assert after.startswith("mmmTmmmmm" if survives == "all" else "TmmmmmT")
    assert generations[4].population_size == 2 * generations[3].population_size


def test_starting_afresh_forgets_everything() -> None:
    """After the last restart with start_afresh: too few points again, and g_m = 1 for the first model."""
    settings = AdaptiveSCMAESSettings(
        model_error="kendall", training_radius=1e6, max_restarts=1, after_last_restart="start_afresh"
    )
    generations = run(settings, rastrigin, 2, 4000)
    first_of_run = [b for a, b in pairwise(generations) if b.restart > a.restart]
    assert {g.restart % 2 for g in first_of_run} == {0, 1}
    for g in first_of_run:
        fresh = g.restart % 2 == 0
        assert (g.training_set_size < 30) == fresh
        assert math.isnan(g.smoothed_error) == fresh


def test_means_are_evaluated_and_kept_apart() -> None:
    """x₀ comes alone before each run, m alone after it; both count, and neither enters the archive."""
    generations: list[Generation] = []
    settings = SCMAESSettings(training_radius=1e6, evaluate_means=True, restart_from="same")
    es = strategy(settings, 2, generations)
    alone: list[Array] = []
    asked = 0
    while generations == [] or generations[-1].restart < 2:
        population = es.ask()
        asked += len(population)
        if len(population) == 1:
            alone.append(population[0])
        es.tell([rastrigin(x) for x in population])
        assert es.true_evaluations == asked
    assert len(alone) >= 5
    np.testing.assert_array_equal(alone[0], alone[2])
    np.testing.assert_array_equal(alone[0], alone[4])
    assert not np.array_equal(alone[1], alone[0])
    archived = {point.tobytes() for point in es._archive.points}
    assert not any(point.tobytes() in archived for point in alone)
    assert es.best_value <= min(rastrigin(x) for x in alone)


def test_repaired_points_can_be_trained_on() -> None:
    """With a penalty, trained_on: repaired archives what f has seen; models still predict points as sampled."""
    archived = {}
    for trained_on in ("sampled", "repaired"):
        settings = SCMAESSettings.model_validate(
            {"bounds": "penalty", "training_radius": 64.0, "trained_on": trained_on, "sigma0": 8.0}
        )
        es = strategy(settings, 3, [])
        for _ in range(6):
            es.tell([sphere(x) for x in es.ask()])
        archived[trained_on] = es._archive.points
    assert np.any(np.abs(archived["sampled"]) > 5.0)
    assert np.all(np.abs(archived["repaired"]) <= 5.0)


def test_narrow_models_can_be_rejected() -> None:
    """With rejected_model: narrow, late in convergence, models are rejected that else would have been used."""
    counts = {}
    for rule in ("constant", "narrow"):
        settings = SCMAESSettings.model_validate({"training_radius": 64.0, "rejected_model": rule})
        generations = run(settings, sphere, 3, 600)
        counts[rule] = sum(g.fit_status == FitStatus.NARROW_PREDICTION for g in generations)
    assert counts["constant"] == 0 < counts["narrow"]


def test_infinity_ranks_with_the_worst_and_enters_no_model() -> None:
    """Where f overflows far out the run goes on, nothing infinite is archived, and NaN is still refused."""
    es = strategy(SCMAESSettings(training_radius=64.0, sigma0=8.0), 3, [])
    seen = 0
    for _ in range(30):
        values = [sphere(x) if np.max(np.abs(x)) < 9 else math.inf for x in es.ask()]
        seen += sum(map(math.isinf, values))
        es.tell(values)
    assert seen > 0
    assert np.all(np.isfinite(es._archive.values))
    assert len(es._archive) == es.true_evaluations - seen
    assert es.best_value < 1.0
    for wrong in (math.nan, -math.inf):
        with pytest.raises(ValueError, match="finite or inf"):
            es.tell([wrong] * len(es.ask()))


def test_the_first_mean_is_evaluated_within_the_bounds() -> None:
    """x₀ outside of the box is repaired before f sees it, and so is the last mean."""
    settings = CMAESSettings(evaluate_means=True, bounds="penalty")
    rng = np.random.default_rng(1)
    box = (np.full(3, -5.0), np.full(3, 5.0))
    es = SurrogateCMAES(settings, initial_point=lambda: np.array([9.0, 0.0, -7.0]), box=box, rng=rng)
    np.testing.assert_array_equal(es.ask(), [[5.0, 0.0, -5.0]])


def test_a_model_is_not_rejected_for_a_repaired_population() -> None:
    """Where the whole population is repaired to one corner, the model is checked on points as sampled."""
    settings = SCMAESSettings.model_validate(
        {"bounds": "penalty", "trained_on": "repaired", "training_radius": 64.0, "sigma0": 2.0}
    )
    generations: list[Generation] = []
    es = strategy(settings, 3, generations)
    while es.true_evaluations < 400:
        es.tell([float(np.sum(x)) for x in es.ask()])
    statuses = [g.fit_status for g in generations if g.fit_status]
    assert statuses.count(FitStatus.TRAINED) > 0.9 * len(statuses)


def test_infinity_ranks_behind_the_only_finite_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all but one of the first population overflow, the update still sees which point is the best."""
    told: list[Array] = []
    monkeypatch.setattr(CMAES, "tell", lambda _, values: told.append(np.array(values)))
    for finite in (3.0, -1e300, 1.7976931348623157e308):
        es = strategy(CMAESSettings(), 3, [])
        es.ask()
        es.tell([math.inf, math.inf, finite, math.inf, math.inf, math.inf, math.inf])
        assert np.argmin(told[-1]) == 2 or finite == np.max(told[-1])
        assert np.all(np.isfinite(told[-1]))


def test_points_given_at_the_start_are_learnt_from() -> None:
    """With an archive to begin with, the first generation has a model; nothing of it is counted."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-4, 4, (30, 3))
    generations: list[Generation] = []
    es = SurrogateCMAES(
        SCMAESSettings(training_radius=64.0),
        initial_point=lambda: rng.uniform(-4, 4, 3),
        box=(np.full(3, -5.0), np.full(3, 5.0)),
        rng=rng,
        on_generation=generations.append,
        archive=(X, np.array([sphere(x) for x in X])),
    )
    es.tell([sphere(x) for x in es.ask()])
    assert generations[0].fit_status == FitStatus.TRAINED
    assert generations[0].training_set_size == 37
    assert es.true_evaluations == 7
    assert es.best_value == generations[0].best_value > min(sphere(x) for x in X)
