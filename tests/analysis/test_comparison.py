"""Comparisons of studies that differ."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sacma.analysis.comparison import ExternalData, compare
from sacma.analysis.section import Report
from sacma.analysis.sections import find
from sacma.analysis.sections.ranks import SECTION
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets
from sacma.coco.reader import CocoData, Curve
from sacma.errors import SacmaError
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


def test_a_trial_at_the_common_target_is_known_beyond_its_end() -> None:
    """Who reached 1 within 30·D, and goes on to 1e-8, is known at 60·D where 1 is the target of all."""
    short = made("gp5", lambda _: [(1, 5.0), (40, 0.5)], PROTOCOL | {"budget": 30})
    long = made("cmaes", lambda _: [(1, 5.0), (80, 0.9)], PROTOCOL | {"budget": 60, "target": 1.0})
    comparison = compare([short, long], budget=60.0)
    medians = median_delta_f(comparison.trials, fixed_budgets([60.0]))
    assert medians["median_delta_f"].to_list() == pytest.approx([1.0, 1.0])


def test_the_budget_of_a_study_that_solved_all_is_no_error() -> None:
    solved = made("gp5", lambda _: [(1, 5.0), (40, 1e-9)], PROTOCOL)
    assert compare([solved], budget=50.0).budget == 50.0
    with pytest.raises(SacmaError, match="no trial has more than 50·D evaluations; give at most that"):
        compare([solved], budget=51.0)


def others(**lengths: Sequence[int]) -> tuple[ExternalData, ...]:
    """Make up data of others in 2-D that are never at the target: by algorithm the evaluations on f1, f2, ..."""

    def of(name: str, evaluations: Sequence[int]) -> ExternalData:
        at, to = np.array([1.0]), np.array([9.0])
        curves = tuple(Curve(f, 2, 1, length, at, to) for f, length in enumerate(evaluations, 1))
        return ExternalData(name, Path(name), CocoData(curves, name, (), {}))

    return tuple(of(name, evaluations) for name, evaluations in lengths.items())


def test_data_of_others_are_compared_as_far_as_all_go() -> None:
    """One to 100·D beside one to 250·D: a trial that is a little longer, or one that broke off, changes nothing."""
    assert compare([], others(A=[200] * 24, B=[500] * 24)).budget == 100
    assert compare([], others(A=[206, *[201] * 22, 30], B=[500] * 24)).budget == 100
    comparison = compare([], others(A=[206, 205, *[201] * 22], B=[507, *[500] * 23]))
    assert comparison.budget == 100
    assert not find(comparison)["overall_ranks"].empty


@settings(max_examples=12)
@given(
    ends=st.lists(st.integers(1, 40), min_size=12, max_size=12),
    solved=st.lists(st.integers(1, 40), min_size=12, max_size=12),
)
def test_data_that_end_early_take_nothing_from_others(ends: list[int], solved: list[int]) -> None:
    """Whatever they are: they have no rank where few functions go that far, and others are as without them."""
    protocol = {"functions": "1-12", "dimensions": "2", "instances": "1", "budget": 40}
    first = made("cmaes", lambda spec: [(1, 100.0), (2 * solved[spec.function - 1], 1e-9)], protocol)
    ours = [first, made("gp5", lambda spec: [(1, 100.0 + spec.function % 3), (2, 50.0)], protocol)]
    found = find(compare(ours, others(Short=[2 * end for end in ends])))["mean_ranks"]
    alone = find(compare(ours))["mean_ranks"].set_index(["scenario", "algorithm"])["mean_rank"]
    for scenario, ranks in found.groupby("scenario"):
        if set(ranks["algorithm"]) == {"CMA-ES", "GP-5"}:
            assert ranks["functions"].eq(12).all()
            assert ranks.set_index("algorithm")["mean_rank"].to_dict() == alone[scenario].to_dict()
        else:
            assert ranks["functions"].ge(0.9 * 12).all()


def test_functions_that_ranks_lack_are_counted_beside_them() -> None:
    """One of twelve on which some data end early is missing from the ranks there, and a row of the table says so."""
    protocol = {"functions": "1-12", "dimensions": "2", "instances": "1", "budget": 40}
    found = {"cmaes": [(1, 99.0), (2, 5.0)], "gp5": [(1, 99.0), (2, 3.0)]}
    ours = [made(name, lambda _, of=of: of, protocol) for name, of in found.items()]  # type: ignore[misc]
    findings = find(compare(ours, others(Theirs=[60, *[80] * 11])))
    table = next(iter(SECTION.tables(Report(findings))))
    rows = {row[0].text: [cell.text for cell in row[1:]] for block in table.blocks for row in block.rows}
    assert rows["functions"] == ["12", "11"]
