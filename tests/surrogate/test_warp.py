"""Warps of values, from strong expansion over none to strong compression."""

import numpy as np
import pytest

from sacma.surrogate.warp import EXPANSIONS, QUANTILES, Warp, warps

VALUES = np.array([3.0, 3.5, 5.0, 10.0, 1e4])


@pytest.mark.parametrize("warp", warps(VALUES), ids=lambda warp: f"c={warp.c:.3g}")
def test_a_warp_has_its_inverse_and_its_slope(warp: Warp) -> None:
    """Below the least value, too; the slope by central differences."""
    at = np.array([-50.0, 2.9, 3.1, 4.0, 12.0, 2e4])
    np.testing.assert_allclose(warp.inverse(warp(at)), at, rtol=1e-12)
    step = 1e-6 * np.abs(at)
    slopes = (warp(at + step) - warp(at - step)) / (2.0 * step)
    np.testing.assert_allclose(np.exp(warp.log_slopes(at)), slopes, rtol=1e-5)
    np.testing.assert_allclose([warp.stretch(value) for value in at], 1.0 / np.exp(warp.log_slopes(at)), rtol=1e-12)
    assert warp(np.array([3.0]))[0] == 0.0
    assert np.all(np.diff(warp(np.sort(at))) > 0.0)


def test_warps_go_from_expansion_over_none_to_compression() -> None:
    """Shares of the range, none, and then quantiles, falling; duplicates of the least value make no warp of c = 0."""
    found = warps(VALUES)
    scales = [warp.c for warp in found]
    none = len(EXPANSIONS)
    assert [warp.expands for warp in found] == [True] * none + [False] * (1 + len(QUANTILES))
    np.testing.assert_allclose(scales[:none], np.ptp(VALUES) / EXPANSIONS)
    assert scales[none] == np.inf
    np.testing.assert_allclose(scales[none + 1 :], np.quantile(VALUES - 3.0, QUANTILES))
    assert len(warps(np.array([1.0, 1.0, 1.0, 1.0, 2.0]))) == none + 2


def test_an_expansion_undoes_a_logarithm() -> None:
    """Differences of the values of f are found again from those of ln f."""
    f = np.geomspace(0.5, 0.5 * np.exp(4.0), 9)
    (warp,) = (warp for warp in warps(np.log(f)) if warp.expands and warp.c == pytest.approx(1.0))
    np.testing.assert_allclose(warp(np.log(f)), f / f[0] - 1.0, rtol=1e-12)
