"""Algorithm 1, step by step: archive, train, judge, decide; the model's generations; what fails."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.control.generation_control import Decision, GenerationControl, LastModel
from sacma.strategy.errors.base import JudgedPopulation
from sacma.strategy.observer import Observer
from sacma.strategy.population import Population
from sacma.strategy.restarts import Start
from sacma.strategy.training import TrainedModel, Trainer, TrainingSetSettings
from sacma.surrogate.archive import Archive
from sacma.surrogate.base import FitStatus
from sacma.surrogate.part import Context
from sacma.surrogate.whitening import Whitening
from sacma.types import Array
from tests.strategy.runs import (
    KENDALL,
    Run,
    Scripted,
    ScriptedFit,
    ScriptedModel,
    Watched,
    generations,
    parts,
    rosenbrock,
    sphere,
)

SIZE = 12


class Story:
    """A control on its way through populations, with a rule that tells what it was given.

    Args:
        script: how the first trainings end.
        g_m: what the rule decides, time after time.
        judges: whether the rule needs predictions of the earlier model.
        changed: changes the predictions.
        last: holds the last model.
        raised_by: factor by which predictions are raised to the best true value.
    """

    def __init__(
        self,
        *,
        script: tuple[FitStatus, ...] = (),
        g_m: int = 1,
        judges: bool = True,
        changed: Callable[[Array, int], Array] = lambda predicted, _: predicted,
        last: LastModel | None = None,
        raised_by: float = 0.0,
    ) -> None:
        self.context = Context(2, (np.full(2, -5.0), np.full(2, 5.0)), np.random.default_rng(3))
        part = Scripted(script=script, changed=changed)
        settings = parts(control=generations(1))
        trainer_model = part.build(self.context)
        self.model: ScriptedModel = part.built[0]
        self.trainer = Trainer(TrainingSetSettings(), trainer_model, settings.acceptance, self.context.rng)
        sampling = CMAESSampling(population_size=SIZE)
        self.run = sampling.start(Start(1.0), np.ones(2), self.context)
        self.archive = Archive(2)
        self.judges = judges
        self.judged: list[JudgedPopulation | None] = []
        self.g_m = g_m
        self.sizes: list[int] = []
        self.values: Array | None = None
        self.control = GenerationControl(self, last, raised_by)

    def decide(self, judged: JudgedPopulation | None) -> Decision:
        """Be the rule."""
        self.sizes.append(len(self.archive))
        self.judged.append(judged)
        return Decision(self.g_m)

    def generation(self) -> str:
        """Run one; T: evaluated by f, m: by the model, d: discarded."""
        self.run.ask()
        self.sampled, self.whitening = self.run.sampled.copy(), self.run.whitening()
        population = Population(self.run, self.archive, self.trainer, Observer(lambda _: None))
        steps = self.control.evaluate(population)
        kind = "m"
        try:
            points = next(steps)
            kind = "T"
            steps.send(np.array([sphere(x) for x in points]))
        except StopIteration as end:
            self.values = end.value
        if self.values is None:
            return "d"
        self.run.tell(self.values)
        return kind

    def pattern(self, number: int) -> str:
        """Run so many."""
        return "".join(self.generation() for _ in range(number))


def test_archive_train_decide() -> None:
    """The model of a generation has learnt its population; the rule is asked after that, and g_m follows."""
    story = Story(g_m=2)
    assert story.pattern(7) == "TmmTmmT"
    assert story.sizes == [SIZE, 2 * SIZE, 3 * SIZE]
    assert [len(training) for training in story.model.sets] == [SIZE, 2 * SIZE, 30]
    assert story.values is not None
    assert set(story.values) <= set(story.model.sets[-1].values)


def test_the_model_judged_is_the_earlier_one_on_the_new_population() -> None:
    """None the first time; then predictions of the model before, of points that it has not been trained on."""
    story = Story(g_m=0)
    trained: list[tuple[ScriptedFit, Whitening]] = []
    for _ in range(4):
        assert story.generation() == "T"
        judged = story.judged[-1]
        if trained:
            fit, whitening = trained[-1]
            assert judged is not None
            np.testing.assert_array_equal(judged.points, story.sampled)
            np.testing.assert_array_equal(judged.values, story.values)
            np.testing.assert_array_equal(judged.predicted, fit.predict(whitening(story.sampled)))
        else:
            assert judged is None
        trained.append((story.model.fitted[-1], story.whitening))


def test_a_rule_that_does_not_judge_costs_no_prediction() -> None:
    """A constant g_m needs no error: only the populations of the model and of its acceptance are predicted."""
    for judges, extra in ((True, 2), (False, 0)):
        story = Story(g_m=1, judges=judges)
        assert story.pattern(6) == "TmTmTm"
        assert story.model.predictions == 6 + extra
        assert [judged is None for judged in story.judged] == [True, not judges, not judges]


def test_a_failed_training_leaves_no_model() -> None:
    """No model generation after it, and no error of it, or of the model before, in the next true generation."""
    story = Story(script=(FitStatus.TRAINED, FitStatus.NO_FACTOR))
    assert story.pattern(6) == "TmTTmT"
    assert [judged is None for judged in story.judged] == [True, False, True, False]


def test_g_m_without_a_model_is_nothing() -> None:
    """The rule decides, but without a model f goes on, and the trace says 0."""
    story = Story(script=(FitStatus.NO_FACTOR,) * 3, g_m=5)
    assert story.pattern(4) == "TTTT"
    model = Scripted(script=(FitStatus.NO_FACTOR,))
    first, second, third = Run(parts(control=generations(5), model=model)).until(21).true[:3]
    assert (first.fit_status, first.model_generations) == (FitStatus.TOO_FEW_POINTS, 0)
    assert (second.fit_status, second.model_generations) == (FitStatus.NO_FACTOR, 0)
    assert (third.fit_status, third.model_generations) == (FitStatus.TRAINED, 5)


@pytest.mark.parametrize("broken", [np.nan, np.inf, 7.0])
def test_a_population_that_cannot_be_ranked_is_discarded(broken: float) -> None:
    """The rest of g_m lapses: f evaluates the next population, and CMA-ES sees nothing of that one."""
    # The first prediction is the acceptance's.
    story = Story(
        g_m=3, judges=False, changed=lambda predicted, n: np.full_like(predicted, broken) if n == 2 else predicted
    )
    assert story.pattern(6) == "TmdTmm"


@pytest.mark.parametrize("broken", [np.nan, np.inf, 7.0])
def test_a_model_that_cannot_rank_is_not_used(broken: float) -> None:
    """Predictions of the training population that are constant, or not finite: not trained."""
    model = Scripted(changed=lambda predicted, _: np.full_like(predicted, broken))
    run = Run(parts(control=generations(1), model=model)).until(60)
    assert set(run.pattern) == {"T"}
    assert {g.fit_status for g in run.generations} == {FitStatus.TOO_FEW_POINTS, FitStatus.CONSTANT_PREDICTION}
    assert model.built[0].kept == []


@pytest.mark.parametrize("offset", [-1e3, 0.0, 1e3])
def test_cma_es_never_sees_a_value_better_than_any_real_one(offset: float) -> None:
    """Where predictions are raised: all by the same, if their least lies below the best true value, and not else."""
    sampling = Watched()
    model = Scripted(changed=lambda predicted, _: predicted + offset)
    control = {**generations(5), "raises_predictions": True}
    run = Run(parts(control=control, model=model, sampling=sampling)).until(100)
    predicted = [(g, v) for g, v in zip(run.generations, sampling.told, strict=True) if g.evaluated_by == "model"]
    gaps = np.array([v.min() - g.best_value for g, v in predicted])
    assert gaps.min() >= -1e-12
    assert np.any(np.abs(gaps) < 1e-12) == (offset <= 0.0)
    assert np.any(gaps > 1e-3) == (offset >= 0.0)


def test_the_raised_values_keep_their_differences() -> None:
    """What the model predicts and what the strategy is told differ by one number."""
    raw: list[Array] = []

    def lower(predicted: Array, _: int) -> Array:
        raw.append(predicted - 1e3)
        return raw[-1]

    story = Story(g_m=1, judges=False, changed=lower, raised_by=1.0)
    assert story.pattern(2) == "Tm"
    assert story.values is not None
    shift = story.values - raw[-1]
    np.testing.assert_allclose(shift, shift[0], rtol=1e-9)
    assert story.values.min() == pytest.approx(story.archive.best_value)


def test_forgetting_a_run() -> None:
    """What is left of g_m lapses, and the last model is neither used nor judged."""
    story = Story(g_m=3)
    assert story.pattern(2) == "Tm"
    story.control.forget_run()
    assert story.pattern(2) == "Tm"
    assert story.judged == [None, None]


def test_decisions_of_the_trace_are_those_that_were_used() -> None:
    """Each true generation is followed by its g_m; the first model's is 1; errors stay with their generation."""
    run = Run(parts(control=KENDALL, model=Scripted(), sampling=Watched())).until(150, rosenbrock)
    for g, models in zip(run.true[:-1], run.pattern.split("T")[1:-1], strict=True):
        assert len(models) == g.model_generations
    trained = [g for g in run.true if g.fit_status == FitStatus.TRAINED]
    assert trained[0].model_generations == 1
    assert math.isnan(trained[0].error)
    errors = [g.error for g in trained[1:]]
    assert all(0.0 <= e <= 1.0 for e in errors)
    assert len({g.model_generations for g in trained}) > 1


def test_the_last_model_is_replaced_by_each_training() -> None:
    """Also by a failed one; the earlier is handed over, to be judged."""
    model = TrainedModel(ScriptedFit, Whitening(np.zeros(2), np.eye(2)))  # type: ignore[arg-type]
    last = LastModel()
    assert [last.replace(trained) for trained in (None, model, None, model)] == [None, None, model, None]
    assert last.model is model
