"""The composed strategy as an ask/tell object: what f evaluates, what is counted, what restarts keep."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sacma.strategy.control import Evaluation, NoControl
from sacma.strategy.generation import EvaluatedBy
from sacma.strategy.population import Population
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.model import FitStatus
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


def test_a_restart_ends_the_generations_of_the_model() -> None:
    """A run that stops after two of five: the next, with twice the population, begins with f."""
    run = Run(parts(control=generations(5), training_set=WIDE, sampling=Watched(stop_at=4))).until(80)
    before, after = run.pattern[:4], run.pattern[4:]
    assert before == "TTmm"
    assert after.startswith("TmmmmmT")
    assert [g.restart for g in run.generations[:6]] == [0, 0, 0, 0, 1, 1]
    assert run.generations[4].population_size == 2 * run.generations[3].population_size


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
    for seed in range(5):
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
