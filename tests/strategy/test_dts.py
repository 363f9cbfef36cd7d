"""DTS-CMA-ES as an ask/tell object: what f evaluates, what the second model predicts, what the strategy sees."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from sacma.strategy.archived import ArchivedCMAES
from sacma.strategy.dts import DoublyTrainedCMAES
from sacma.strategy.scmaes import SurrogateCMAES

from sacma.strategy.cma_es import CMAES
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.settings import CMAESSettings, DTSSettings
from sacma.strategy.training import Model
from sacma.surrogate.gaussian_process import FitStatus
from sacma.surrogate.whitening import Array
from tests.strategy.test_forest import without_times
from tests.strategy.test_scmaes import outcomes_of_training, rastrigin, sphere

Told = list[tuple[bytes, float]]


def settings_of(**settings: object) -> DTSSettings:
    """λ as in CMA-ES, unless something else is asked for."""
    return DTSSettings.model_validate({"population_multiple": 1.0, **settings})


def strategy(
    settings: CMAESSettings, D: int, generations: list[Generation], kind: Callable[..., ArchivedCMAES]
) -> ArchivedCMAES:
    rng = np.random.default_rng(1)
    return kind(
        settings,
        initial_point=lambda: rng.uniform(-4, 4, D),
        box=(np.full(D, -5.0), np.full(D, 5.0)),
        rng=rng,
        on_generation=generations.append,
    )


def run(
    settings: CMAESSettings,
    f: Callable[[Array], float],
    D: int,
    evaluations: int,
    kind: Callable[..., ArchivedCMAES] = DoublyTrainedCMAES,
) -> tuple[list[Generation], Told]:
    """Return the generations, and each evaluated point with its value."""
    generations: list[Generation] = []
    told: Told = []
    es = strategy(settings, D, generations, kind)
    while es.true_evaluations < evaluations and not es.stopped:
        points = es.ask()
        values = [f(x) for x in points]
        told += [(np.asarray(x).tobytes(), value) for x, value in zip(points, values, strict=True)]
        es.tell(values)
    return generations, told


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
@pytest.mark.parametrize("f", [sphere, rastrigin])
def test_a_share_of_one_is_cma_es(f: Callable[[Array], float], bounds: str) -> None:
    """With share 1 each point and value is that of CMA-ES with the same seed, to the last bit, over restarts."""
    common = {"bounds": bounds, "evaluate_means": bounds == "penalty", "population_size": 7}
    ours, told = run(DTSSettings.model_validate({"share": 1.0, **common}), f, 2, 2500)
    plain, expected = run(CMAESSettings.model_validate(common), f, 2, 2500, SurrogateCMAES)
    assert told == expected
    assert without_times(ours) == without_times(plain)
    assert ours[-1].restart > 0


def test_few_points_are_evaluated_and_never_none() -> None:
    """Once there is a model f evaluates ⌈α λ⌉ points a generation; before, the whole population."""
    generations, _ = run(settings_of(share=0.3), sphere, 3, 60)
    steps = np.diff([0, *(g.true_evaluations for g in generations)])
    assert {g.evaluated_by for g in generations} == {EvaluatedBy.TRUTH}
    for g, step in zip(generations, steps, strict=True):
        assert step == (3 if g.fit_status == FitStatus.TRAINED else g.population_size)
    assert [g.fit_status for g in generations[:3]] == ["too few points", "too few points", "trained"]


@pytest.mark.parametrize(
    ("settings", "size"), [({}, 14), ({"population_multiple": 1.5}, 10), ({"population_size": 9}, 9)]
)
def test_the_population_is_twice_that_of_cma_es(settings: dict[str, float], size: int) -> None:
    """λ = ⌊2 (4 + 3 ln D)⌋ as published, another multiple, or what is given."""
    generations, _ = run(DTSSettings.model_validate(settings), sphere, 3, 1)
    assert generations[0].population_size == size


def test_it_is_deterministic() -> None:
    """The same seed gives the same points, values and generations, to the last bit."""
    settings = settings_of(adapts_share=True, selection="kmeans")
    (first, told), (second, again) = (run(settings, rastrigin, 3, 200) for _ in range(2))
    assert told == again
    assert without_times(first) == without_times(second)


def test_asking_twice_is_asking_once() -> None:
    """Until it is told, it asks for the same points."""
    es = strategy(settings_of(), 3, [], DoublyTrainedCMAES)
    for _ in range(5):
        np.testing.assert_array_equal(es.ask(), es.ask())
        es.tell([sphere(x) for x in es.ask()])


def test_the_second_model_knows_what_f_has_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is trained on one point more than the first, and the strategy sees true values and its predictions."""
    told: list[Array] = []
    original = CMAES.tell

    def spy(self: CMAES, values: Array) -> None:
        told.append(np.array(values))
        original(self, values)

    monkeypatch.setattr(CMAES, "tell", spy)
    sizes: list[int] = []
    monkeypatch.setattr(
        "sacma.strategy.learners.GaussianProcessLearner.keep", lambda _, fitted, __: sizes.append(len(fitted.inputs))
    )
    es = strategy(settings_of(n_max_factor=1000), 3, [], DoublyTrainedCMAES)
    for _ in range(10):
        points = es.ask()
        values = [sphere(x) for x in points]
        es.tell(values)
        assert set(values) <= set(told[-1].tolist())
        assert len(told[-1]) == 7
        assert np.all(np.isfinite(told[-1]))
    assert len(sizes) == 16
    assert all(second == first + 1 for first, second in zip(sizes[::2], sizes[1::2], strict=True))


@pytest.mark.parametrize("raised", [False, True])
def test_predictions_can_be_raised(monkeypatch: pytest.MonkeyPatch, raised: bool) -> None:  # noqa: FBT001 by name
    """What the strategy sees is never below the best true value where predictions are raised, and often else."""
    below: list[bool] = []
    original = CMAES.tell

    def spy(self: CMAES, values: Array) -> None:
        below.append(float(values.min()) < es.best_value * (1.0 - 1e-12))
        original(self, values)

    monkeypatch.setattr(CMAES, "tell", spy)
    es = strategy(settings_of(raises_predictions=raised), 3, [], DoublyTrainedCMAES)
    for _ in range(40):
        es.tell([sphere(x) for x in es.ask()])
    assert sum(below) > 5 if not raised else not any(below)


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failed_training_leaves_all_to_f(monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    """Where the first or the second training fails, f evaluates the whole population, and the run goes on."""
    outcomes_of_training(monkeypatch, [True, True, *([True] * failing), False])
    generations, told = run(settings_of(), sphere, 3, 40)
    assert len({point for point, _ in told}) == len(told)
    steps = np.diff([0, *(g.true_evaluations for g in generations)])
    assert [g.fit_status for g in generations[:5]] == [*["too few points"] * 2, "trained", "no factor", "trained"]
    assert list(steps[:5]) == [7, 7, 1, 7, 1]


def test_without_a_model_ever_it_is_cma_es(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no training succeeds, the points and values are those of CMA-ES, to the last bit."""
    outcomes_of_training(monkeypatch, [False] * 10_000)
    _, told = run(settings_of(), rastrigin, 2, 1500)
    _, expected = run(CMAESSettings(), rastrigin, 2, 1500, SurrogateCMAES)
    assert told == expected


def test_models_that_cannot_rank_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Predictions that are not finite leave the generation to f."""
    monkeypatch.setattr(Model, "__call__", lambda _, points: np.full(len(points), np.nan))
    generations, _ = run(settings_of(), sphere, 3, 60)
    steps = np.diff([0, *(g.true_evaluations for g in generations)])
    assert set(steps) == {7}


def test_the_archive_survives_a_restart() -> None:
    """After a restart there is a training set at once, where the radius reaches the points of earlier runs."""
    generations, _ = run(settings_of(training_radius=math.inf, share=0.3), rastrigin, 2, 900)
    after = [b for a, b in pairwise(generations) if b.restart > a.restart]
    assert after
    assert all(g.training_set_size == 30 for g in after)


@pytest.mark.parametrize("afresh", [False, True])
def test_starting_afresh_forgets_everything(afresh: bool) -> None:  # noqa: FBT001 pytest passes it by name
    """After the last restart with start_afresh there are too few points again, and the first smoothed error."""
    settings = settings_of(
        training_radius=math.inf,
        adapts_share=True,
        smallest_share=0.5,
        max_restarts=0,
        after_last_restart="start_afresh" if afresh else "start_over",
    )
    generations, _ = run(settings, rastrigin, 2, 900)
    after = [b for a, b in pairwise(generations) if b.restart > a.restart]
    assert after
    for g in after:
        assert (g.fit_status == FitStatus.TOO_FEW_POINTS) == afresh
        assert (g.smoothed_error == 0.05) == afresh


def test_an_adaptive_share_follows_the_error() -> None:
    """Errors and smoothed errors are in the trace, within [0, 1]; hard functions get more evaluations a generation."""
    shares = {}
    for f in (sphere, rastrigin):
        generations, _ = run(settings_of(adapts_share=True), f, 5, 400)
        errors = np.array([g.error for g in generations if not math.isnan(g.error)])
        assert len(errors) > 10
        assert np.all((errors >= 0.0) & (errors <= 1.0))
        assert all(0.0 <= g.smoothed_error <= 1.0 for g in generations)
        steps = np.diff([0, *(g.true_evaluations for g in generations)])
        shares[f] = np.mean(steps / [g.population_size for g in generations])
    assert shares[sphere] < 0.5 * shares[rastrigin]


def test_end_reports_a_part_of_a_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    """``end`` archives and reports what was evaluated, be it of the first points or of those after a failure."""
    outcomes_of_training(monkeypatch, [True, False])
    generations: list[Generation] = []
    es = strategy(settings_of(share=0.3), 3, generations, DoublyTrainedCMAES)
    for _ in range(3):
        es.tell([sphere(x) for x in es.ask()])
    assert len(generations) == 2
    points = es.ask()
    assert len(points) == 4  # the rest of the seven, of which three are known
    es.end([sphere(x) for x in points[:2]])
    assert es.true_evaluations == generations[-1].true_evaluations == 7 + 7 + 3 + 2
    assert len(generations) == 3


def test_end_without_values_reports_nothing() -> None:
    """Of a population of which f has seen nothing there is nothing to say."""
    generations: list[Generation] = []
    es = strategy(settings_of(), 3, generations, DoublyTrainedCMAES)
    es.ask()
    es.end([])
    assert not generations


def test_end_between_batches_reports_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the second training has failed and nothing more is evaluated, the generation is reported as it is."""
    outcomes_of_training(monkeypatch, [True, False])
    generations: list[Generation] = []
    es = strategy(settings_of(), 3, generations, DoublyTrainedCMAES)
    for _ in range(3):
        es.tell([sphere(x) for x in es.ask()])
    es.ask()
    es.end([])
    assert generations[-1].true_evaluations == es.true_evaluations == 15
    assert len(generations) == 3


@pytest.mark.parametrize(
    "f",
    [
        lambda _: 3.0,
        lambda x: float(np.sign(x[0])),
        lambda x: 1e308 * float(np.tanh(x[0])),
        lambda x: math.inf if x[0] > 1 else float(x[0]),
    ],
)
@pytest.mark.parametrize("criterion", ["ranking_difference", "variance", "improvement"])
def test_survives_degenerate_objectives(f: Callable[[Array], float], criterion: str) -> None:
    """Constant, two-valued, huge and infinite objectives raise nothing, and evaluations go on."""
    settings = settings_of(criterion=criterion, adapts_share=True)
    assert len(run(settings, f, 2, 150)[1]) >= 150
