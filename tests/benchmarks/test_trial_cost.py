"""Evaluations beside published ones."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.trial_cost import FUNCTIONS, PUBLISHED, running_time


def ended(evaluations: int, *improvements: tuple[int, float]) -> Any:
    """Return an outcome with these improvements, evaluation and Δf."""
    at, to = ([pair[i] for pair in improvements] for i in (0, 1))
    return SimpleNamespace(evaluations=evaluations, improved_at=at, improved_to=to)


def test_running_times_count_what_fails() -> None:
    """All evaluations until the level is reached, or to the end, for each success."""
    reached, later, missed = ended(90, (10, 1.0), (40, 1e-7), (80, 1e-8)), ended(50, (50, 0.0)), ended(200, (3, 1.0))
    assert running_time([reached]) == 40
    assert running_time([reached, later, missed]) == pytest.approx((40 + 50 + 200) / 2)
    assert running_time([missed]) == math.inf


def test_published_ones_are_of_all_functions() -> None:
    """In both dimensions."""
    assert all(len(row) == len(FUNCTIONS) for table in PUBLISHED.values() for row in table.values())
    assert all(set(table) == {5, 10} for table in PUBLISHED.values())
