"""Training: sizes by dimension, what is kept, and how it ends."""

import numpy as np
import pytest

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.restarts import Start
from sacma.strategy.training import RanksPopulation, Trainer, TrainingSetSettings, can_rank
from sacma.surrogate.archive import Archive
from sacma.surrogate.model import FitStatus
from tests.strategy.judged import box
from tests.strategy.runs import Scripted, sphere

D = 2


def trainer(
    script: tuple[FitStatus, ...] = (), *, constant: bool = False, **settings: object
) -> tuple[Trainer, Scripted]:
    part = Scripted(script=script, changed=lambda predicted, _: 0.0 * predicted if constant else predicted)
    context = box(D)
    return Trainer(TrainingSetSettings(**settings), part.build(context), RanksPopulation(), context.rng), part  # type: ignore[arg-type]


def archive_of(points: int) -> Archive:
    archive = Archive(D)
    X = np.random.default_rng(1).standard_normal((points, D))
    archive.add(X, np.array([sphere(x) for x in X]))
    return archive


@pytest.fixture
def run() -> CMAES:
    es = CMAES(np.zeros(D), 6, CMAESSampling(sigma0=1.0), box(D))
    es.ask()
    return es


@pytest.mark.parametrize(("points", "expected"), [(5, 0), (6, 6), (29, 29), (40, 30)])
def test_sizes_grow_with_the_dimension(run: CMAES, points: int, expected: int) -> None:
    """n_req = 3 D, n_max = 15 D; with fewer there is no training."""
    of, part = trainer()
    training = of.train(archive_of(points), run)
    assert training.size == expected
    assert training.details()["training_set_size"] == expected
    assert training.status == (FitStatus.TRAINED if expected else FitStatus.TOO_FEW_POINTS)
    assert len(part.built[0].sets) == (expected > 0)


@pytest.mark.parametrize("plausible", [False, True])
def test_huge_values_are_left_out(run: CMAES, *, plausible: bool) -> None:
    """Where the settings say so."""
    archive = archive_of(20)
    archive.add(np.array([[0.5, 0.5]]), np.array([1e10]))
    training = trainer(plausible=plausible)[0].train(archive, run)
    assert training.size == 20 + (not plausible)


@pytest.mark.parametrize(("factor", "offset"), [(3, 2), (4, 0), (2, 4)])
def test_as_many_are_required_as_are_plausible(run: CMAES, factor: int, offset: int) -> None:
    """n_req = n_req_factor D + n_req_offset, 8 in 2-D, of the points in reach, and of those with plausible values."""
    for plausible, huge in ((False, 0), (True, 1)):
        for points, size in ((7, 0), (8, 8 + (not plausible) * huge)):
            archive = archive_of(points)
            archive.add(np.array([[0.5, 0.5]])[:huge], np.array([1e10])[:huge])
            of, _ = trainer(plausible=plausible, n_req_factor=factor, n_req_offset=offset)
            training = of.train(archive, run)
            assert training.size == size
            assert (training.status == FitStatus.TRAINED) == (size > 0)


def test_the_model_predicts_with_the_whitening_of_its_own_generation(run: CMAES) -> None:
    """Whatever the distribution has become since."""
    of, part = trainer()
    model = of.train(archive_of(20), run).model
    assert model is not None
    whitening, points = run.whitening(), run.sampled.copy()
    run.tell(np.arange(6.0))
    run.ask()
    np.testing.assert_array_equal(model(points), part.built[0].fitted[0].predict(whitening(points)))
    np.testing.assert_array_equal(
        model.posterior(points, joint=True).mean, part.built[0].fitted[0].posterior(whitening(points)).mean
    )


def test_what_is_rejected_is_not_kept(run: CMAES) -> None:
    """Nor what failed; both say why."""
    for of, part, status in (
        (*trainer(constant=True), FitStatus.CONSTANT_PREDICTION),
        (*trainer((FitStatus.NO_FACTOR,)), FitStatus.NO_FACTOR),
    ):
        training = of.train(archive_of(20), run)
        assert (training.status, training.model, training.size) == (status, None, 20)
        assert training.details() == {"training_set_size": 20, "fit_status": status}
        assert part.built[0].kept == []
    of, part = trainer()
    training = of.train(archive_of(20), run)
    assert part.built[0].events == "fk"
    assert training.details()["searched_from"] == "several starts"
    of.forget()
    assert part.built[0].events == "fkx"


def test_predictions_have_one_value_a_point(run: CMAES) -> None:
    """A model of a user that returns a column, or too few, is an error: its ranking would be wrong without a word."""
    part = Scripted(changed=lambda predicted, _: predicted[:, None])
    of = Trainer(TrainingSetSettings(), part.build(box(D)), RanksPopulation(), np.random.default_rng(1))
    with pytest.raises(ValueError, match=r"ScriptedFit gave numbers of shape \(\d+, 1\); allowed: shape \(\d+,\)"):
        of.train(archive_of(20), run)


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([1.0, 2.0], True),
        ([1.0, 1.0], False),
        ([0.0, 0.0], False),
        ([1.0, 1.0 + 2.0**-52], False),
        ([1.0, 1.0 + 4 * 2.0**-52], False),
        ([1.0, 1.0 + 5 * 2.0**-52], True),
        ([-1.0 - 5 * 2.0**-52, -1.0], True),
        ([-1e9, -1e9 - 1e-7], False),
        ([np.nan, 1.0], False),
        ([1.0, np.inf], False),
        ([-np.inf, 1.0], False),
        ([-1.7e308, 1.7e308], True),
    ],
)
def test_predictions_rank_where_they_are_finite_and_differ(predicted: list[float], *, expected: bool) -> None:
    """By more than rounding."""
    assert can_rank(np.array(predicted)) is expected


def test_a_model_is_judged_by_the_population_as_sampled() -> None:
    """Where the whole of it is repaired to one corner, it still has different points."""
    run = CMAESSampling(bounds="penalty").start(Start(1.0), np.full(2, 50.0), box(2))
    run.ask()
    assert len(np.unique(run.proposed, axis=0)) == 1
    judge = RanksPopulation().judge
    assert judge(lambda x: x[:, 0], run, np.zeros(1)) == FitStatus.TRAINED
    assert judge(lambda x: 0.0 * x[:, 0], run, np.zeros(1)) == FitStatus.CONSTANT_PREDICTION
