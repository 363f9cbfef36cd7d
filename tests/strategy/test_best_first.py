"""The approximate ranking of lmm-CMA-ES: what f evaluates, and when it stops."""

from typing import Any

import numpy as np
import pytest

from sacma.strategy.best_first import BestFirst, BestFirstControl, Stays
from sacma.surrogate.models import LocalQuadraticModel
from sacma.types import Array
from tests.strategy.judged import Foreseen
from tests.strategy.runs import Run, parts

SIZE = 20
TRUE: Array = np.random.default_rng(5).permutation(np.arange(0.5, SIZE))


def evaluated(control: BestFirstControl, *predictions: Array) -> Foreseen:
    population: Any = Foreseen(TRUE, *map(np.array, predictions))
    for _ in control.evaluate(population):
        pass
    return population  # type: ignore[no-any-return]


def control_that(stays: Stays) -> BestFirstControl:
    return BestFirstControl(BestFirst(stays=stays))


@pytest.mark.parametrize("stays", ["ranking", "set"])
def test_a_right_model_needs_a_tenth_of_the_population(stays: Stays) -> None:
    """Its best points are evaluated, and the next model ranks the parents as the first."""
    population = evaluated(control_that(stays), TRUE, TRUE)
    assert population.batches == [np.argsort(TRUE)[:2].tolist()]


def test_without_a_model_all_are_evaluated() -> None:
    """At once; or all that are left, where a later training fails."""
    assert evaluated(control_that("set")).batches == [list(range(SIZE))]
    first, second = evaluated(control_that("set"), TRUE).batches
    assert first == np.argsort(TRUE)[:2].tolist()
    assert sorted([*first, *second]) == list(range(SIZE))


def test_the_ranking_or_the_set_of_the_parents_stays() -> None:
    """Parents in another order settle by the set; other parents do from a quarter on, with the same best point."""
    best, shuffled, others = TRUE.copy(), TRUE.copy(), TRUE.copy()
    inner = np.argsort(TRUE)[4:10]
    shuffled[inner] = TRUE[inner[::-1]]
    outer = np.argsort(TRUE)[[8, 12]]
    others[outer] = TRUE[outer[::-1]]
    assert [len(evaluated(control_that(s), best, shuffled, shuffled).batches) for s in ("ranking", "set")] == [2, 1]
    alternating = [best, others, best, others, best]
    assert len(evaluated(control_that("set"), *alternating).batches) == 3  # six of twenty points
    assert len(evaluated(control_that("ranking"), *alternating, TRUE).batches) > 3


def test_the_first_number_follows_the_rounds() -> None:
    """It grows by a tenth of λ after more than two rounds, and shrinks after one. A run begins anew."""
    control = control_that("ranking")
    rng = np.random.default_rng(2)
    random: list[Array] = [rng.permutation(np.arange(100.5, 120)) for _ in range(11)]
    expected = [2, 4, 6]
    for number in expected:
        assert len(evaluated(control, *random).batches[0]) == number
    assert [len(evaluated(control, TRUE, TRUE).batches[0]) for _ in range(5)] == [8, 6, 4, 2, 2]
    evaluated(control, *random)
    control.forget_run()
    assert len(evaluated(control, TRUE, TRUE).batches[0]) == 2


def test_lmm_solves_a_quadratic_function_with_few_evaluations() -> None:
    """Once there is a model, one point suffices for most populations."""
    run = Run(parts(control={"name": "best-first", "stays": "set"}, model=LocalQuadraticModel()), 4).until(120)
    assert run.es.best_value < 1e-6
    assert np.median(run.steps[8:]) == 1
    assert len(np.unique(run.points, axis=0)) == len(run.points)


@pytest.mark.parametrize("control", ["doubly-trained", "generations", "approximate-ranking"])
def test_local_quadratic_goes_with_other_controls(control: str) -> None:
    """It predicts, and says how sure it is."""
    run = Run(parts(control={"name": control}, model=LocalQuadraticModel()), 3).until(150)
    assert run.es.best_value < 1e-4
