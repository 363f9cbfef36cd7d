"""The Kendall error against SciPy, and by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from sacma.strategy.errors.kendall import Kendall, kendall_tau
from tests.strategy.judged import judged


@pytest.mark.parametrize("size", range(2, 30))
def test_tau_is_scipys_without_ties(size: int) -> None:
    """On untied data all definitions of τ agree."""
    a, b = np.random.default_rng(size).standard_normal((2, size))
    assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-14)


def test_tied_pairs_count_in_neither() -> None:
    """By the paper's definition: (n_c − n_d) over all pairs, so ties pull τ to 0."""
    assert kendall_tau(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)


def test_differences_that_overflow_are_compared() -> None:
    """Values may lie more than the largest float apart."""
    assert kendall_tau(np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])) == 1.0


def test_spans_zero_to_one() -> None:
    """0 for the same ranking, 1 for the reverse."""
    y = np.arange(8.0)
    error = Kendall().build()
    assert error(judged(y, y**3)) == 0.0
    assert error(judged(y, -y)) == 1.0
