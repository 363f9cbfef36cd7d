"""g_m for sequences of errors worked out by hand."""

import math

import numpy as np
import pytest
from sacma.strategy.evolution_control import (
    AdaptiveControl,
    ConstantControl,
    evolution_control,
    round_half_up,
)
from sacma.strategy.model_error import JudgedPopulation

from sacma.strategy.cma_es import CMAES
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SCMAESSettings


def population(values: list[float], predicted: list[float]) -> JudgedPopulation:
    rng = np.random.default_rng(0)
    es = CMAES(np.ones(2), len(values), CMAESSettings(), (np.full(2, -5.0), np.full(2, 5.0)), rng)
    es.ask()
    return JudgedPopulation(es.sampled, np.array(values), np.array(predicted), es.state)


def with_kendall_error(error: float) -> JudgedPopulation:
    """Four points, six pairs: ε = number of inverted pairs / 6."""
    orders = {
        0: [1.0, 2.0, 3.0, 4.0],
        1: [2.0, 1.0, 3.0, 4.0],
        2: [2.0, 3.0, 1.0, 4.0],
        3: [2.0, 3.0, 4.0, 1.0],
        4: [3.0, 2.0, 4.0, 1.0],
        6: [4.0, 3.0, 2.0, 1.0],
    }
    return population([1.0, 2.0, 3.0, 4.0], orders[round(error * 6)])


def kendall(**settings: object) -> AdaptiveControl:
    return AdaptiveControl(AdaptiveSCMAESSettings.model_validate({"model_error": "kendall", **settings}))


def test_adaptive_sequence_by_hand() -> None:
    """T₁, ε_T = ½, r_u = ½, g_m^max = 10, errors ⅓, 0, 0, ½, 1.

    ε_s = ⅓, ⅙, 1/12, 7/24, 31/48 → 1 − ε_s/ε_T = ⅓, ⅔, ⅚, 5/12, 0 → g_m = 3, 7, 8, 4, 0.
    """
    control = kendall(transfer="T1", error_threshold=0.5, update_rate=0.5, max_model_generations=10)
    assert control.decide(None).model_generations == 1
    decisions = [control.decide(with_kendall_error(e)) for e in (2 / 6, 0.0, 0.0, 3 / 6, 1.0)]
    assert [d.error for d in decisions] == pytest.approx([2 / 6, 0.0, 0.0, 3 / 6, 1.0])
    assert [d.smoothed_error for d in decisions] == pytest.approx([1 / 3, 1 / 6, 1 / 12, 7 / 24, 31 / 48])
    assert [d.model_generations for d in decisions] == [3, 7, 8, 4, 0]


def test_ada_kendall_sequence_by_hand() -> None:
    """T₂ with k = 2, ε_T = ½, r_u = 0.2, g_m^max = 5, errors 0, ½, ½.

    ε_s = 0, 0.1, 0.18 → x = 1, 0.8, 0.64 → T₂ = 1, 0.45/1.1 + ½ = 0.909, 0.21/0.78 + ½ = 0.769 → 5, 4.55, 3.85.
    """
    control = kendall()
    decisions = [control.decide(with_kendall_error(e)) for e in (0.0, 0.5, 0.5)]
    assert [d.model_generations for d in decisions] == [5, 5, 4]


def test_steepness_is_a_setting() -> None:
    """ε_s = 0.1, ε_T = ½ → x = 0.8: T₂(0.8; 2) · 20 = 18.2 → 18; T₂(0.8; 0.1) = 3.3/10.6 + ½ = 0.811 → 16."""
    errors = (0.0, 0.5)
    for steepness, expected in ((2.0, 18), (0.1, 16)):
        control = kendall(transfer_steepness=steepness, max_model_generations=20)
        assert [control.decide(with_kendall_error(e)).model_generations for e in errors][1] == expected


def test_first_model_is_used_for_one_generation() -> None:
    """As long as no model could be judged, g_m = 1."""
    control = kendall()
    for _ in range(3):
        decision = control.decide(None)
        assert decision.model_generations == 1
        assert math.isnan(decision.error)


@pytest.mark.parametrize(
    ("values", "predicted"), [([1.0] * 4, [1.0, 2.0, 3.0, 4.0]), ([1.0, 2.0, 3.0, 4.0], [5.0] * 4)]
)
def test_undefined_error_keeps_the_smoothed_one(values: list[float], predicted: list[float]) -> None:
    """Constant y or ŷ: ε is undefined, ε_s and g_m stay what they were."""
    control = kendall()
    before = control.decide(with_kendall_error(1 / 6))
    after = control.decide(population(values, predicted))
    assert math.isnan(after.error)
    assert after.smoothed_error == before.smoothed_error
    assert after.model_generations == before.model_generations


def test_errors_above_the_threshold_give_no_model_generation() -> None:
    """g_m = 0 for smoothed errors at and above ε_T (the paper's sentence that says g_m^max is a slip)."""
    control = kendall(error_threshold=0.5)
    assert control.decide(with_kendall_error(0.5)).model_generations == 0


def test_rounds_half_up() -> None:
    """0.5 is rounded to 1, 2.5 to 3: not to even."""
    assert [round_half_up(x) for x in (0.0, 0.4999, 0.5, 1.5, 2.5, 4.999)] == [0, 0, 1, 2, 3, 5]


def test_constant_control() -> None:
    """The same g_m whatever is known."""
    control = evolution_control(SCMAESSettings(model_generations=3))
    assert isinstance(control, ConstantControl)
    assert control.decide(None).model_generations == 3
    assert control.decide(with_kendall_error(1.0)).model_generations == 3


def test_initial_error_and_floor_by_hand() -> None:
    """T₁, ε_T = ½, floor 0.1, ε_s from 0.2, r_u = ½, g_m^max = 10, errors 0, 0, 1.

    ε_s = 0.1, 0.05, 0.525 → (clipped − 0.1)/0.4 = 0, 0, 1 → g_m = 10, 10, 0; and 1 for the first model.
    """
    control = kendall(
        transfer="T1",
        error_threshold=0.5,
        update_rate=0.5,
        max_model_generations=10,
        error_floor=0.1,
        initial_error=0.2,
    )
    assert control.decide(None).model_generations == 1
    decisions = [control.decide(with_kendall_error(e)) for e in (0.0, 0.0, 1.0)]
    assert [d.smoothed_error for d in decisions] == pytest.approx([0.1, 0.05, 0.525])
    assert [d.model_generations for d in decisions] == [10, 10, 0]


def test_the_floor_is_subtracted() -> None:
    """ε_s = ⅓, floor 0.1, ε_T = ½ → (⅓ − 0.1)/0.4 = 0.583 → T₁: 10 · 0.417 = 4.17 → 4; without a floor 3.33 → 3."""
    for floor, expected in ((0.1, 4), (0.0, 3)):
        control = kendall(transfer="T1", max_model_generations=10, error_floor=floor)
        assert control.decide(with_kendall_error(2 / 6)).model_generations == expected
