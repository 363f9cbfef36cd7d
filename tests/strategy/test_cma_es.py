"""The wrapper of pycma: randomness, bounds and the space of the distribution."""

from collections.abc import Sequence
from dataclasses import replace

import cma
import numpy as np
import pytest

from sacma.strategy.cma_es import CMAES, LEAST_SHARE, CMAESSampling, default_population_size
from sacma.strategy.restarts import Start
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Context
from sacma.types import Array
from tests.cells import Cells
from tests.strategy.judged import box

D = 5


def begun(settings: CMAESSampling, *, seed: int = 11) -> CMAES:
    context = box(D, seed=seed)
    return CMAES(context.rng.uniform(-4, 4, D), 8, settings, context)


def run(settings: CMAESSampling, generations: int, f: object = lambda x: float(np.sum((x - 4.9) ** 2))) -> CMAES:
    es = begun(settings)
    assert callable(f)
    for _ in range(generations):
        es.tell(np.array([f(x) for x in es.ask()]))
    return es


def test_a_matrix_that_is_none_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative variance, of which pycma makes an error, is the end of a run; other errors are raised."""
    es = begun(CMAESSampling())
    values = np.array([np.sum(x**2) for x in es.ask()])
    message = "A sampler variance has become negative after the update"

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError(message)

    monkeypatch.setattr(es._es, "tell", fails)
    assert es.stop() == ()
    es.tell(values)
    assert es.stop() == ("variance",)
    message = "tell can only be called once per iteration"
    with pytest.raises(RuntimeError, match=message):
        es.tell(values)


@pytest.mark.parametrize("bounds", ["penalty", "transform"])
def test_proposed_points_are_in_the_box(bounds: str) -> None:
    """With bounds, f never sees a point outside, and an optimum near the border is found."""
    seen: list[Array] = []

    def f(x: Array) -> float:
        seen.append(x)
        return float(np.sum((x - 4.9) ** 2))

    run(CMAESSampling.model_validate({"bounds": bounds}), 150, f)
    assert np.abs(np.array(seen)).max() <= 5.0
    assert min(np.sum((x - 4.9) ** 2) for x in seen) < 1e-8


def test_a_plateau_is_no_end_of_a_penalised_run() -> None:
    """The penalty of pycma raises where the first values are equal, or all but one: here the run goes on."""
    for values in (np.zeros(8), np.arange(8.0) == 0, np.array([np.inf] + [1.0] * 7)):
        es = CMAES(np.full(4, 4.9), 8, CMAESSampling(bounds="penalty"), box(4))
        es.ask()
        es.tell(np.asarray(values, dtype=float))
        X = es.ask()
        es.tell(np.array([x @ x for x in X]))
        assert np.isfinite(es.sigma)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 7], 7.0),
        ([0] * 8, 1.0),
        (range(8), 4.0),
        ([0, 0, 0, 1, 1, 1, 1, 9], 1.0),
        ([0, 0, 1, 1, 1, 1, 1, 9], 9.0),
        ([0, 0, 0, 0, 0, 0, 5, 9], 5.0),
        ([3, 4, 4, 4, 4, 9], 5.0),
        ([3, 4, 5, 5, 5, 5, 9], 4.0),
    ],
)
def test_the_first_scale_of_the_penalty(values: Sequence[float], scale: float) -> None:
    """The interquartile range over the mean variance; where that is 0, the range, or 1."""
    es = CMAES(np.full(4, 4.9), len(values), CMAESSampling(bounds="penalty", sigma0=0.5), box(4))
    es.ask()
    es.tell(np.array(values, dtype=float))
    assert es._es.boundary_handler.hist[-1] == pytest.approx(scale / 0.25, rel=1e-4)


@pytest.mark.parametrize("bounds", ["penalty", "transform"])
def test_bounds_in_one_dimension(bounds: str) -> None:
    """There, too, points stay within the box, and σ begins with no more than a third of its width."""
    assert float(eval(cma.CMAOptions.defaults()["maxstd_boundrange"].split("#")[0])) == pytest.approx(1 / 3)  # noqa: S307
    for upper in (0.5, np.inf):
        settings = CMAESSampling.model_validate({"bounds": bounds, "sigma0": 100.0})
        context = Context(1, (np.zeros(1), np.array([upper])), np.random.default_rng(0))
        es = CMAES(np.zeros(1), 6, settings, context)
        assert es.sigma == (0.5 / 3 if upper == 0.5 else 100.0)
        seen: list[Array] = []
        for _ in range(60):
            X = es.ask()
            seen += list(X)
            es.tell(np.array([(x[0] - 0.7) ** 2 for x in X]))
        assert np.all((np.array(seen) >= 0.0) & (np.array(seen) <= upper))
        assert min(abs(x[0] - min(0.7, upper)) for x in seen) < 1e-3


def test_coordinates_stay_however_ill_conditioned() -> None:
    """Beyond a condition number of 1e12 pycma would change coordinates: samples stay where f sees them."""
    rng = np.random.default_rng(2)
    es = CMAES(np.ones(3), 12, CMAESSampling(), box(3, seed=2))
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    condition = 0.0
    for _ in range(1000):
        X = es.ask()
        np.testing.assert_allclose(es.sampled, np.asarray(X), rtol=1e-12, atol=1e-300)
        eigenvalues = np.linalg.eigvalsh(es.state().C)
        condition = max(condition, eigenvalues[-1] / eigenvalues[0])
        es.tell(np.array([(np.array([1.0, 1e7, 1e14]) * (rotation @ x)) @ (rotation @ x) for x in X]))
        if es.stop():
            break
    assert condition > 1e12


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
def test_injected_points_are_in_the_next_population(bounds: str) -> None:
    """Points near m as they are, far ones in their direction; f sees them within the bounds."""
    es = begun(CMAESSampling.model_validate({"bounds": bounds}))
    for _ in range(3):
        es.tell(np.array([np.sum(x**2) for x in es.ask()]))
    whitening = es.whitening()
    near, far = whitening.inverse(np.array([[0.5] * D, [100.0] * D]))
    es.inject([near, far])
    proposed = np.array(es.ask())
    np.testing.assert_allclose(es.sampled[0], near, rtol=1e-9)
    direction = whitening(es.sampled[[1]])[0]
    np.testing.assert_allclose(direction / np.linalg.norm(direction), np.full(D, D**-0.5), rtol=1e-6)
    assert np.linalg.norm(direction) < np.sqrt(D) + 6
    seen, learned = es.place(np.array([near, far]))
    np.testing.assert_allclose(proposed[0], seen[0], rtol=1e-9)
    np.testing.assert_array_equal(learned, [near, far])
    assert bounds == "none" or np.abs(seen).max() <= 5.0
    es.tell(np.arange(8.0))
    assert len(es.ask()) == 8


@pytest.mark.parametrize(
    ("settings", "growth", "size"),
    [
        ({}, 1.0, 8),
        ({}, 4.0, 32),
        ({"population_multiple": 2.0}, 1.0, 17),
        ({"population_multiple": 1.5}, 2.0, 26),
        ({"population_size": 9}, 2.0, 18),
    ],
)
def test_population_sizes(settings: dict[str, float], growth: float, size: int) -> None:
    """⌊multiple (4 + 3 ln D)⌋, or what is given, times the growth of the restarts."""
    es = CMAESSampling.model_validate(settings).start(Start(growth), np.zeros(D), box(D))
    assert es.population_size == len(es.ask()) == size
    assert default_population_size(D) == 8


@pytest.mark.parametrize(("bounds", "expected"), [("none", [9.0, 0.0, -7.0]), ("penalty", [5.0, 0.0, -5.0])])
def test_the_mean_is_as_f_sees_it(bounds: str, expected: list[float]) -> None:
    """Repaired where there are bounds."""
    es = CMAES(np.array([9.0, 0.0, -7.0]), 7, CMAESSampling.model_validate({"bounds": bounds}), box(3))
    np.testing.assert_array_equal(es.mean, expected)
    np.testing.assert_array_equal(es.initial_point, [9.0, 0.0, -7.0])


@pytest.mark.parametrize("bounds", ["none", "penalty", "transform"])
@pytest.mark.parametrize("D", [1, 4])
def test_discrete_coordinates_keep_a_least_deviation(bounds: str, D: int) -> None:
    """A fifth of a cell, where σ goes to 0 otherwise; models see the centres of cells where these are cells of m."""
    grid = Cells(0.1)
    context = Context(D, (np.zeros(D), np.ones(D)), np.random.default_rng(1), grid)
    es = CMAES(np.full(D, 0.4), 8, CMAESSampling.model_validate({"bounds": bounds, "sigma0": 0.2}), context)
    for _ in range(150):
        X = grid.centred(np.array(es.ask()))
        es.tell(np.sum((X - 0.75) ** 2, axis=1))
    es.ask()
    deviations = np.sqrt(np.diag(np.linalg.inv(es.whitening().to_white.T @ es.whitening().to_white)))
    assert deviations[0] >= LEAST_SHARE * 0.1 * (1 - 1e-6)
    assert D == 1 or np.all(deviations[1:] < 1e-3)
    assert (es.whitening().grid is None) == (bounds == "transform")


class LastCells:
    """Cells in the last coordinate alone."""

    def centred(self, points: Array) -> Array:
        """Return the centres."""
        return np.column_stack([points[..., :-1], 0.1 * np.round(points[..., -1:] / 0.1)])

    def widths(self, point: Array) -> Array:
        """Return the widths."""
        return np.append(np.zeros(len(point) - 1), 0.1)


@pytest.mark.parametrize(("D", "size", "share"), [(4, 8, 0.2), (30, 5, None)])
def test_the_least_deviation_is_of_the_coordinate_with_cells(D: int, size: int, share: float | None) -> None:
    """A fifth of a cell, in high dimensions μ_eff/D of it; the others go to 0, and there is none without cells."""
    for grid in (LastCells(), None):
        context = Context(D, (np.zeros(D), np.ones(D)), np.random.default_rng(1), grid)
        es = CMAES(np.full(D, 0.4), size, CMAESSampling(sigma0=1e-6), context)
        for _ in range(3):
            es.ask()
            es.tell(np.arange(float(size)))
        es.ask()
        mueff = es.state().constants.mueff
        least = 0.1 * (mueff / D if share is None else share)
        root = np.linalg.inv(es.whitening().to_white)
        deviations = np.sqrt(np.diag(root @ root.T))
        assert (deviations[-1] >= least * (1 - 1e-6)) == (grid is not None)
        assert deviations[-1] < 1.5 * least
        assert size < D or np.all(deviations[:-1] < least)


def known(values: Sequence[float]) -> Archive:
    archive = Archive(D)
    archive.add(np.random.default_rng(2).normal(size=(len(values), D)), np.array(values, dtype=float))
    return archive


@pytest.mark.parametrize("tolerances", ["absolute", "relative"])
@pytest.mark.parametrize(
    ("sigma", "grid", "narrow"), [(1e-3, None, False), (1e-6, None, True), (1e-3, Cells(0.1), True)]
)
def test_tolerances_are_relative(tolerances: str, sigma: float, grid: Cells | None, *, narrow: bool) -> None:
    """To the values, two roundings of the least, where the run is narrow 10⁻¹² of their spread, too; and to σ₀."""
    context = replace(box(D), grid=grid)
    es = CMAES(np.ones(D), 8, CMAESSampling.model_validate({"tolerances": tolerances, "sigma0": sigma}), context)
    usual = {key: es._es.opts[key] for key in ("tolfun", "tolfunhist", "tolx", "tolxstagnation")}
    es.scale_tolerances(50.0, known([-7e6, 1e9, 3e9]))
    found = {key: es._es.opts[key] for key in usual}
    if tolerances == "absolute":
        assert found == usual
        assert usual["tolx"] > 0.0
        return
    assert usual["tolx"] == usual["tolfun"] == usual["tolfunhist"] == 0.0
    rounding = 2.0 * 2.0**-52 * 7e6
    assert found["tolfun"] == pytest.approx(rounding + (1e-12 * (1e9 + 7e6) if narrow else 0.0))
    assert found["tolfunhist"] == pytest.approx(found["tolfun"] / 10.0)
    assert found["tolx"] == pytest.approx(2e-10)
    np.testing.assert_allclose(found["tolxstagnation"], [2e-8, 20, 0.1])


def test_what_the_distribution_is_like() -> None:
    """σ and axes are those of σ²C; samples besides the population have its mean and covariance."""
    es = run(CMAESSampling(), 40, lambda x: float(np.sum(x**2 * np.arange(1.0, D + 1.0) ** 4)))
    es.ask()
    state = es.state()
    variances = np.linalg.eigvalsh(state.sigma**2 * state.C)
    assert es.sigma == state.sigma
    assert es.axis_ratio == pytest.approx(np.sqrt(variances[-1] / variances[0]))
    assert es.largest_deviation == pytest.approx(np.sqrt(variances[-1]))
    white = es.whitening()(np.vstack([es.sample() for _ in range(500)]))
    assert np.abs(white.mean(axis=0)).max() < 0.1
    np.testing.assert_allclose(np.cov(white.T), np.eye(D), atol=0.1)


def test_the_best_of_the_last_population() -> None:
    """As f sees it; before the first, x₀ with an infinite value."""
    es = CMAES(np.full(D, 4.9), 8, CMAESSampling(bounds="penalty"), box(D))
    point, value = es.recent_best
    np.testing.assert_array_equal(point, np.full(D, 4.9))
    assert value == np.inf
    proposed = np.array(es.ask())
    es.tell(np.array([3.0, 2.0, 5.0, 1.0, 4.0, 9.0, 8.0, 7.0]))
    np.testing.assert_array_equal(es.recent_best[0], proposed[3])
    assert es.recent_best[1] == 1.0


def test_a_point_takes_the_place_of_another() -> None:
    """Of one alone, as f sees it and as models learn it; a far one moves the mean less than it would by itself."""
    es = begun(CMAESSampling(bounds="penalty"))
    proposed, sampled = np.array(es.ask()), es.sampled.copy()
    seen, learned = np.full(D, 5.0), np.full(D, 90.0)
    es.replace(2, seen, learned)
    np.testing.assert_array_equal(es.proposed, [*proposed[:2], seen, *proposed[3:]])
    np.testing.assert_array_equal(es.sampled, [*sampled[:2], learned, *sampled[3:]])
    state, whitening = es.state(), es.whitening()
    es.tell(np.arange(8.0) % 6 + (np.arange(8) != 2) * 1.0)
    length = np.linalg.norm(whitening(es._es.mean[None]))
    assert length <= state.constants.weights[0] * (np.sqrt(D) + 2 * D / (D + 2)) + 4.0
