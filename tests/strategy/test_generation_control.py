"""Algorithms 1 to 3, step by step: archive, train, judge, decide; the model's generations; what fails."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from sacma.strategy.as_run import AdaptiveGenerationsAsRun
from sacma.strategy.errors import JudgedPopulation
from sacma.strategy.generation_control import T1, T2, TRANSFERS, AdaptiveGenerations, round_half_up
from sacma.surrogate.model import FitStatus
from sacma.types import Array
from tests.strategy.judged import box, judged
from tests.strategy.runs import KENDALL, Run, Scripted, Watched, generations, parts, rosenbrock

# Four points, six pairs: the Kendall error is the number of inverted pairs / 6.
ORDERS = {
    0: [1.0, 2.0, 3.0, 4.0],
    1: [2.0, 1.0, 3.0, 4.0],
    2: [2.0, 3.0, 1.0, 4.0],
    3: [2.0, 3.0, 4.0, 1.0],
    6: [4.0, 3.0, 2.0, 1.0],
}


def inverted(pairs: int) -> JudgedPopulation:
    return judged(ORDERS[0], ORDERS[pairs])


class Judged:
    """A population on which an earlier model is judged as a test says."""

    values, unevaluated, best_value = np.arange(4.0), np.arange(4), 0.0

    def __init__(self, found: Any) -> None:
        self._found = found
        self.noted: dict[str, float] = {}

    def evaluate(self, _: Array) -> Any:
        """Evaluate nothing, and note that it is f's turn."""
        self.noted["by_f"] = True
        yield from ()

    def train(self) -> Any:
        """Return a model."""
        return object()

    def predict(self, _: object) -> Array:
        """Return predictions that rank."""
        return np.arange(4.0)

    def judged(self, _: object) -> JudgedPopulation:
        """Return what is judged."""
        return self._found  # type: ignore[no-any-return]

    def note(self, **details: float) -> None:
        """Remember the columns of the trace."""
        self.noted |= details


class Decisions:
    """A control, and what it decides in its true generations; model generations in between are passed."""

    def __init__(self, settings: AdaptiveGenerations) -> None:
        self.control: Any = settings.build(box(3))

    def __call__(self, found: Any) -> tuple[int, float, float]:
        """Return g_m, ε and ε_s; without a judged population the model of before is forgotten."""
        if found is None:
            self.control.forget_run()
        while True:
            population = Judged(found)
            for _ in self.control.evaluate(population):
                pass
            if "by_f" in population.noted:
                noted = {"error": math.nan, "smoothed_error": math.nan, **population.noted}
                return int(noted["model_generations"]), noted["error"], noted["smoothed_error"]

    def all(self, pairs: Sequence[int]) -> list[tuple[int, float, float]]:
        """Return the decisions for a sequence of numbers of inverted pairs, after the first model's."""
        assert self(None)[0] == 1
        return [self(inverted(number)) for number in pairs]


def rule(**settings: object) -> Decisions:
    return Decisions(AdaptiveGenerations.model_validate({"error": {"name": "kendall"}, **settings}))


def as_run(**settings: object) -> Decisions:
    content = {"error": {"name": "kendall"}, "transfer": "T1", "max_model_generations": 10, **settings}
    return Decisions(AdaptiveGenerationsAsRun.model_validate(content))


def test_a_sequence_by_hand() -> None:
    """T₁, ε_T = ½, r_u = ¼, g_m^max = 10, errors ⅓, 0, 0, ½, 1.

    ε_s = ⅓, ¼, 3/16, 17/64, 115/256 → 1 − ε_s/ε_T = ⅓, ½, ⅝, 15/32, 26/256 → g_m = 3, 5, 6, 5, 1.
    """
    of = rule(transfer="T1", error_threshold=0.5, update_rate=0.25, max_model_generations=10)
    g_m, errors, smoothed = zip(*of.all([2, 0, 0, 3, 6]), strict=True)
    assert errors == pytest.approx([2 / 6, 0.0, 0.0, 3 / 6, 1.0])
    assert smoothed == pytest.approx([1 / 3, 1 / 4, 3 / 16, 17 / 64, 115 / 256])
    assert g_m == (3, 5, 6, 5, 1)


def test_ada_kendall_by_hand() -> None:
    """T₂ with k = 2, ε_T = ½, r_u = 0.2, g_m^max = 5, errors 0, ½, ½.

    ε_s = 0, 0.1, 0.18 → x = 1, 0.8, 0.64 → T₂ = 1, 0.45/1.1 + ½ = 0.909, 0.21/0.78 + ½ = 0.769 → 5, 4.55, 3.85.
    """
    assert [g_m for g_m, *_ in rule().all([0, 3, 3])] == [5, 5, 4]


def test_the_published_code_by_hand() -> None:
    """T₁, ε_T = ½, floor 0.1, ε_s from 0.2, r_u = ½, g_m^max = 10, errors 0, 0, 1.

    ε_s = 0.1, 0.05, 0.525 → (clipped − 0.1)/0.4 = 0, 0, 1 → g_m = 10, 10, 0. From ⅓ alone: (⅓ − 0.1)/0.4 = 0.583 → 4.
    """
    g_m, _, smoothed = zip(*as_run(update_rate=0.5).all([0, 0, 6]), strict=True)
    assert smoothed == pytest.approx([0.1, 0.05, 0.525])
    assert g_m == (10, 10, 0)
    for floor, expected in ((0.1, 4), (0.0, 3)):
        assert as_run(error_floor=floor, update_rate=1.0).all([2])[0][0] == expected


def test_without_an_earlier_model_the_smoothed_error_decides() -> None:
    """As long as none could be judged, g_m = 1 without an error; after a restart ε_s and g_m stay what they were."""
    of = rule()
    for _ in range(3):
        np.testing.assert_equal(of(None), (1, math.nan, math.nan))
    before, after = of(inverted(1)), of(None)
    assert math.isnan(after[1])
    assert (before[0], before[2]) == (after[0], after[2])
    assert before[0] > 1


@pytest.mark.parametrize(("values", "predicted"), [([1.0] * 4, ORDERS[0]), (ORDERS[0], [5.0] * 4)])
def test_an_undefined_error_changes_nothing(values: list[float], predicted: list[float]) -> None:
    """Constant y or ŷ: ε is undefined, ε_s and g_m stay; as long as none was defined, g_m = 1."""
    of = rule()
    of(None)
    assert of(judged(values, predicted))[0] == 1
    before, after = of(inverted(1)), of(judged(values, predicted))
    assert math.isnan(after[1])
    assert (before[0], before[2]) == (after[0], after[2])


def test_a_degenerate_update_has_no_error() -> None:
    """Where the covariance of a what-if update is not positive definite, ε is undefined."""

    def degenerate() -> None:
        raise np.linalg.LinAlgError

    of = rule(error={"name": "kullback-leibler"})
    population = JudgedPopulation(np.zeros((4, 2)), np.arange(4.0), np.arange(4.0), degenerate)  # type: ignore[arg-type]
    of(None)
    assert math.isnan(of(population)[1])


@pytest.mark.parametrize(("threshold", "pairs", "expected"), [(0.5, 3, 0), (0.5, 6, 0), (1.0, 3, 2), (1.0, 6, 0)])
def test_at_and_above_the_threshold_the_model_is_not_used(threshold: float, pairs: int, expected: int) -> None:
    """g_m = 0 there (the paper's sentence that says g_m^max is a slip); below, ε_s counts in units of ε_T."""
    of = rule(error_threshold=threshold, transfer="T1", max_model_generations=4)
    assert of.all([pairs])[0][0] == expected


@pytest.mark.parametrize(
    ("error", "allowed"),
    [(-0.9e-9, True), (1.0 + 0.9e-9, True), (-1.1e-9, False), (1.0 + 1.1e-9, False), (math.inf, False)],
)
def test_errors_are_shares(error: float, *, allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure of a user that is no share is an error; rounding is none."""
    monkeypatch.setattr("sacma.strategy.errors.Kendall.__call__", lambda *_: error)
    of = rule()
    of(None)
    if allowed:
        assert of(inverted(1))[1] == error
    else:
        with pytest.raises(ValueError, match=f"kendall returned the error {error}; allowed: 0 to 1, or NaN"):
            of(inverted(1))


def test_transfer_functions() -> None:
    """Both map 0, ½ and 1 to themselves, increase, and are symmetric; T₂(¾; 2) = ¼ · 3/2 / (½ + ½) + ½ by hand."""
    x = np.linspace(0, 1, 101)
    for transfer in (*TRANSFERS.values(), *(lambda v, k=k: T2(v, k) for k in (0.1, 1.0, 50.0))):
        assert [transfer(v) for v in (0.0, 0.5, 1.0)] == pytest.approx([0.0, 0.5, 1.0], abs=1e-15)
        y = np.array([transfer(v) for v in x])
        assert np.all(np.diff(y) > 0)
        np.testing.assert_allclose(y[::-1], 1 - y, atol=1e-14)
    assert T1(0.3) == 0.3
    assert T2(0.75) == pytest.approx(0.875)
    assert [round_half_up(v) for v in (0.0, 0.4999, 0.5, 1.5, 2.5, 4.999)] == [0, 0, 1, 2, 3, 5]


@pytest.mark.parametrize(
    "wrong",
    [
        {"update_rate": 0.0},
        {"error_threshold": 1.5},
        {"max_model_generations": 0},
        {"transfer": "T3"},
        {"error": {"name": "kendal"}},
        {"error": {}},
    ],
)
def test_settings_that_are_refused(wrong: dict[str, object]) -> None:
    """Rates of 0, unknown names, an error without one, and a floor that is no floor."""
    with pytest.raises(ValidationError):
        rule(**wrong)
    with pytest.raises(ValidationError, match="error_floor < error_threshold"):
        as_run(error_floor=0.5)


@pytest.mark.parametrize("g_m", [0, 1, 5])
def test_true_and_model_generations_take_turns(g_m: int) -> None:
    """After each trained model come exactly g_m model generations, and then a true one."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=generations(g_m), model=model, sampling=sampling)).until(120)
    assert sum(g.fit_status == FitStatus.TOO_FEW_POINTS for g in run.generations) == 1  # 7 points, n_req = 9
    assert run.pattern[1:].startswith(("T" + g_m * "m") * 4)
    # The model of a generation has learnt its population, and a constant g_m costs no prediction.
    trained = [run.told[n] for n in range(1, len(run.told))]
    assert all(set(told) <= set(training.values) for told, training in zip(trained, model.built[0].sets, strict=False))
    true = sum(g.fit_status == FitStatus.TRAINED for g in run.generations)
    assert model.built[0].predictions == true + run.pattern.count("m")


def test_the_model_judged_is_the_earlier_one_on_the_new_population() -> None:
    """Its error is that of its predictions of points that it has not been trained on, and ε_s follows."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control={**KENDALL, "transfer": "T1"}, model=model, sampling=sampling)).until(150, rosenbrock)
    places = [i for i, by in enumerate(run.pattern) if by == "T" and run.generations[i].fit_status == "trained"]
    smoothed = math.nan
    for fit, before, place in zip(model.built[0].fitted, places, places[1:], strict=False):
        whitening = sampling.runs[0].whitenings[before]
        predicted = fit.predict(whitening(sampling.populations[place]))
        y = sampling.told[place]
        error = np.mean([(y[i] - y[j]) * (predicted[i] - predicted[j]) < 0 for i in range(7) for j in range(i)])
        smoothed = error if math.isnan(smoothed) else 0.8 * smoothed + 0.2 * error
        g = run.generations[place]
        np.testing.assert_allclose([g.error, g.smoothed_error], [error, smoothed])
    for place, after in pairwise(places):
        assert after - place - 1 == run.generations[place].model_generations
    assert run.generations[places[0]].model_generations == 1
    assert len({run.generations[place].model_generations for place in places}) > 1


@pytest.mark.parametrize(("control", "pattern"), [(KENDALL, "TTmTT"), ("as run", "TTmTT")])
def test_a_failed_training(control: Any, pattern: str) -> None:
    """It leaves no model, so that the next generation judges none; in the published code the last one is kept."""
    name = "adaptive-generations-as-run" if control == "as run" else "adaptive-generations"
    model = Scripted(script=(FitStatus.TRAINED, FitStatus.NO_FACTOR))
    run = Run(parts(control={**KENDALL, "name": name}, model=model)).until(60)
    assert [g.fit_status for g in run.true[:4]] == ["too few points", "trained", "no factor", "trained"]
    assert run.pattern.startswith(pattern)
    assert [g.model_generations for g in run.true[:3]] == [0, 1, 0]
    judged_at = [not math.isnan(g.error) for g in run.true[:4]]
    assert judged_at == [False, False, name == "adaptive-generations", name != "adaptive-generations"]


@pytest.mark.parametrize("broken", [np.nan, np.inf, 7.0])
def test_predictions_that_cannot_rank(broken: float) -> None:
    """Of the training population: not trained. Of another: g_m lapses, and CMA-ES sees nothing of it."""
    always = Scripted(changed=lambda predicted, _: np.full_like(predicted, broken))
    run = Run(parts(control=generations(1), model=always)).until(60)
    assert set(run.pattern) == {"T"}
    assert {g.fit_status for g in run.generations} == {FitStatus.TOO_FEW_POINTS, FitStatus.CONSTANT_PREDICTION}
    assert always.built[0].kept == []
    later = Scripted(changed=lambda predicted, n: np.full_like(predicted, broken) if n == 2 else predicted)
    run = Run(parts(control=generations(3), model=later)).until(60)
    assert run.pattern.startswith("TTmTmmm")


@pytest.mark.parametrize("control", [{"name": "generations"}, KENDALL])
def test_predictions_of_the_published_code_are_raised(control: dict[str, object]) -> None:
    """To the best true value, and a millionth of the amount above it; the paper's controls leave them as they are."""
    lowest = []
    for name in (control["name"], f"{control['name']}-as-run"):
        sampling = Watched()
        model = Scripted(changed=lambda predicted, _: predicted - 1e6)
        run = Run(parts(control={**control, "name": name}, model=model, sampling=sampling)).until(40)
        first = run.pattern.index("m")
        lowest.append(sampling.told[first].min() - min(values.min() for values in sampling.told[:first]))
    assert lowest[0] < -9e5
    assert 0.5 < lowest[1] < 2.0
