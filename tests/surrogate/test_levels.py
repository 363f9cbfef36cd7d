"""The search over levels: against trying all of them, and how it moves."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from sacma.surrogate.gaussian_process import Hyperparameters, Search, standardise
from sacma.surrogate.processes import Leveled, LeveledFit, search_levels
from sacma.types import Array

START = Hyperparameters(0.5, 2.5e-5)
LAST = 6


def powers(X: Array, y: Array, called: list[int]) -> Callable[[int], tuple[Search, float]]:
    """At level k the values are y^(3^(k − 3)): a Box-Cox transformation with the log density of the change."""

    def searched(level: int) -> tuple[Search, float]:
        called.append(level)
        power = 3.0 ** (level - 3)
        standardised = standardise(y**power)
        change = np.sum(math.log(power) + (power - 1) * np.log(y)) - len(y) * math.log(standardised[2])
        return Search(X, standardised), float(change)

    return searched


def sample(power: float) -> tuple[Array, Array]:
    """Values of which ``power`` is the smoothest power."""
    X = np.random.default_rng(3).standard_normal((40, 2))
    return X, np.asarray((1.0 + np.sum(X**2, axis=1)) ** (1 / power))


def fitted(X: Array, y: Array, warm: Leveled | None, called: list[int] | None = None) -> LeveledFit:
    found = search_levels(
        powers(X, y, called if called is not None else []),
        last=LAST,
        first=(0, 3, 6),
        start=START,
        warm=warm,
        warm_evaluations=40,
    )
    assert isinstance(found, LeveledFit)
    return found


@pytest.mark.parametrize("power", [1 / 9, 1.0, 9.0])
def test_it_arrives_at_the_most_likely_level(power: float) -> None:
    """Training after training, one step at a time, from either side, and stays there or beside."""
    X, y = sample(power)
    likely = []
    for level in range(LAST + 1):
        search, constant = powers(X, y, [])(level)
        search.run_from_several(START)
        likely.append(search.log_likelihood + constant)
    for begin in (0, LAST):
        found: LeveledFit | None = None
        warm = Leveled(START, begin, 1)
        for _ in range(4 * LAST):
            found = fitted(X, y, warm)
            warm = found.hyperparameters
        assert found is not None
        assert abs(found.hyperparameters.level - int(np.argmax(likely))) <= 1


def test_it_tries_one_neighbour_and_turns_round_where_that_is_worse() -> None:
    """With a warm start no level but its own and one beside it; at the ends only its own."""
    X, y = sample(1.0)
    called: list[int] = []
    best = fitted(X, y, None, called).hyperparameters
    assert called == [0, 3, 6]
    assert best.level == 3
    for direction in (1, -1):
        called.clear()
        again = fitted(X, y, Leveled(best.stationary, 3, direction), called)
        assert called == [3, 3 + direction]
        assert again.hyperparameters.direction == -direction
        assert again.hyperparameters.level == 3
    called.clear()
    assert fitted(X, y, Leveled(best.stationary, LAST, 1), called).hyperparameters.direction == -1
    assert called == [LAST]
    called.clear()
    fitted(X, y, Leveled(best.stationary, LAST + 5, -1), called)
    assert called == [LAST, LAST - 1]  # fewer levels than at the last training
