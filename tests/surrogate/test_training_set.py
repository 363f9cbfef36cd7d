"""Selection of the archive points that a model is trained on."""

from typing import cast

import numpy as np
import pytest

from sacma.surrogate.archive import Archive
from sacma.surrogate.training_set import (
    SELECTIONS,
    Selection,
    TrainingSet,
    Whitening,
    implausible,
    plausible,
    select_training_set,
)
from sacma.types import Array


def select(points: Array, *, radius: float, required: int, largest: int, selection: str) -> TrainingSet | None:
    archive = Archive(points.shape[1])
    archive.add(points, np.arange(len(points), dtype=float))
    return select_training_set(
        archive,
        Whitening(np.zeros(points.shape[1]), np.eye(points.shape[1])),
        radius=radius,
        required=required,
        largest=largest,
        selection=cast("Selection", SELECTIONS[selection]()),
        rng=np.random.default_rng(0),
    )


@pytest.fixture
def points() -> Array:
    return np.random.default_rng(3).standard_normal((200, 3)) * 3


@pytest.mark.parametrize("selection", SELECTIONS)
def test_stays_within_radius_and_sizes(points: Array, selection: str) -> None:
    """All chosen points are within r of m, no more than n_max, each once, with their own values."""
    chosen = select(points, radius=4.0, required=9, largest=45, selection=selection)
    assert chosen is not None
    assert np.all(np.linalg.norm(chosen.inputs, axis=1) <= 4.0)
    assert 9 <= len(chosen) <= 45
    assert len(np.unique(chosen.inputs, axis=0)) == len(chosen)
    np.testing.assert_array_equal(points[chosen.values.astype(int)], chosen.inputs)


def test_too_few_points_make_no_set(points: Array) -> None:
    """One point less than n_req within r: no training set. As many as n_req: one."""
    within = int(np.sum(np.linalg.norm(points, axis=1) <= 4.0))
    assert select(points, radius=4.0, required=within + 1, largest=999, selection="recent") is None
    chosen = select(points, radius=4.0, required=within, largest=999, selection="recent")
    assert chosen is not None
    assert len(chosen) == within


def test_recent_takes_the_newest(points: Array) -> None:
    """The newest n_max of those in reach."""
    chosen = select(points, radius=1e9, required=1, largest=30, selection="recent")
    assert chosen is not None
    np.testing.assert_array_equal(chosen.values, np.arange(170, 200))


def test_nearest_takes_the_nearest(points: Array) -> None:
    """The n_max with the smallest distances to m."""
    chosen = select(points, radius=1e9, required=1, largest=30, selection="nearest")
    assert chosen is not None
    distances = np.linalg.norm(points, axis=1)
    assert set(chosen.values.astype(int)) == set(np.argsort(distances)[:30])


@pytest.mark.parametrize("selection", SELECTIONS)
def test_no_more_than_n_max_is_no_selection(points: Array, selection: str) -> None:
    """All in reach, oldest first, however far back in the archive."""
    chosen = select(points, radius=2.0, required=1, largest=200, selection=selection)
    assert chosen is not None
    np.testing.assert_array_equal(chosen.values, np.flatnonzero(np.linalg.norm(points, axis=1) <= 2.0))


@pytest.mark.parametrize("radius", [1.5, 3.0, 1e9])
def test_recent_looks_as_far_back_as_it_must(radius: float) -> None:
    """The newest n_max of those within the radius, of an archive of thousands."""
    X = np.random.default_rng(3).standard_normal((3000, 3)) * 3
    chosen = select(X, radius=radius, required=1, largest=45, selection="recent")
    assert chosen is not None
    within = np.flatnonzero(np.linalg.norm(X, axis=1) <= radius)
    np.testing.assert_array_equal(chosen.values, within[-45:])


ORDINARY = np.geomspace(1e-3, 1e5, 17)  # as of a function with a condition of 10⁸


@pytest.mark.parametrize("wrong", [[1e10], [np.finfo(float).max], [1e10, 1e10, 3e11, -0.0]])
def test_values_out_of_all_proportion_are_implausible(wrong: list[float]) -> None:
    """They are where one is a thousand times as far from the least as the next lower one: in any unit, at any level."""
    values = np.array([*wrong, *ORDINARY])
    expected = np.arange(len(values)) < sum(value > 1e9 for value in wrong)
    for unit in (1.0, 2.0**-80, 2.0**-900):
        np.testing.assert_array_equal(implausible(unit * values), expected)
    np.testing.assert_array_equal(implausible(np.minimum(values, 1e300) - 5.0), expected)


@pytest.mark.parametrize(
    ("values", "spread", "wrong"),
    [
        ([0, 1, 1, 1, 1001], 0, 1),
        ([0, 1, 1, 1, 1000], 0, 0),
        ([0, 1, 1001], 0, 1),
        ([0, 1, 1001, 1002], 0, 2),
        ([0, 1, 1, 1001, 1002], 0, 2),
        ([0, 1, 1001, 1001, 1002], 0, 0),
        ([7, 8, 8, 8, 2007], 2, 0),
        ([7, 8, 8, 8, 2008], 2, 1),
        ([1, 1 + 16 * 2.0**-52, 1e6, 1e6], 0, 0),
        ([1, 1 + 18 * 2.0**-52, 1e6, 1e6], 0, 2),
        ([-1 - 18 * 2.0**-52, -1, 1e6, 1e6], 0, 2),
    ],
)
def test_where_values_become_implausible(values: list[float], spread: float, wrong: int) -> None:
    """More than a thousand times the next lower distance and the spread, above the median, and not by rounding."""
    found = implausible(np.array(values, dtype=float), spread=spread)
    assert found.tolist() == [False] * (len(values) - wrong) + [True] * wrong


@pytest.mark.parametrize(
    "values",
    [
        1.0 + 1e-16 * np.arange(9) + (np.arange(9) > 6),
        ORDINARY,
        np.zeros(5),
        np.ones(1),
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 1e10, 1e10],
        np.arange(9.0),
    ],
)
def test_half_of_the_values_are_always_plausible(values: Array) -> None:
    """So are values of a steep function, plateaus, and a few."""
    assert not implausible(np.asarray(values)).any()


def test_implausible_values_are_failures() -> None:
    """Alone they are left out; with all their neighbours they have the worst value of the others."""
    inputs = np.array(
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.6], [0.4, 0.5], [9, 9], [9, 8], [8, 9], [8, 8]]
    )
    values = np.array([0.0, 1.0, 2.0, 3.0, 1e10, 1.5, 1e9, 1e10, 1e10, 1e12])
    kept = plausible(TrainingSet(inputs, values, np.arange(10)), 1.0)
    np.testing.assert_array_equal(kept.indices, [0, 1, 2, 3, 5, 6, 7, 8, 9])
    np.testing.assert_array_equal(kept.values, [0.0, 1.0, 2.0, 3.0, 1.5, 3.0, 3.0, 3.0, 3.0])
    np.testing.assert_array_equal(kept.inputs, inputs[kept.indices])
    same = TrainingSet(inputs[:4], values[:4])
    assert plausible(same, 1.0) is same
    assert len(plausible(TrainingSet(inputs, values), 1e7)) == 10  # these differ as much as others did before
