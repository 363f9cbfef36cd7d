"""The model's optimum as a proposal: where it lies, when there is none, and that it pays."""

from collections.abc import Callable

import numpy as np
import pytest

from sacma.strategy.proposals import ModelOptimum, NoProposals, optimum
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Context
from sacma.surrogate.training_set import Whitening
from sacma.types import Array
from tests.strategy.runs import Run, Watched, generations, parts

WHITENING = Whitening(np.array([2.0, -1.0]), np.array([[2.0, 1.0], [0.0, 0.5]]))


class Predicting:
    """A model that is a function of the whitened inputs."""

    def __init__(self, function: Callable[[Array], Array]) -> None:
        self.predict = function


def proposed(function: Callable[[Array], Array], best: tuple[float, float], radius: float = 3.0) -> Array:
    """Return the proposal, whitened; the best known point is at ``best`` there."""
    archive = Archive(2)
    archive.add(WHITENING.inverse(np.array([[9.0, 9.0], best])), np.array([1.0, 0.0]))
    model = TrainedModel(Predicting(function), WHITENING)  # type: ignore[arg-type]
    return WHITENING(optimum(model, archive, radius))


def bowl(center: tuple[float, float], scale: float = 1.0, offset: float = 0.0) -> Callable[[Array], Array]:
    return lambda z: np.asarray(offset + scale * np.sum((z - center) ** 2, axis=1))


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e250])
def test_it_is_the_optimum_of_the_model(scale: float) -> None:
    """Whatever the scale of the values, and whatever their offset."""
    np.testing.assert_allclose(proposed(bowl((1.0, -0.5), scale), (2.0, 2.0)), [[1.0, -0.5]], atol=1e-5)
    np.testing.assert_allclose(proposed(bowl((1.0, -0.5), 1.0, 1e6), (2.0, 2.0)), [[1.0, -0.5]], atol=1e-2)


@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_it_stays_within_the_radius(radius: float) -> None:
    """Of m, in each coordinate of the whitened space; a best point further away is no start."""
    np.testing.assert_allclose(proposed(bowl((10.0, -0.25)), (20.0, 0.0), radius), [[radius, -0.25]], atol=1e-5)


def test_it_is_found_from_the_best_known_point() -> None:
    """A local search: of two optima the one near it."""

    def double(z: Array) -> Array:
        return np.asarray((z[:, 0] ** 2 - 4.0) ** 2 + z[:, 1] ** 2)

    for side in (-1.0, 1.0):
        np.testing.assert_allclose(proposed(double, (1.5 * side, 0.5)), [[2.0 * side, 0.0]], atol=1e-3)


@pytest.mark.parametrize(
    "function",
    [
        lambda z: np.zeros(len(z)),
        bowl((1.0, 1.0)),
        lambda z: np.full(len(z), np.nan),
        lambda z: np.full(len(z), np.inf),
        lambda z: np.where(z[:, 0] > 0.5, 1.7e308, -1.7e308),
    ],
)
def test_there_is_none_where_nothing_is_lower(function: Callable[[Array], Array]) -> None:
    """Flat and broken models, and those whose optimum is known."""
    assert proposed(function, (1.0, 1.0)).shape == (0, 2)


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
def test_proposals_are_evaluated_within_the_bounds_and_injected(bounds: str) -> None:
    """With the optimum outside of the box f sees them repaired; the archive and CMA-ES have them as proposed."""
    sampling = Watched.model_validate({"bounds": bounds})
    run = Run(parts(control=generations(1), sampling=sampling, proposals={"name": "model-optimum"}))
    run.until(120, lambda x: float(np.sum((x - 6.0) ** 2)))
    alone = np.array([points[0] for points in run.asked if len(points) == 1])
    injected = np.array(sampling.runs[0].injected)
    assert len(alone) == len(injected) > 2
    np.testing.assert_allclose([sampling.runs[0].place(x[None])[0][0] for x in injected], alone)
    assert np.abs(injected).max() > 5.0
    assert bounds == "none" or np.abs(run.points).max() <= 5.0


def test_it_follows_its_success() -> None:
    """In every generation while three tenths of the latest were better than all before; then seldom, but never not."""
    proposer = ModelOptimum(follows_success=True).build(Context(2, (np.zeros(2), np.ones(2)), np.random.default_rng(0)))
    archive = Archive(2)
    archive.add(WHITENING.inverse(np.array([[1.0, 1.0]])), np.array([1.0]))
    model = TrainedModel(Predicting(bowl((0.0, 0.0))), WHITENING)  # type: ignore[arg-type]

    def proposals(generations: int, value: float) -> list[bool]:
        made = []
        for _ in range(generations):
            points = proposer.propose(model, archive)
            made.append(len(points) == 1)
            if made[-1]:
                proposer.learn([(0.0, value)], (0.0, 1.0))
        return made

    assert all(proposals(20, 0.5))
    assert all(proposals(5, 1.0))  # 0.8⁵ is above three tenths
    assert sum(proposals(300, 1.0)) in range(27, 36)  # about one in ten
    assert sum(proposals(60, 0.5)) > 40  # and back again
    assert all(proposals(10, 0.5))


def test_without_proposals_there_is_no_point() -> None:
    """An array of none, as wide as points are."""
    model = TrainedModel(Predicting(bowl((0.0, 0.0))), WHITENING)  # type: ignore[arg-type]
    assert NoProposals().propose(model, Archive(5)).shape == (0, 5)
