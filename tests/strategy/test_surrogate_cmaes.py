"""The composed strategy as an ask/tell object: what f evaluates, what is counted, what restarts keep."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sacma.strategy.control import Evaluation, NoControl
from sacma.strategy.generation import EvaluatedBy
from sacma.strategy.lagrangian import Lagrangian
from sacma.strategy.population import Population, Sample
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.model import FitStatus
from sacma.surrogate.part import Part
from tests.strategy.runs import (
    DOUBLY,
    ERRORS,
    KENDALL,
    Objective,
    Run,
    Scripted,
    Watched,
    generations,
    noisy_sphere,
    parts,
    rastrigin,
    rosenbrock,
    sphere,
)

WIDE = {"radius": 1e6}


def test_no_surrogate_is_cma_es_and_so_is_one_that_is_never_used() -> None:
    """Without control, with g_m = 0, and where no training succeeds, the points are those of CMA-ES to the bit."""
    plain = Run(parts(), 2).until(1500, rastrigin)
    assert set(plain.pattern) == {"T"}
    assert plain.generations[-1].restart > 0
    failing = Scripted(script=(FitStatus.NO_FACTOR,) * 10_000)
    for other in (parts(control=generations(0)), *(parts(control=c, model=failing) for c in (generations(5), DOUBLY))):
        assert Run(other, 2).until(1500, rastrigin).bits[:2] == plain.bits[:2]


@pytest.mark.parametrize("control", [*ERRORS, generations(2), DOUBLY, {**DOUBLY, "share": {"name": "adaptive"}}])
def test_the_same_seed_gives_the_same_bits(control: dict[str, Any]) -> None:
    """Points, values and generations; another seed gives others."""
    first, second, other = (Run(parts(control=control), 3, seed).until(100, rosenbrock) for seed in (1, 1, 2))
    assert first.bits == second.bits
    assert first.bits[0] != other.bits[0]


@pytest.mark.parametrize("values", [[1.0], [1.0] * 8, [math.nan] + [1.0] * 6, [-math.inf] + [1.0] * 6])
def test_tell_takes_a_value_a_point(values: list[float]) -> None:
    """Too few, too many, NaN and minus infinity are refused in words, and the strategy goes on."""
    run = Run(parts())
    with pytest.raises(ValueError, match="7 numbers, one a point, finite or inf"):
        run.es.tell(values)
    assert run.until(14).es.true_evaluations == 14


def test_infinite_values_rank_with_the_worst_and_enter_no_model() -> None:
    """Where f overflows far out the run goes on, and models see finite values only."""
    model = Scripted()
    run = Run(parts(control=generations(1), model=model, sampling={"name": "cma-es", "sigma0": 8.0}, training_set=WIDE))
    run.until(200, lambda x: sphere(x) if np.max(np.abs(x)) < 9 else math.inf)
    assert np.isinf(run.values).any()
    assert all(np.all(np.isfinite(training.values)) for training in model.built[0].sets)
    assert run.es.best_value < 1.0


def test_points_given_at_the_start_are_learnt_from() -> None:
    """With an archive to begin with, the first generation has a model; nothing of it is counted."""
    X = np.random.default_rng(2).uniform(-4, 4, (30, 3))
    run = Run(parts(control=generations(1)), archive=(X, np.array([sphere(x) for x in X])))
    run.step(sphere)
    first = run.generations[0]
    assert (first.fit_status, first.training_set_size) == (FitStatus.TRAINED, 37)
    assert run.es.true_evaluations == 7
    assert run.es.best_value == first.best_value == run.values.min() > min(sphere(x) for x in X)


@pytest.mark.parametrize("control", [generations(1), DOUBLY])
def test_the_archive_survives_a_restart_and_hyperparameters_do_not(control: dict[str, Any]) -> None:
    """With a large radius the first training of a run has points of earlier runs; its search starts anew."""
    model = Scripted()
    run = Run(parts(control=control, model=model, training_set=WIDE), 2).until(900, rastrigin)
    after = [b for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert after
    assert all(g.training_set_size == 30 for g in after)
    assert model.built[0].events.count("x") == len(after)


def test_the_smoothed_error_survives_a_restart_and_the_model_does_not() -> None:
    """After a restart the first generation is true, has no error of an earlier model, and keeps ε_s."""
    run = Run(parts(control=KENDALL), 2).until(3000, rastrigin)
    restarts = [(a, b) for a, b in pairwise(run.generations) if b.restart > a.restart]
    assert restarts
    for before, after in restarts:
        assert after.evaluated_by == EvaluatedBy.TRUTH
        assert math.isnan(after.error)
        smoothed = [g.smoothed_error for g in run.generations[: before.generation] if not math.isnan(g.smoothed_error)]
        assert after.smoothed_error == smoothed[-1]


def test_the_last_run_can_be_the_end() -> None:
    """With after_last_restart: stop nothing more is asked, and told nothing more."""
    run = Run(parts(restarts={"name": "ipop", "max_restarts": 1, "after_last_restart": "stop"}), 2)
    run.until(10_000, lambda _: 0.0)
    assert run.es.stopped
    assert list(run.es.ask()) == []
    assert {g.restart for g in run.generations} == {0, 1}
    run.es.tell([])
    assert run.es.stopped


def test_end_reports_a_part_of_a_population() -> None:
    """``end`` counts, archives and reports the points that were evaluated, and once only."""
    run = Run(parts(control=generations(1)), 2)
    run.es.end([3.0, 1.0])
    run.es.end([])
    assert run.es.true_evaluations == 2
    assert run.es.best_value == 1.0
    assert run.steps == [2]
    assert run.pattern == "T"


@pytest.mark.parametrize(
    "f",
    [
        lambda _: 3.0,
        lambda x: float(np.sign(x[0])),
        lambda x: 1e308 * float(np.tanh(x[0])),
        lambda x: 1.79e308 * float(np.sign(x[0])),
        lambda x: 1e200 * float(np.sum(x**4)),
        lambda x: math.inf if x[0] > 1 else float(x[0]),
    ],
)
@pytest.mark.parametrize("control", [*ERRORS, generations(1), {**DOUBLY, "share": {"name": "adaptive"}}])
def test_survives_degenerate_objectives(f: Objective, control: dict[str, Any]) -> None:
    """Constant, two-valued, huge and infinite objectives raise nothing, and evaluations go on."""
    run = Run(parts(control=control, proposals={"name": "model-optimum"}), 2).until(100, f)
    assert run.es.true_evaluations >= 100
    assert np.all(np.isfinite(run.points))


def test_proposals_follow_a_training_and_take_part_in_the_next_population() -> None:
    """They are evaluated once, archived, and injected where they were proposed; not without a new model."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=generations(1), model=model, sampling=sampling, proposals={"name": "model-optimum"}))
    run.until(150)
    injected = sampling.runs[0].injected
    alone = [points[0] for points in run.asked if len(points) == 1]
    assert len(alone) > 3
    np.testing.assert_array_equal(alone, injected)
    trained = run.pattern.count("T") - 1
    assert len(alone) <= trained
    values = {value for points, told in zip(run.asked, run.told, strict=True) if len(points) == 1 for value in told}
    learnt = {value for training in model.built[0].sets for value in training.values.tolist()}
    assert len(values & learnt) >= len(values) - 2
    assert run.generations[-1].true_evaluations <= run.es.true_evaluations == len(run.points)


@pytest.mark.parametrize(
    "control", [generations(1), DOUBLY, {**DOUBLY, "share": {"name": "adaptive"}}, {"name": "approximate-ranking"}]
)
def test_no_proposal_is_evaluated_again(control: dict[str, Any]) -> None:
    """In the next population it has its value: f evaluates, with noise, others."""
    for seed in range(2):
        run = Run(parts(control=control, proposals={"name": "model-optimum"}), 3, seed).until(80, noisy_sphere(seed))
        assert len(np.unique(run.points.round(12), axis=0)) == len(run.points)


class Reluctant(NoControl):
    """Asks for no point before it asks for all."""

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population."""
        yield from population.evaluate(population.unevaluated[:0])
        yield from super().evaluate(population)
        yield from population.evaluate(population.unevaluated)
        return population.values


def test_what_is_asked_is_never_empty() -> None:
    """Where a control asks for no point, as of a population whose points are all known, the strategy goes on."""
    settings = StrategySettings().model_copy(update={"control": Reluctant()})
    run = Run(settings, 2).until(200)
    assert all(len(points) for points in run.asked)
    assert len(run.points) == run.es.true_evaluations


class Unfinished(Part):
    """Evaluates all, and lacks a method that the first restart would call."""

    def evaluate(self, population: Population) -> Evaluation:
        """Evaluate a population."""
        yield from population.evaluate(population.unevaluated)
        return population.values


def test_a_part_without_a_method_is_an_error_at_once() -> None:
    """The part and the method are named, before any evaluation."""
    with pytest.raises(ValueError, match="Unfinished has no method forget_run, which each Control needs"):
        Run(parts().model_copy(update={"control": Unfinished()}), 2)


class Idle(NoControl):
    """Ranks each population by what nobody has evaluated."""

    def evaluate(self, population: Population) -> Evaluation:
        """Return any values."""
        yield from population.evaluate(population.unevaluated[:0])
        return np.arange(float(population.size))


def test_a_control_that_never_asks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many generations in a row without an evaluation of f: else the strategy would never answer."""
    monkeypatch.setattr("sacma.strategy.surrogate_cmaes.MOST_WITHOUT", 30)
    settings = StrategySettings().model_copy(update={"control": Idle()})
    with pytest.raises(ValueError, match="Idle: 30 generations without an evaluation of f"):
        Run(settings, 2)


def test_points_near_the_distribution() -> None:
    """Within twice the longest step, √D + 2D/(D + 2) standard deviations; far away, where squares overflow, too."""
    es = Run(parts(), 3).es
    whitening = es._sampling.whitening()
    longest = math.sqrt(3) + 6 / 5
    for length, near in ((0.0, True), (1.999 * longest, True), (2.001 * longest, False), (1e200, False)):
        assert es.is_near(whitening.inverse(length * np.array([[0.6, 0.0, 0.8]]))[0]) is near


def test_a_further_point_is_the_best_of_many_by_the_model() -> None:
    """Of a hundred of the distribution; without a model it is any, and the strategy stays as it is."""
    run = Run(parts(control=generations(1)))
    plain = run.es.further(np.random.default_rng(3))
    z = np.random.default_rng(3).standard_normal((1, 3))
    np.testing.assert_allclose(plain.learned, run.es._sampling.whitening().inverse(z)[0])
    run.until(40)
    model, asked = run.es.model, np.array(run.es.ask())
    assert model is not None
    drawn = run.es._sampling.whitening().inverse(np.random.default_rng(3).standard_normal((100, 3)))
    further = run.es.further(np.random.default_rng(3))
    np.testing.assert_allclose(further.learned, drawn[np.argmin(model(drawn))])
    np.testing.assert_array_equal(run.es.ask(), asked)


def test_points_beside_the_population() -> None:
    """One takes the place of another, and its value counts; one from afar is learned from only, a failed one not."""
    run = Run(parts(), 2)
    es, size = run.es, len(run.es.ask())
    near, far = es.further(np.random.default_rng(1)), Sample(np.full(2, 99.0), np.full(2, 99.0))
    assert not es.may_miss
    assert es.take(near, 7.0)
    assert es.true_evaluations == 0
    assert es.replace(2, near)
    np.testing.assert_array_equal(es.asked[2].learned, near.learned)
    assert not es.take(far, -5.0)
    es.observe(far, math.inf)
    assert (es.true_evaluations, es.best_value, len(es._archive)) == (2, -5.0, 1)
    es.tell(np.arange(float(size)), known=2)
    assert (es.true_evaluations, es._archive.value_at(near.learned)) == (size, 2.0)
    es.end_run()
    before = run.es.runs
    es.tell(np.arange(float(len(es.ask()))))
    assert es.runs == before + 1


def test_proposals_may_come_late() -> None:
    """NaN is the value of one that another point has been evaluated instead of; it is known as the archive keeps it."""
    bounds = {"name": "cma-es", "bounds": "penalty"}
    run = Run(parts(control=generations(1), proposals={"name": "model-optimum"}, sampling=bounds))
    while len(run.es.ask()) > 1:
        run.step(lambda x: sphere(x - 6.0))
    es, (proposal,) = run.es, run.es.asked
    assert not np.array_equal(proposal.seen, proposal.learned)
    assert es.may_miss
    before, known = es.true_evaluations, len(es._archive)
    es.tell([math.nan])
    assert (es.true_evaluations, len(es._archive)) == (before, known)
    es.take(Sample(proposal.seen, proposal.learned + 1e3), 1.0)
    assert es._late_proposals == {proposal.learned.tobytes()}
    es.take(proposal, 0.5)
    assert es._late_proposals == set()


def test_a_point_moved_is_learned_where_it_was_evaluated() -> None:
    """A proposal as one of a population."""
    run = Run(parts(control=generations(1), proposals={"name": "model-optimum"}))
    while len(run.es.ask()) > 1:
        moved = run.es.asked[1]
        run.es.move(1, Sample(moved.seen + 0.25, moved.learned + 0.25))
        run.step(sphere)
        assert moved.learned + 0.25 in run.es._archive
        assert moved.learned not in run.es._archive
    (proposal,) = run.es.asked
    run.es.move(0, Sample(proposal.seen - 0.5, proposal.learned - 0.5))
    run.step(sphere)
    assert proposal.learned - 0.5 in run.es._archive
    assert proposal.learned not in run.es._archive


def test_the_merit_learns_where_the_distribution_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model by its predictions at m, else by the best of the last λ outcomes."""
    seen: list[tuple[np.ndarray, ...]] = []
    update = Lagrangian.update

    def watched(merit: Lagrangian, population: np.ndarray, centre: np.ndarray) -> bool:
        seen.append((population.copy(), np.array(centre), population[np.argmin(merit(population))]))
        return update(merit, population, centre)

    monkeypatch.setattr(Lagrangian, "update", watched)
    for settings, modelled in ((parts(), False), (parts(control=DOUBLY), True)):
        seen.clear()
        run = Run(settings, 2, equalities=[False])
        while len(seen) < 8:
            run.es.tell(np.array([[sphere(x), 1.0 - x[0] - x[1]] for x in run.es.ask()]))
        for population, centre, best in seen[-3:]:
            assert np.array_equal(centre, best) is not modelled
            assert population.shape == (6, 2)
            assert centre.shape == (2,)
        np.testing.assert_array_equal(seen[-1][0], run.es._archive.outcomes[-6:])
