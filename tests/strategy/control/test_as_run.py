"""Adaptive evolution control as in the published code: floor, initial error, and a model that outlives failures."""

import math

import pytest
from pydantic import ValidationError

from sacma.strategy.control.adaptive_generations import AdaptiveRule
from sacma.strategy.control.as_run import AdaptiveGenerationsAsRun
from sacma.surrogate.base import FitStatus
from tests.strategy.control.test_adaptive_generations import inverted
from tests.strategy.runs import Run, Scripted, Watched, parts

AS_RUN = {"name": "adaptive-generations-as-run", "error": {"name": "kendall"}}


def rule(**settings: object) -> AdaptiveRule:
    of = AdaptiveGenerationsAsRun.model_validate(
        {"error": {"name": "kendall"}, "transfer": "T1", "max_model_generations": 10, **settings}
    )
    return AdaptiveRule(of, of.initial_error)


def test_initial_error_and_floor_by_hand() -> None:
    """T₁, ε_T = ½, floor 0.1, ε_s from 0.2, r_u = ½, g_m^max = 10, errors 0, 0, 1.

    ε_s = 0.1, 0.05, 0.525 → (clipped − 0.1)/0.4 = 0, 0, 1 → g_m = 10, 10, 0; and 1 for the first model.
    """
    of = rule(update_rate=0.5)
    assert of.decide(None).model_generations == 1
    decisions = [of.decide(inverted(pairs)) for pairs in (0, 0, 6)]
    assert [d.smoothed_error for d in decisions] == pytest.approx([0.1, 0.05, 0.525])
    assert [d.model_generations for d in decisions] == [10, 10, 0]


@pytest.mark.parametrize(("floor", "expected"), [(0.1, 4), (0.0, 3)])
def test_the_floor_is_subtracted(floor: float, expected: int) -> None:
    """ε_s = ⅓, ε_T = ½ → (⅓ − 0.1)/0.4 = 0.583 → T₁: 10 · 0.417 = 4.17 → 4; without a floor 3.33 → 3."""
    assert rule(error_floor=floor, update_rate=1.0).decide(inverted(2)).model_generations == expected


def test_a_failed_training_keeps_the_last_model() -> None:
    """The failure has no error and no g_m; the next success judges the old model."""
    model = Scripted(script=(FitStatus.TRAINED, FitStatus.NO_FACTOR))
    run = Run(parts(control=AS_RUN, model=model)).until(60)
    assert [g.fit_status for g in run.true[:4]] == ["too few points", "trained", "no factor", "trained"]
    assert run.pattern.startswith("TTmTT")
    assert math.isnan(run.true[2].error)
    assert not math.isnan(run.true[3].error)


def test_there_must_be_room_between_floor_and_threshold() -> None:
    """The floor is below."""
    with pytest.raises(ValidationError, match="error_floor < error_threshold"):
        rule(error_floor=0.5)


@pytest.mark.parametrize("control", [{"name": "generations-as-run"}, AS_RUN])
def test_predictions_are_raised_by_a_little_more_than_to_the_best(control: dict[str, object]) -> None:
    """To the best true value, and a millionth of the amount above it; the paper's controls leave them as they are."""
    plain = {"name": str(control["name"]).removesuffix("-as-run"), **{k: v for k, v in control.items() if k != "name"}}
    lowest = {}
    for of in (control, plain):
        sampling = Watched()
        model = Scripted(changed=lambda predicted, _: predicted - 1e6)
        run = Run(parts(control=of, model=model, sampling=sampling)).until(40)
        told = sampling.told[run.pattern.index("m")]
        lowest[str(of["name"])] = told.min() - min(values.min() for values in sampling.told[: run.pattern.index("m")])
    assert 0.5 < lowest[str(control["name"])] < 2.0
    assert lowest[str(plain["name"])] < -9e5
