"""Calls without x₀ or σ₀: both follow from finite bounds."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds

import sacma

BOUNDS = [(-1, 3), (10, 1010), (0, 1e-3)]


def shifted(x: np.ndarray) -> float:
    return float(np.sum(((x - [0.5, 300, 2e-4]) / [4, 1000, 1e-3]) ** 2))


@pytest.mark.parametrize("bounds", [BOUNDS, np.array(BOUNDS), Bounds([-1, 10, 0], [3, 1010, 1e-3])], ids=repr)
def test_centre_and_widths(bounds: Any) -> None:
    """The search begins at the centre with a sixth of each width: as with these arguments."""
    found = sacma.minimize(shifted, bounds=bounds, budget=60, seed=1)
    given = sacma.minimize(shifted, [1, 510, 5e-4], 1 / 6, scale=[4, 1000, 1e-3], bounds=bounds, budget=60, seed=1)
    assert np.array_equal(found.history.points, given.history.points)
    assert found.fun < 1e-3


def test_with_a_scale() -> None:
    """σ₀ is a sixth of the least width in units of the scale."""
    es = sacma.Optimizer([0.0, 0.0], bounds=[(-3, 3), (-10, 10)], scale=[1, 10], seed=1)
    same = sacma.Optimizer([0.0, 0.0], 2 / 6, bounds=[(-3, 3), (-10, 10)], scale=[1, 10], seed=1)
    assert np.array_equal(es.ask(), same.ask())


@pytest.mark.parametrize("bounds", [None, (0, 1), [(0, 1), (None, 1)], Bounds([0, -np.inf], 1), 3, []], ids=repr)
def test_no_x0_without_finite_bounds(bounds: Any) -> None:
    """One line says what bounds it takes."""
    with pytest.raises((TypeError, ValueError), match=r"^(x0 is None|bounds\b).*; allowed: [^\n]*$"):
        sacma.minimize(shifted, bounds=bounds)


@pytest.mark.parametrize("bounds", [None, (0, None), [(0, 1), (0, 1), (None, 1)]], ids=repr)
def test_no_sigma0_without_finite_bounds(bounds: Any) -> None:
    """As above."""
    allowed = r"^sigma0 is None; allowed: .* None where each coordinate has two bounds, at most 1e\+100 apart$"
    with pytest.raises(ValueError, match=allowed):
        sacma.Optimizer([0.5, 0.5, 0.5], bounds=bounds)


def test_a_journal(tmp_path: Any) -> None:
    """The same call goes on with its journal; so does the one that gives what follows from the bounds."""
    path = tmp_path / "run.jsonl"
    sacma.minimize(shifted, bounds=BOUNDS, budget=20, seed=1, journal=path)
    again = sacma.minimize(shifted, bounds=BOUNDS, budget=30, seed=1, journal=path)
    given: dict[str, Any] = {"x0": [1, 510, 5e-4], "sigma0": 1 / 6, "scale": [4, 1000, 1e-3]}
    assert sacma.minimize(shifted, **given, bounds=BOUNDS, budget=30, seed=1, journal=path).fun == again.fun
