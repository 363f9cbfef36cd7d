"""g_m for sequences of errors worked out by hand (Algorithms 2 and 3)."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from pydantic import ValidationError

from sacma.strategy.control.adaptive_generations import AdaptiveGenerations, AdaptiveRule, round_half_up
from sacma.strategy.errors.base import JudgedPopulation
from tests.strategy.judged import judged

ORDERS = {
    0: [1.0, 2.0, 3.0, 4.0],
    1: [2.0, 1.0, 3.0, 4.0],
    2: [2.0, 3.0, 1.0, 4.0],
    3: [2.0, 3.0, 4.0, 1.0],
    6: [4.0, 3.0, 2.0, 1.0],
}
"""Four points, six pairs: the Kendall error is the number of inverted pairs / 6."""


def inverted(pairs: int) -> JudgedPopulation:
    return judged(ORDERS[0], ORDERS[pairs])


def rule(**settings: object) -> AdaptiveRule:
    return AdaptiveRule(AdaptiveGenerations.model_validate({"error": {"name": "kendall"}, **settings}))


def test_a_sequence_by_hand() -> None:
    """T₁, ε_T = ½, r_u = ¼, g_m^max = 10, errors ⅓, 0, 0, ½, 1.

    ε_s = ⅓, ¼, 3/16, 17/64, 115/256 → 1 − ε_s/ε_T = ⅓, ½, ⅝, 15/32, 26/256 → g_m = 3, 5, 6, 5, 1.
    """
    of = rule(transfer="T1", error_threshold=0.5, update_rate=0.25, max_model_generations=10)
    assert of.judges
    assert of.decide(None).model_generations == 1
    decisions = [of.decide(inverted(pairs)) for pairs in (2, 0, 0, 3, 6)]
    assert [d.error for d in decisions] == pytest.approx([2 / 6, 0.0, 0.0, 3 / 6, 1.0])
    assert [d.smoothed_error for d in decisions] == pytest.approx([1 / 3, 1 / 4, 3 / 16, 17 / 64, 115 / 256])
    assert [d.model_generations for d in decisions] == [3, 5, 6, 5, 1]


def test_ada_kendall_by_hand() -> None:
    """T₂ with k = 2, ε_T = ½, r_u = 0.2, g_m^max = 5, errors 0, ½, ½.

    ε_s = 0, 0.1, 0.18 → x = 1, 0.8, 0.64 → T₂ = 1, 0.45/1.1 + ½ = 0.909, 0.21/0.78 + ½ = 0.769 → 5, 4.55, 3.85.
    """
    of = rule()
    assert [of.decide(inverted(pairs)).model_generations for pairs in (0, 3, 3)] == [5, 5, 4]


@pytest.mark.parametrize(("steepness", "expected"), [(2.0, 18), (0.1, 16)])
def test_steepness_is_a_setting(steepness: float, expected: int) -> None:
    """ε_s = 0.1, ε_T = ½ → x = 0.8: T₂(0.8; 2) · 20 = 18.2 → 18; T₂(0.8; 0.1) = 3.3/10.6 + ½ = 0.811 → 16."""
    of = rule(transfer_steepness=steepness, max_model_generations=20)
    assert [of.decide(inverted(pairs)).model_generations for pairs in (0, 3)][1] == expected


def test_the_first_model_is_used_for_one_generation() -> None:
    """As long as no model could be judged, g_m = 1, without an error."""
    of = rule(max_model_generations=5)
    for _ in range(3):
        decision = of.decide(None)
        assert decision.model_generations == 1
        assert math.isnan(decision.error)
        assert math.isnan(decision.smoothed_error)


def test_without_an_earlier_model_the_smoothed_error_decides() -> None:
    """After a restart, or a failed training, there is none to judge: ε_s and g_m stay what they were."""
    of = rule()
    before = of.decide(inverted(1))
    after = of.decide(None)
    assert math.isnan(after.error)
    assert (after.smoothed_error, after.model_generations) == (before.smoothed_error, before.model_generations)
    assert before.model_generations > 1


@pytest.mark.parametrize(("values", "predicted"), [([1.0] * 4, ORDERS[0]), (ORDERS[0], [5.0] * 4)])
def test_an_undefined_error_changes_nothing(values: list[float], predicted: list[float]) -> None:
    """Constant y or ŷ: ε is undefined, ε_s and g_m stay; as long as none was defined, g_m = 1."""
    of = rule()
    assert of.decide(judged(values, predicted)).model_generations == 1
    before = of.decide(inverted(1))
    after = of.decide(judged(values, predicted))
    assert math.isnan(after.error)
    assert (after.smoothed_error, after.model_generations) == (before.smoothed_error, before.model_generations)


def test_a_degenerate_update_has_no_error() -> None:
    """Where the covariance of a what-if update is not positive definite, ε is undefined."""

    def degenerate() -> None:
        raise np.linalg.LinAlgError

    of = rule(error={"name": "kullback-leibler"})
    population = JudgedPopulation(np.zeros((4, 2)), np.arange(4.0), np.arange(4.0), degenerate)  # type: ignore[arg-type]
    assert math.isnan(of.decide(population).error)


@pytest.mark.parametrize(("threshold", "pairs", "expected"), [(0.5, 3, 0), (0.5, 6, 0), (1.0, 3, 2), (1.0, 6, 0)])
def test_at_and_above_the_threshold_the_model_is_not_used(threshold: float, pairs: int, expected: int) -> None:
    """g_m = 0 there (the paper's sentence that says g_m^max is a slip); below, ε_s counts in units of ε_T."""
    settings = {"error_threshold": threshold, "transfer": "T1", "max_model_generations": 4}
    assert rule(**settings).decide(inverted(pairs)).model_generations == expected


def test_rounds_half_up() -> None:
    """0.5 is rounded to 1, 2.5 to 3: not to even."""
    assert [round_half_up(x) for x in (0.0, 0.4999, 0.5, 1.5, 2.5, 4.999)] == [0, 0, 1, 2, 3, 5]


@pytest.mark.parametrize(
    "wrong",
    [
        {"update_rate": 0.0},
        {"error_threshold": 0.0},
        {"error_threshold": 1.5},
        {"max_model_generations": 0},
        {"transfer": "T3"},
        {"error": {"name": "kendal"}},
        {"error": {}},
    ],
)
def test_settings_that_are_refused(wrong: dict[str, object]) -> None:
    """Rates and thresholds of 0, unknown names, and an error without one."""
    with pytest.raises(ValidationError):
        rule(**wrong)


@pytest.mark.parametrize(("error", "allowed"), [(-1e-12, True), (1.0 + 1e-12, True), (-0.1, False), (math.inf, False)])
def test_errors_are_shares(error: float, *, allowed: bool) -> None:
    """A measure of a user that is no share is an error; rounding is none."""

    class Measure:
        name = "mine"
        error: "Measure"
        update_rate = 0.2

        def build(self) -> Callable[[JudgedPopulation], float]:
            return lambda _: error

        def generations_at(self, smoothed: float) -> int:
            return round(smoothed)

    settings = Measure()
    settings.error = settings
    of = AdaptiveRule(settings)
    if allowed:
        assert of.decide(inverted(1)).error == error
    else:
        with pytest.raises(ValueError, match=f"mine returned the error {error}; allowed: 0 to 1, or NaN"):
            of.decide(inverted(1))
