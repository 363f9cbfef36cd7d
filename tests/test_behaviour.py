"""Whole trials that show that the surrogate works: one that silently never trains a model fails these."""

from collections.abc import Mapping

import cocoex
import numpy as np
import pytest

from sacma.config.plan import plan
from sacma.config.study import load_studies
from sacma.experiment.seeding import initial_points, sampling
from sacma.experiment.trial import run_trial
from sacma.store.record import TrialRecord
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from tests.conftest import CONFIGS
from tests.strategy.runs import KENDALL, Watched, parts

SURROGATES = ("ADA-Kendall", "GP-1", "GP-5")
Trials = Mapping[tuple[str, int], list[TrialRecord]]
pytestmark = pytest.mark.campaign


@pytest.fixture(scope="module")
def trials() -> Trials:
    """f1, f2, f8 and f10 in 5-D, instance 1, 250·D evaluations, by algorithm and function."""
    configs = [CONFIGS / f"{name}.yaml" for name in ("cmaes", "gp1", "gp5", "ada_kendall")]
    studies = load_studies(configs, {"functions": "1,2,8,10", "dimensions": "5", "instances": "1"})
    records: dict[tuple[str, int], list[TrialRecord]] = {}
    for record in map(run_trial, plan(studies)):
        records.setdefault((record.spec.name, record.spec.function), []).append(record)
    return records


@pytest.mark.parametrize("name", SURROGATES)
def test_sphere_takes_at_most_six_tenths_of_the_evaluations(trials: Trials, name: str) -> None:
    """Each surrogate algorithm reaches Δf = 1e-8 on f1 with at most 0.6 × the true evaluations of CMA-ES."""
    ours, baseline = trials[name, 1], trials["CMA-ES", 1]
    assert all(r.outcome.best_delta_f <= 1e-8 for r in [*ours, *baseline])
    ratio = np.mean([r.outcome.evaluations for r in ours]) / np.mean([r.outcome.evaluations for r in baseline])
    assert ratio <= 0.6


@pytest.mark.parametrize("name", SURROGATES)
def test_three_decades_better_on_two_of_three(trials: Trials, name: str) -> None:
    """At 250·D the median Δf is at least 3 decades below that of CMA-ES on two of f2, f8 and f10."""

    def median_delta_f(name: str, function: int) -> float:
        return float(np.median([max(r.outcome.best_delta_f, 1e-8) for r in trials[name, function]]))

    gains = [np.log10(median_delta_f("CMA-ES", f) / median_delta_f(name, f)) for f in (2, 8, 10)]
    assert np.sum(np.array(gains) >= 3) >= 2


@pytest.mark.parametrize("name", SURROGATES)
def test_models_are_trained(trials: Trials, name: str) -> None:
    """At least nine true generations in ten end with a model, those before there are enough points included."""
    outcomes = [r.outcome for f in (1, 2, 8, 10) for r in trials[name, f]]
    trained = sum(outcome.fits.get("trained", 0) for outcome in outcomes)
    assert trained >= 0.9 * sum(outcome.true_generations for outcome in outcomes)


@pytest.mark.parametrize("bounds", ["none", "transform"])
def test_populations_lie_at_root_D(bounds: str) -> None:
    """At true-evaluated generations the squared Mahalanobis distance averages D within sampling error.

    Averaged over the populations of whole trials on f1, f2, f8 and f10, and never absurd in any single one.
    """
    D = 5
    watched = Watched.model_validate({"bounds": bounds})
    settings = parts(control=KENDALL, sampling=watched)
    (study,) = load_studies(
        [CONFIGS / "ada_kendall.yaml"], {"functions": "1,2,8,10", "dimensions": "5", "instances": "1"}
    )
    for spec in plan([study]):
        problem = cocoex.BareProblem("bbob", *spec.place)
        points = initial_points(spec)
        generations: list[Generation] = []
        es = SurrogateStrategy(
            settings,
            initial_point=lambda points=points: points.uniform(-4, 4, D),  # type: ignore[misc]
            box=(np.full(D, -5.0), np.full(D, 5.0)),
            rng=sampling(spec),
            on_generation=generations.append,
        )
        while es.true_evaluations < 60 * D:
            es.tell([problem(x) for x in es.ask()])
        assert any(g.evaluated_by == EvaluatedBy.MODEL for g in generations)
    by_generation = [
        (w, points) for run in watched.runs for w, points in zip(run.whitenings, run.populations, strict=True)
    ]
    squares = np.concatenate([whitening.distances(points) ** 2 for whitening, points in by_generation])
    assert np.all(np.sqrt(squares) < np.sqrt(D) + 6)
    error = np.sqrt(2 * D / len(squares))
    assert np.mean(squares) == pytest.approx(D, abs=5 * error)
