"""DTS-CMA-ES: what f evaluates, what the second model predicts, what the strategy sees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sacma.strategy.doubly_trained import AdaptiveShare, ConstantShare, error_limits, number_of
from sacma.strategy.errors import ranking_difference
from sacma.strategy.generation import EvaluatedBy
from sacma.surrogate.model import FitStatus
from tests.strategy.judged import box
from tests.strategy.runs import DOUBLY, Objective, Run, Scripted, Watched, parts, rastrigin, sphere

ADAPTIVE: dict[str, Any] = {**DOUBLY, "share": {"name": "adaptive"}}


def share_of(value: float) -> dict[str, Any]:
    return {**DOUBLY, "share": {"name": "constant", "value": value}}


@given(st.floats(1e-3, 1.0), st.integers(1, 500))
def test_at_least_one_point_is_evaluated_and_at_most_all(share: float, size: int) -> None:
    """⌈α λ⌉ lies between 1 and λ, and α is reached."""
    assert number_of(1e-12, size) == 1
    number = number_of(share, size)
    assert 1 <= number <= size
    assert number >= share * size - 1e-6
    assert number == 1 or number - 1 < share * size


@pytest.mark.parametrize("sampling", ["none", "penalty", "transform"])
@pytest.mark.parametrize("f", [sphere, rastrigin])
def test_a_share_of_one_is_cma_es(f: Objective, sampling: str) -> None:
    """Each point and value is that of CMA-ES with the same seed, to the last bit, over restarts; no model is fitted."""
    how = {"sampling": {"name": "cma-es", "bounds": sampling, "population_size": 7}}
    ours, plain = (Run(parts(**how, **more), 2).until(2500, f) for more in ({"control": share_of(1.0)}, {}))
    assert ours.bits == plain.bits
    assert ours.generations[-1].restart > 0


def test_few_points_are_evaluated_and_never_none() -> None:
    """Once there is a model f evaluates ⌈α λ⌉ points a generation; before, the whole population."""
    run = Run(parts(control=share_of(0.3))).until(60)
    assert {g.evaluated_by for g in run.generations} == {EvaluatedBy.TRUTH}
    assert [g.fit_status for g in run.generations[:3]] == ["too few points", "too few points", "trained"]
    for g, step in zip(run.generations, run.steps, strict=True):
        assert step == (3 if g.fit_status == FitStatus.TRAINED else g.population_size)


def test_the_second_model_knows_what_f_has_said() -> None:
    """It is trained on the new points, too; the strategy sees true values, and its predictions of the rest."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=share_of(0.3), model=model, sampling=sampling, training_set={"n_max_factor": 1000}))
    for _ in range(12):
        run.step(sphere)
    sizes = [len(training) for training in model.built[0].sets[:20]]
    for first, second in zip(sizes[::2], sizes[1::2], strict=True):
        assert second == first + 3
    fits = model.built[0].fitted[1:20:2]
    for population, ranked, true, fit, whitening in zip(
        sampling.populations[2:], sampling.told[2:], run.told[2:], fits, sampling.runs[0].whitenings[2:], strict=True
    ):
        evaluated = np.isin(ranked, true)
        assert evaluated.sum() == 3
        # The model of a generation predicts what is left of it.
        np.testing.assert_array_equal(ranked[~evaluated], fit.predict(whitening(population[~evaluated])))


def test_the_criterion_chooses_by_the_first_model() -> None:
    """F evaluates the points of the largest variance by the first model, in the order of the population."""
    model, sampling = Scripted(), Watched()
    control = {**share_of(0.3), "criterion": {"name": "variance"}}
    run = Run(parts(control=control, model=model, sampling=sampling))
    for _ in range(8):
        run.step(sphere)
    seen = zip(
        run.asked[2:],
        sampling.populations[2:],
        sampling.runs[0].whitenings[2:],
        model.built[0].fitted[:12:2],
        strict=True,
    )
    for asked, population, whitening, fit in seen:
        variance = fit.posterior(whitening(population), joint=False).variance
        np.testing.assert_array_equal(asked, population[np.sort(np.argsort(-variance, kind="stable")[:3])])


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failed_training_leaves_all_to_f(failing: int) -> None:
    """Where the first or the second training fails, f evaluates the whole population, and the run goes on."""
    model = Scripted(script=(FitStatus.TRAINED,) * (2 + failing) + (FitStatus.NO_FACTOR,))
    run = Run(parts(control=DOUBLY, model=model)).until(40)
    assert len(np.unique(run.points, axis=0)) == len(run.points)
    assert [g.fit_status for g in run.generations[:5]] == [*["too few points"] * 2, "trained", "no factor", "trained"]
    assert run.steps[:5] == [7, 7, 1, 7, 1]


def test_a_share_that_judges_trains_even_where_all_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a share of 1 that adapts, the first model is still judged: the share can fall again."""
    monkeypatch.setattr("sacma.strategy.doubly_trained.FIRST", 1.0)
    run = Run(parts(control=ADAPTIVE)).until(100)
    assert not math.isnan(run.generations[2].error)
    assert run.steps[:3] == [7, 7, 7]
    assert min(run.steps) < 7


GOOD = np.arange(8.0)
BAD = GOOD[::-1].copy()


@pytest.mark.parametrize("D", [2, 10, 40])
def test_the_limits_of_the_error_are_the_published_regression(D: int) -> None:
    """ε_min and ε_max by the formula written out; there is room between them for every share."""
    for a in np.linspace(0.0, 1.0, 11).tolist():
        lowest, highest = error_limits(D, a)
        assert lowest == pytest.approx(0.11 - 0.0092 * math.log(D) - 0.13 * a + 0.044 * math.log(D) * a + 0.14 * a**2)
        assert highest == pytest.approx(0.35 - 0.047 * math.log(D) + 0.44 * a + 0.044 * math.log(D) * a - 0.19 * a**2)
        assert 0.0 < lowest < highest < 1.0


def test_the_adaptive_share_by_hand() -> None:
    """ε_s ← 0.7 ε_s + 0.3 ε; α is linear between the limits with the last α, and from 0.04 to 1 beyond them.

    ε = RDE_μ(y, ŷ) is over the μ best of the values; constant values have no error, and change nothing.
    """
    share = AdaptiveShare().build(box(5))
    assert (share.share, share.smoothed_error) == (0.05, 0.05)
    smoothed, last, rng = 0.05, 0.05, np.random.default_rng(1)
    between = 0
    for _ in range(60):
        predicted, values = rng.permutation(8.0 * GOOD), rng.permutation(GOOD)
        predicted = values + 0.2 * predicted
        smoothed = 0.7 * smoothed + 0.3 * ranking_difference(values, predicted, 4)
        lowest, highest = error_limits(5, last)
        last = 0.04 + 0.96 * min(1.0, max(0.0, (smoothed - lowest) / (highest - lowest)))
        between += 0.04 < last < 1.0
        assert share.judge(predicted, values) == ranking_difference(values, predicted, 4)
        np.testing.assert_allclose([share.share, share.smoothed_error], [last, smoothed])
    assert between > 10
    before = share.share, share.smoothed_error
    assert math.isnan(share.judge(GOOD, np.ones(8)))
    assert math.isnan(share.judge(np.ones(8), GOOD))
    assert (share.share, share.smoothed_error) == before
    for predicted, limit in ((BAD, 1.0), (GOOD, 0.04)):
        for _ in range(60):
            share.judge(predicted, GOOD)
        assert share.share == pytest.approx(limit)


def test_a_constant_share_does_not_judge() -> None:
    """It stays as it was set."""
    share = ConstantShare(value=0.3).build(box(5))
    assert (share.judges, share.share) == (False, 0.3)
    assert math.isnan(share.judge(BAD, GOOD))
    assert math.isnan(share.smoothed_error)
    for wrong in ({"smallest": 0.1}, {"value": 0.0}, {"value": 1.5}):
        with pytest.raises(ValidationError):
            ConstantShare.model_validate(wrong)
