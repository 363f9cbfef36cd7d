"""A population on its way through f: what is archived, what becomes of infinity, what is judged."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.generation import Generation, Observer
from sacma.strategy.population import Population
from sacma.surrogate.archive import Archive
from tests.strategy.judged import box

INF = np.inf


def population(bounds: Literal["none", "penalty", "transform"] = "none") -> tuple[Population, Archive, CMAES]:
    run = CMAES(np.full(2, 4.0), 6, CMAESSampling(bounds=bounds), box(2))
    run.ask()
    archive = Archive(2)
    return Population(run, archive, None, Observer(lambda _: None)), archive, run


def tell(of: Population, indices: Sequence[int], values: Sequence[float]) -> list[np.ndarray]:
    """Let f evaluate points, and return them."""
    requests = of.evaluate(np.array(indices))
    asked = list(next(requests))
    with pytest.raises(StopIteration):
        requests.send(np.array(values, dtype=float))
    return asked


def test_values_come_to_their_points() -> None:
    """In two batches, each asked for by index."""
    of, archive, run = population()
    assert not of.begun
    np.testing.assert_array_equal(tell(of, [1, 4], [1.0, 4.0]), [run.proposed[1], run.proposed[4]])
    assert of.begun
    np.testing.assert_array_equal(of.unevaluated, [0, 2, 3, 5])
    tell(of, of.unevaluated.tolist(), [0.0, 2.0, 3.0, 5.0])
    np.testing.assert_array_equal(of.values, np.arange(6.0))
    np.testing.assert_array_equal(archive.points, run.sampled[[1, 4, 0, 2, 3, 5]])
    assert (of.size, of.parents, of.best_value) == (6, 3, 0.0)
    assert len(of.unevaluated) == 0


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
def test_known_points_are_recalled(bounds: Literal["none", "penalty", "transform"]) -> None:
    """Those of the population, but for rounding: they have values before f has evaluated any."""
    of, archive, run = population(bounds)
    known = run.learned[[2, 5]] * (1.0 + 1e-14)
    whitening = run.whitening()
    beside = whitening.inverse(whitening(run.learned[[0, 3]]) + np.array([[0.6e-6, 0.7e-6], [0.8e-6, 0.7e-6]]))
    archive.add(np.vstack([known, beside]), np.array([7.0, 8.0, 9.0, 10.0]))
    of.recall(np.empty((0, 2)))
    assert np.isnan(of.values).all()
    of.recall(np.vstack([beside, known]))  # within a millionth of a standard deviation, and beyond
    np.testing.assert_array_equal(of.values, [9.0, np.nan, 7.0, np.nan, np.nan, 8.0])
    assert not of.begun
    np.testing.assert_array_equal(of.unevaluated, [1, 3, 4])


def test_a_part_of_what_was_asked_is_taken() -> None:
    """The first points, where the search ends before the others."""
    of, archive, run = population()
    next(of.evaluate(np.array([2, 3, 4])))
    of.take(np.array([7.0]))
    np.testing.assert_array_equal(archive.points, run.sampled[[2]])
    np.testing.assert_array_equal(of.unevaluated, [0, 1, 3, 4, 5])


@pytest.mark.parametrize("finite", [3.0, -1e300, 1.7976931348623157e308])
def test_infinity_ranks_behind_the_only_finite_value(finite: float) -> None:
    """It is not archived, and stays finite for the update."""
    of, archive, run = population()
    tell(of, range(6), [INF, INF, finite, INF, INF, INF])
    np.testing.assert_array_equal(archive.points, run.sampled[[2]])
    assert np.all(np.isfinite(of.values))
    assert np.argmin(of.values) == 2 or finite == of.values.max()


@pytest.mark.parametrize("bounds", ["penalty", "transform"])
def test_models_learn_and_predict_points_as_sampled(bounds: Literal["penalty", "transform"]) -> None:
    """With bounds f sees repaired points, models and what judges them those of the distribution."""
    of, archive, run = population(bounds)
    asked = tell(of, range(6), range(6))
    assert np.max(np.abs(asked)) <= 5.0 < np.max(np.abs(run.sampled))
    np.testing.assert_array_equal(archive.points, run.sampled)
    judged = of.judged(lambda x: x[:, 0])  # type: ignore[arg-type]
    np.testing.assert_array_equal(judged.points, run.sampled)
    np.testing.assert_array_equal(judged.predicted, run.sampled[:, 0])
    np.testing.assert_array_equal(of.predict(lambda x: x[:, 1], np.array([2])), run.sampled[[2], 1])  # type: ignore[arg-type]
    assert judged.parents == 3
    np.testing.assert_array_equal(judged.state().mean, run.whitening().mean)


def test_a_generation_is_reported() -> None:
    """With the cost of all its trainings, the rest of the last one, what was noted, and CPU seconds by activity."""
    reported: list[Generation] = []
    observer = Observer(reported.append)
    observer.spent("strategy_seconds")
    observer.training({"training_set_size": 7, "likelihood_evaluations": 3, "jitters": 1, "searched_from": "start"})
    sum(range(300_000))
    observer.spent("fit_seconds")
    observer.training({"training_set_size": 8, "likelihood_evaluations": 4, "half_evaluations": 9})
    observer.note(error=0.25)
    with pytest.raises(TypeError, match="gain cannot be noted; allowed: model_generations, error, smoothed_error"):
        observer.note(gain=1.0)
    observer.note(smoothed_error=0.5)
    facts = {"restart": 2, "population_size": 6, "true_evaluations": 5, "sigma": 1.5, "best_value": 3.0}
    observer.finish(**facts)
    observer.truth()
    observer.finish(**facts)
    first, second = reported
    expected = {"evaluated_by": "model", "training_set_size": 8, "likelihood_evaluations": 7, "half_evaluations": 9}
    expected |= {"jitters": 1, "searched_from": "start", "error": 0.25, "smoothed_error": 0.5, "generation": 1, **facts}
    assert vars(first) == {**vars(first), **expected}
    assert first.fit_seconds > 0.0
    assert (first.predict_seconds, second.fit_seconds, second.training_set_size) == (0.0, 0.0, 0)
    assert (second.generation, second.evaluated_by) == (2, "true")
    assert np.isnan(second.error)
