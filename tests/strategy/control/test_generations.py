"""A constant number of model generations."""

import pytest

from sacma.strategy.control.generations import ConstantRule
from sacma.surrogate.base import FitStatus
from tests.strategy.runs import Run, generations, parts


@pytest.mark.parametrize("g_m", [0, 1, 5])
def test_true_and_model_generations_take_turns(g_m: int) -> None:
    """After each trained model come exactly g_m model generations, and then a true one."""
    run = Run(parts(control=generations(g_m))).until(120)
    untrained = sum(g.fit_status == FitStatus.TOO_FEW_POINTS for g in run.generations)
    assert untrained == 1  # 7 points, n_req = 9
    assert run.pattern[untrained:].startswith(("T" + g_m * "m") * 4)


def test_the_rule_does_not_judge() -> None:
    """The same g_m whatever is known."""
    rule = ConstantRule(3)
    assert not rule.judges
    assert rule.decide(None).model_generations == 3


def test_a_radius_too_small_is_plain_cma_es() -> None:
    """Without enough points in reach no model is trained and every generation is true."""
    run = Run(parts(control=generations(1), training_set={"radius": 1e-6})).until(200)
    assert set(run.pattern) == {"T"}
    assert {g.fit_status for g in run.generations} == {FitStatus.TOO_FEW_POINTS}
