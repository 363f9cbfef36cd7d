"""Comparisons of studies that differ."""

import pytest

from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets
from tests.analysis.made import compared, made

PROTOCOL: dict[str, object] = {"functions": "1", "dimensions": "2", "instances": "1-3", "budget": 50}


def test_targets_are_the_largest_that_some_study_stops_at() -> None:
    """Who stops at 1e-2 cannot be held against who goes on to 1e-8: both count as 1e-2, and set #FE_t there."""
    loose = made("gp5", lambda _: [(1, 1.0), (40, 1e-2)], PROTOCOL | {"target": 1e-2})
    fine = made("cmaes", lambda _: [(1, 1.0), (30, 1e-2), (90, 1e-9)], PROTOCOL)
    comparison = compared(loose, fine)
    assert comparison.target == 1e-2
    medians = median_delta_f(comparison.trials, fixed_budgets([50.0]))
    assert medians["median_delta_f"].to_list() == pytest.approx([1e-2, 1e-2])
    (row,) = comparison.to_target.to_dict("records")
    assert (row["evaluations"], row["reached"], row["algorithm"]) == (30, True, "CMA-ES")
