"""Reports of generations."""

import time

from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.observer import Observer

FACTS = {"restart": 0, "population_size": 7, "true_evaluations": 7, "sigma": 1.0, "best_value": 0.5}


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_costs_of_two_trainings_add_up_and_the_second_ends_it() -> None:
    """And the next generation begins without them."""
    seen: list[Generation] = []
    observer = Observer(seen.append)
    observer.truth()
    observer.training({"training_set_size": 9, "fit_status": "trained", "likelihood_evaluations": 5, "jitters": 1})
    observer.training({"training_set_size": 10, "fit_status": "no factor", "likelihood_evaluations": 7})
    observer.note(error=0.25, smoothed_error=0.5)
    observer.finish(**FACTS)
    observer.finish(**FACTS)
    first, second = seen
    assert (first.generation, first.evaluated_by, first.training_set_size) == (1, EvaluatedBy.TRUTH, 10)
    assert (first.likelihood_evaluations, first.jitters, first.half_evaluations) == (12, 1, 0)
    assert (first.fit_status, first.error, first.smoothed_error) == ("no factor", 0.25, 0.5)
    assert (second.generation, second.evaluated_by, second.fit_status) == (2, EvaluatedBy.MODEL, "")
    assert second.likelihood_evaluations == 0


def test_seconds_go_to_their_activity_and_not_to_f() -> None:
    """What passes before ``resume`` is f's."""
    seen: list[Generation] = []
    observer = Observer(seen.append)
    busy(0.02)
    observer.spent("fit_seconds")
    busy(0.05)
    observer.resume()
    busy(0.01)
    observer.spent("predict_seconds")
    observer.finish(**FACTS)
    assert 0.02 <= seen[0].fit_seconds < 0.045
    assert 0.01 <= seen[0].predict_seconds < 0.035
    assert seen[0].strategy_seconds < 0.02
