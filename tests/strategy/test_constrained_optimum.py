"""The optimum of models under the models of constraints."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sacma.strategy.constrained_optimum import constrained_optimum
from sacma.strategy.lagrangian import Lagrangian
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.model import Posterior
from sacma.surrogate.part import Grid
from sacma.surrogate.training_set import Whitening
from sacma.types import Array

WHITENING = Whitening(np.array([2.0, -1.0]), np.array([[2.0, 0.0], [0.5, 1.0]]))
OPEN = np.full(2, -np.inf), np.full(2, np.inf)


class Steps:
    """Cells of 0.7 in the second coordinate."""

    def centred(self, points: Array) -> Array:
        """Move points to multiples of 0.7."""
        return np.asarray(np.column_stack([points[:, 0], 0.7 * np.round(points[:, 1] / 0.7)]))

    def widths(self, point: Array) -> Array:
        """Return the widths, everywhere the same."""
        return np.array([0.0, 0.7])


class Known:
    """A model that knows a function of x, but for a standard deviation."""

    def __init__(self, of: Callable[[Array], Array], deviation: float = 0.0) -> None:
        self._of, self._deviation = of, deviation

    def predict(self, inputs: Array) -> Array:
        """Return the function at whitened ``inputs``."""
        return self._of(WHITENING.inverse(inputs))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return it with the deviation."""
        n = len(inputs)
        return Posterior(self.predict(inputs), np.full(n, self._deviation**2), noise=0.0)

    def search(self) -> dict[str, int | str]:
        """Return nothing."""
        return {}


def bowl(x: Array) -> Array:
    return np.asarray(np.sum((x - [2.0, -1.0]) ** 2, axis=1))


def beyond(x: Array) -> Array:
    return np.asarray(3.0 - x[:, 0])


def proposed(
    constraint: Callable[[Array], Array] = beyond,
    *,
    deviation: float = 0.0,
    radius: float = 3.0,
    box: tuple[Array, Array] = OPEN,
    equal: bool = False,
    known: tuple[float, float] = (2.5, -1.2),
    beside: Callable[[Array], Array] | None = None,
    grid: Grid | None = None,
) -> tuple[Array, Lagrangian]:
    merit = Lagrangian(2, [equal, True] if beside else [equal])
    parts = [Known(bowl), Known(constraint, deviation)]
    if beside is not None:
        parts.append(Known(beside, deviation))
    archive = Archive(2, merit)
    points = np.array([[2.0, -1.0], known])
    archive.add(points, np.column_stack([part.predict(WHITENING(points)) for part in parts]))
    fit = CombinedFit(parts, merit)
    model = TrainedModel(fit, replace(WHITENING, grid=grid))
    found = constrained_optimum(fit, model, archive, radius, box)
    merit.update(np.random.default_rng(1).normal(size=(20, len(parts))), np.zeros(len(parts)))
    return found, merit


@pytest.mark.parametrize("equal", [False, True])
def test_the_optimum_and_its_multiplier(equal: bool) -> None:  # noqa: FBT001 a parameter
    """Where f is lowest among what is feasible; λ is the slope of f over that of the constraint there."""
    found, merit = proposed(equal=equal)
    np.testing.assert_allclose(found, [[3.0, -1.0]], atol=1e-5)
    np.testing.assert_allclose(merit.multipliers, [2.0], rtol=1e-4)


def test_a_constraint_that_is_not_active() -> None:
    """The optimum of f, with a multiplier of 0; nothing where that is known already."""
    found, merit = proposed(lambda x: -beyond(x), known=(2.6, -1.1))
    assert found.shape == (0, 2)
    assert merit.multipliers == 0.0


@pytest.mark.parametrize("equal", [False, True])
def test_a_margin_of_a_standard_deviation(equal: bool) -> None:  # noqa: FBT001 a parameter
    """Inequalities are to be kept, although their models are not exact; equalities have no inner side."""
    found, _ = proposed(deviation=0.25, equal=equal)
    np.testing.assert_allclose(found, [[3.0 if equal else 3.25, -1.0]], atol=1e-5)


def test_a_margin_beside_an_equality() -> None:
    """Of the inequality alone; multipliers of both."""
    found, merit = proposed(deviation=0.25, beside=lambda x: x[:, 1])
    np.testing.assert_allclose(found, [[3.25, 0.0]], atol=1e-5)
    np.testing.assert_allclose(merit.multipliers, [2.5, -2.0], rtol=1e-4)


@pytest.mark.parametrize(("half", "inner"), [(0.2, True), (0.06, True), (0.04, False), (0.01, False)])
def test_a_margin_that_no_point_keeps(half: float, *, inner: bool) -> None:
    """Where the feasible points are fewer than that, the constraint is kept without."""

    def within(x: Array) -> Array:
        return np.asarray((x[:, 0] - 3.0) * (x[:, 0] - 3.0 - 2.0 * half) / half)

    found, merit = proposed(within, deviation=0.05)
    edge = 3.0 + half - np.sqrt(half**2 - 0.05 * half) if inner else 3.0
    np.testing.assert_allclose(found, [[edge, -1.0]], atol=1e-5)
    slope = (2.0 * edge - 6.0 - 2.0 * half) / half
    np.testing.assert_allclose(merit.multipliers, [-2.0 * (edge - 2.0) / slope], rtol=1e-3)


def test_without_a_feasible_point() -> None:
    """That of the least violation, and the multipliers stay as they are."""
    found, merit = proposed(lambda x: 1.0 + (x[:, 0] - 2.5) ** 2 + (x[:, 1] + 0.5) ** 2)
    np.testing.assert_allclose(found, [[2.5, -0.5]], atol=1e-3)
    assert merit._foreseen is None


def test_within_the_box_and_the_radius() -> None:
    """Bounds of the problem where they are nearer, else the distance from m."""
    corner = np.array([2.2, -3.0]), np.array([2.75, 3.0])
    found, _ = proposed(box=corner)
    assert found[0, 0] == pytest.approx(2.75, abs=1e-6)
    found, _ = proposed(radius=0.5)
    assert np.max(np.abs(WHITENING(found))) <= 0.5 + 1e-9
    assert 2.2 < found[0, 0] < 2.3


@pytest.mark.parametrize(("least", "optimum"), [(0.6, None), (0.8, [0.5, 0.3]), (1.0, [0.5, 0.5])])
def test_multipliers_where_the_radius_limits_coordinates(least: float, optimum: list[float] | None) -> None:
    """Of z₁ + z₂ ≥ 0.8 by the slope along z₂ alone, where z₁ is at the radius; where both are, none is known."""
    found, merit = proposed(lambda x: least - WHITENING(x).sum(axis=1), radius=0.5)
    root = np.linalg.inv(WHITENING.to_white)
    at = WHITENING(found)[0]
    slopes = 2.0 * root.T @ root @ at
    if optimum is None:
        np.testing.assert_allclose(slopes, merit.multipliers[0], rtol=1e-3)
        return
    np.testing.assert_allclose(at, optimum, atol=1e-5)
    assert merit._foreseen is None if least == 1.0 else merit.multipliers == pytest.approx(slopes[1], rel=1e-3)


def test_within_a_cell() -> None:
    """The better optimum: in the cell of the best known point, x₂ = −1.4, or in that of the optimum over all, −0.7."""
    found, _ = proposed(grid=Steps())
    np.testing.assert_allclose(found, [[3.0, -0.7]], atol=1e-5)
