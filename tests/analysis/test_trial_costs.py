"""CPU time per evaluation and control frequencies by hand."""

import math

import pytest

from sacma.analysis.sections.costs import control_frequencies, cpu_per_evaluation, trial_costs
from sacma.config.plan import TrialSpec
from sacma.store.outcome import CPUSeconds, Outcome, TrialStatus


def outcome(evaluations: int, true: int, model: int, fit: float) -> Outcome:
    cpu = CPUSeconds(objective=0.5, fit=fit, predict=0.0, strategy=0.25, other=0.25)
    return Outcome(TrialStatus.BUDGET_USED, evaluations, 1.0, (1,), (1.0,), true, model, 0, {}, cpu)


def spec(name: str, instance: int) -> TrialSpec:
    return TrialSpec(name, "x", "{}", "bbob", 8, 20, instance, 100, 1e-8, 1, "25", "", "")


TRIALS = [
    (spec("A", 1), outcome(100, 10, 5, 1.0)),
    (spec("A", 2), outcome(300, 30, 10, 2.0)),
    (spec("A", 3), outcome(100, 10, 0, 0.0)),
    (spec("CMA-ES", 1), outcome(100, 20, 0, 0.0)),
]


def test_cpu_per_evaluation() -> None:
    """All seconds over all evaluations: of A (3 · 0.5 + 3 + 3 · 0.25 + 3 · 0.25)/500, of which 3/500 are fits."""
    table = cpu_per_evaluation(trial_costs(TRIALS)).set_index(["algorithm", "part"])["seconds_per_evaluation"]
    assert table["A", "total"] == pytest.approx(6.0 / 500)
    assert table["A", "fit"] == pytest.approx(3.0 / 500)
    assert table["CMA-ES", "total"] == pytest.approx(1.0 / 100)


def test_control_frequency() -> None:
    """True over model generations: 2 and 3, and a trial without a model; an algorithm without any is not there."""
    (row,) = control_frequencies(trial_costs(TRIALS)).to_dict("records")
    assert (row["algorithm"], row["trials"], row["without_model"]) == ("A", 3, 1)
    assert (row["lower_quartile"], row["median"], row["upper_quartile"]) == pytest.approx((2.25, 2.5, 2.75))
    assert trial_costs(TRIALS)["control_frequency"].to_list() == [2.0, 3.0, math.inf, math.inf]
