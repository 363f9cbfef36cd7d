"""Approximate ranking: what f evaluates, when it stops, what the strategy sees."""

import re
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from pydantic import PrivateAttr
from scipy.stats import rankdata

from sacma.strategy.approximate_ranking import ApproximateRanking, rank_change
from sacma.strategy.generation import EvaluatedBy
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.model import FitStatus
from sacma.surrogate.part import Context, Part
from tests.strategy.judged import Foreseen, box
from tests.strategy.runs import Run, Scripted, Watched, parts, rastrigin, sphere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sacma.surrogate.archive import Standing
    from sacma.types import Array

NAMED: dict[str, Any] = {"name": "approximate-ranking"}
AT_ONCE: dict[str, Any] = {**NAMED, "largest_change": 2.0, "growth": 0.0}  # stops after one point
NEVER: dict[str, Any] = {**NAMED, "largest_change": 0.0, "growth": 0.0}  # stops where nothing changes at all


def order(predicted: "Array", _: int) -> "Array":
    """Predict the same ranking again and again."""
    return np.array(1e9 + np.arange(len(predicted)))


def noise(predicted: "Array", call: int) -> "Array":
    """Predict another ranking at each call."""
    return np.array(1e9 + np.random.default_rng(call).normal(size=len(predicted)))


@pytest.mark.parametrize("size", [4, 5, 6])
def test_the_change_is_1_on_average_over_all_rankings(size: int) -> None:
    """The mean over permutations is 1, and each is the mean difference of ranks in units of its own mean."""
    values = np.random.default_rng(size).normal(size=size)
    orders = [values[list(order)] for order in permutations(range(size))]
    differences = [np.mean(np.abs(rankdata(values) - rankdata(other))) for other in orders]
    changes = [rank_change(values, other) for other in orders]
    assert np.mean(changes) == pytest.approx(1.0)
    np.testing.assert_allclose(changes, np.array(differences) / np.mean(differences))
    assert rank_change(values, np.exp(values)) == 0.0
    assert max(changes) == rank_change(values, -values)


def test_the_first_model_comes_as_early_as_it_can() -> None:
    """Of the first population f evaluates no more than a model needs, one point after the other."""
    run = Run(parts(control=AT_ONCE, training_set={"n_req_factor": 2})).until(40)
    assert [len(asked) for asked in run.asked] == [1] * 40
    assert run.steps[:4] == [7, 1, 1, 1]  # six points, and one to see whether they suffice
    assert {g.evaluated_by for g in run.generations} == {EvaluatedBy.TRUTH}
    assert run.generations[0].fit_status == FitStatus.TRAINED


def test_f_goes_on_until_the_ranking_is_stable() -> None:
    """A ranking that never changes needs one point, one that always changes all; no point is evaluated twice."""
    ranked = {}
    for name, changed in {"same": order, "other": noise}.items():
        run = Run(parts(control={**NAMED, "largest_change": 0.3}, model=Scripted(changed=changed))).until(150)
        assert len(np.unique(run.points, axis=0)) == len(run.points)
        ranked[name] = np.array(run.steps[3:])
    assert ranked["other"].mean() > 5.0 > ranked["same"].mean()


def test_f_evaluates_a_least_number_where_first_rankings_are_wrong() -> None:
    """A model that is sure and wrong is told 1.75 D points of each population, one that is right one as before."""
    taken = {}
    for name, changed, factor in (("none", order, 0.0), ("wrong", order, 1.75), ("right", None, 1.75)):
        model = Scripted() if changed is None else Scripted(changed=changed)
        control = {**AT_ONCE, "largest_change": 1.0, "least_factor": factor, "wrong_error": 0.65}
        taken[name] = Run(parts(control=control, model=model), 2).until(250).steps[-10:]
    assert taken == {"none": [1] * 10, "wrong": [3] * 10, "right": [1] * 10}


@pytest.mark.parametrize(("growth", "largest", "batches", "told"), [(0, 0, 8, 8), (3, 0, 3, 8), (0, 2, 2, 1)])
def test_the_error_of_a_first_ranking_weighs_as_many_as_were_told(
    growth: float, largest: float, batches: int, told: int
) -> None:
    """Of the last error 0.95 is kept for each point; ranks are compared with those at the end."""
    true, first, second = (np.random.default_rng(seed).permutation(np.arange(8.0)) for seed in (1, 2, 3))
    control = ApproximateRanking(growth=growth, largest_change=largest).build(box(2))
    expected = 0.6
    for _ in range(3):
        population: Any = Foreseen(true + 0.25, first, *([first] if largest else [second, first] * 9))
        for _ in control.evaluate(population):
            pass
        assert population.noted == pytest.approx([expected] * (batches - 1))
        new = ~np.isnan(population.values)
        last = np.where(new, true + 0.25, first)
        ranks = np.argsort(np.argsort(first, kind="stable")), np.argsort(np.argsort(last, kind="stable"))
        kept = 0.95**told
        error = np.abs(ranks[0] - ranks[1])[new].mean() / ((64 - 1) / 24)
        assert new.sum() == told
        expected = kept * expected + (1.0 - kept) * error


@pytest.mark.parametrize(("growth", "batches"), [(0.0, [1] * 7), (0.5, [1, 1, 1, 2, 2]), (1.0, [1, 1, 2, 3])])
def test_batches_grow_with_what_is_evaluated(growth: float, batches: list[int]) -> None:
    """⌈growth · evaluated⌉ points are next, at least one and no more than are left."""
    model = Scripted(changed=noise)
    run = Run(parts(control={**NEVER, "growth": growth}, model=model)).until(100)
    assert [len(asked) for asked in run.asked[: 10 * len(batches)]] == batches * 10


def test_the_strategy_sees_true_values_and_the_last_predictions() -> None:
    """The last model of a generation was trained on all of its true values, and predicts the rest."""
    model, sampling = Scripted(), Watched()
    run = Run(parts(control=AT_ONCE, model=model, sampling=sampling, training_set={"n_max_factor": 1000}))
    for _ in range(30):
        run.step(sphere)
    sizes = [len(training) for training in model.built[0].sets]
    assert all(second == first + 1 for first, second in zip(sizes[2::2], sizes[3::2], strict=False))
    seconds, true_values = model.built[0].fitted[3::2], run.values[sum(run.steps[:2]) :]
    for population, ranked, true, fit, whitening in zip(
        sampling.populations[2:], sampling.told[2:], true_values, seconds, sampling.runs[0].whitenings[2:], strict=False
    ):
        evaluated = ranked == true
        assert evaluated.sum() == 1
        np.testing.assert_array_equal(ranked[~evaluated], fit.predict(whitening(population[~evaluated])))


def test_the_criterion_picks_among_the_points_without_a_value() -> None:
    """With the variance as criterion the first is that of the largest variance; each point comes once."""
    model, sampling = Scripted(), Watched()
    control = {**AT_ONCE, "criterion": {"name": "variance"}}
    run = Run(parts(control=control, model=model, sampling=sampling))
    for _ in range(30):
        run.step(sphere)
    seen = zip(
        run.points[sum(run.steps[:2]) :],
        sampling.populations[2:],
        sampling.runs[0].whitenings[2:],
        model.built[0].fitted[2::2],
        strict=False,
    )
    for asked, population, whitening, fit in seen:
        variance = fit.posterior(whitening(population), joint=False).variance
        np.testing.assert_array_equal(asked, population[np.argmax(variance)])
    more = Run(parts(control={**control, "largest_change": 0.1})).until(100, rastrigin)
    assert len(np.unique(more.points, axis=0)) == len(more.points)


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failed_training_leaves_the_rest_to_f(failing: int) -> None:
    """Where no training succeeds f evaluates the whole population, and the run goes on."""
    script = (*[FitStatus.TRAINED] * (2 + failing), *[FitStatus.NO_FACTOR] * (7 - failing))
    run = Run(parts(control=AT_ONCE, model=Scripted(script=script), training_set={"n_req_factor": 1})).until(40)
    assert run.steps[0] < 7
    assert run.steps[1] == 7
    assert set(run.steps[3:-1]) == {1}


class Proposing(Part):
    """The point at which f has its optimum, in the generations of the script; else a point where f is large."""

    name: Literal["proposing"] = "proposing"
    script: str = ""  # b for the best, w for the worst, . for none
    _calls: list[str] = PrivateAttr(default_factory=list)

    def build(self, context: Context) -> "Proposing":
        """Return itself."""
        return self

    def propose(self, model: TrainedModel, archive: Archive) -> "Array":
        """Return the next of the script; each best one is better than those before."""
        step = self.script[len(self._calls) : len(self._calls) + 1] or "."
        self._calls.append(step)
        at = {"b": 1.0 + 1e-3 / len(self._calls), "w": 9.0}
        return np.full((int(step != "."), 3), at.get(step, 0.0))

    def learn(self, standings: "Sequence[Standing]", best_before: "Standing") -> None:
        """Learn nothing."""


def by_model(script: str, control: dict[str, Any], model: Scripted, **more: Any) -> Run:
    """Run 32 generations on the sphere; the first has no model, and after some more a model knows the ranking."""
    run = Run(parts(control=control, proposals=Proposing(script=script), model=model, **more))
    while len(run.generations) < 32:
        run.step(sphere)
    return run


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_model_alone_goes_on_after_a_successful_proposal(number: int) -> None:
    """So many populations, where the last ranking had settled at once; after others f is asked again."""
    control = {**NAMED, "model_generations": number}
    quiet, alone = "." * 15, "m" * number
    first = by_model(quiet + "b", control, Scripted())
    assert first.pattern == ("T" * 17 + alone + "T" * 32)[:32]
    assert first.generations[16].error <= 0.1
    again = by_model(quiet + "bw" + "b" * 12, control, Scripted())
    assert again.pattern.startswith("T" * 17 + alone + "TT")
    settled = "".join("s" if g.error <= 0.1 else by for g, by in zip(again.generations, again.pattern, strict=True))
    assert number == 0 or re.search(f"s{alone}[Ts]", settled[17 + number :])
    assert re.fullmatch(f"([Ts]|s{alone})*(sm*)?", settled)
    assert by_model(quiet + "w" * 9, control, Scripted()).pattern == "T" * 32


def test_the_model_alone_does_not_go_on_where_the_ranking_took_longer() -> None:
    """By a second batch, or by a change of more than a tenth, as noise always makes of twenty points."""
    for control in ({**NAMED, "model_generations": 3}, {**NAMED, "model_generations": 3, "largest_change": 2.0}):
        run = by_model("b" * 40, control, Scripted(changed=noise), sampling={"population_size": 20})
        assert run.pattern == "T" * 32


@pytest.mark.parametrize("factor", [3, 6])
def test_early_populations_have_one_batch(factor: int) -> None:
    """The first population ends with the points of a first model; each has one point until 3 D or 6 D are known."""
    control = {**NAMED, "quick_factor": factor, "growth": 0.0, "largest_change": 0.0}
    run = Run(parts(control=control, model=Scripted(changed=noise), training_set={"n_req_factor": 2}))
    run.until(100)
    D = len(run.points[0])
    known, steps = np.cumsum([0, *run.steps]), run.steps
    early = known[: len(steps)] < factor * D
    assert steps[0] == 2 * D
    assert set(np.array(steps)[early][1:]) == {1}
    assert np.array(steps)[~early].min() > 1
