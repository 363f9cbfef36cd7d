"""Transfer functions."""

import numpy as np
import pytest

from sacma.strategy.transfer import T1, T2, TRANSFERS


@pytest.mark.parametrize("k", [0.1, 1.0, 2.0, 50.0])
@pytest.mark.parametrize("name", TRANSFERS)
def test_fixed_points(name: str, k: float) -> None:
    """Both map 0, ½ and 1 to themselves, as the paper states."""
    for x in (0.0, 0.5, 1.0):
        assert TRANSFERS[name](x, k) == pytest.approx(x, abs=1e-15)


@pytest.mark.parametrize("name", TRANSFERS)
def test_increasing_and_symmetric(name: str) -> None:
    """Both increase, and γ(1 − x) = 1 − γ(x)."""
    x = np.linspace(0, 1, 101)
    y = np.array([TRANSFERS[name](v, 2.0) for v in x])
    assert np.all(np.diff(y) > 0)
    np.testing.assert_allclose(y[::-1], 1 - y, atol=1e-14)


def test_known_values() -> None:
    """T₁ is the identity; T₂(¾; 2) = ¼ · 3/2 / (½ + ½) + ½ by hand."""
    assert T1(0.3) == 0.3
    assert T2(0.75, 2.0) == pytest.approx(0.875)
