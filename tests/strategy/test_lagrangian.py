"""The augmented Lagrangian: its value and slopes, its coefficients, and runs that it ranks."""

from pathlib import Path

import numpy as np
import pytest

from sacma.strategy.lagrangian import STEEPNESS, Lagrangian, violations
from sacma.strategy.pycma import pycma
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.types import Array
from tests.strategy.runs import parts

RNG = np.random.default_rng(7)
EQUALITIES = [False, True, False]


def merit_of(multipliers: list[float], penalties: list[float]) -> Lagrangian:
    merit = Lagrangian(2, EQUALITIES)
    merit.multipliers, merit.penalties = np.array(multipliers), np.array(penalties)
    return merit


def outcomes_of(points: Array) -> Array:
    """The sphere around (1, 1), where x₀ + x₁ ≤ 1, x₀ = x₁ and x₁ ≤ 5."""
    x, y = np.asarray(points).T
    return np.column_stack([(x - 1.0) ** 2 + (y - 1.0) ** 2, x + y - 1.0, x - y, y - 5.0])


def test_it_is_pycmas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value at each point is f and pycma's own penalties, whatever the coefficients."""
    pycma()
    monkeypatch.chdir(tmp_path)  # pycma's makes a folder
    from cma.constraints_handler import AugmentedLagrangian  # noqa: PLC0415 loaded with pycma

    for _ in range(20):
        multipliers, penalties = RNG.normal(size=3), RNG.uniform(0.1, 3, size=3)
        multipliers[[0, 2]] = np.abs(multipliers[[0, 2]])
        theirs = AugmentedLagrangian(2, np.array(EQUALITIES))
        theirs.lam, theirs.mu = multipliers, penalties
        outcomes = RNG.normal(size=(9, 4))
        expected = [each[0] + sum(theirs(each[1:])) for each in outcomes]
        found = merit_of(multipliers.tolist(), penalties.tolist())(outcomes)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_its_updates_are_pycmas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """λ and μ by f and the constraints at the centre of each generation; μ is at least twice |λ| over their spread."""
    pycma()
    monkeypatch.chdir(tmp_path)
    from cma.constraints_handler import AugmentedLagrangian  # noqa: PLC0415 loaded with pycma

    theirs, ours = AugmentedLagrangian(2, np.array(EQUALITIES)), Lagrangian(2, EQUALITIES)
    rng = np.random.default_rng(4)
    for n in range(12):
        population = outcomes_of(rng.normal(size=(9, 2)) / (n + 1))
        centre = population.mean(axis=0)
        if not theirs.is_initialized:
            theirs.set_coefficients(population[:, 0], population[:, 1:])
        for outcome in (*population, centre):
            theirs(outcome[1:])
        theirs.update(centre[0], centre[1:])
        assert ours.update(population, centre)
        np.testing.assert_allclose(ours.multipliers, theirs.lam)
        steep = 2.0 * np.abs(theirs.lam) / np.std(population[:, 1:], axis=0)
        np.testing.assert_allclose(ours.penalties, np.fmax(theirs.mu, steep))
    assert np.all(ours.multipliers[:2] != 0.0)


def test_slopes_are_its_derivatives() -> None:
    """By each outcome, on both sides of where a constraint counts."""
    merit = merit_of([0.5, -0.7, 0.0], [2.0, 1.0, 3.0])
    outcomes = RNG.normal(size=(40, 4))
    for column in range(4):
        shift = 1e-6 * np.eye(4)[column]
        differences = (merit(outcomes + shift) - merit(outcomes - shift)) / 2e-6
        np.testing.assert_allclose(merit.slopes(outcomes)[:, column], differences, atol=1e-5)


def test_no_coefficients_no_penalty() -> None:
    """Before the first update it is f, and an infinite failure no warning."""
    merit = Lagrangian(2, EQUALITIES)
    assert merit(np.array([[3.0, 1.0, 1.0, 1.0]])) == [3.0]
    assert not np.isfinite(merit(np.full((1, 4), np.inf))[0])


def test_violations() -> None:
    """The largest of g and |h|; an equality has a tolerance, an inequality none."""
    G = np.array([[1e-300, 0, 0], [0, 1e-6, -1], [0, -1.1e-6, 0], [-3, -2, 1], [0, 0, np.inf]])
    np.testing.assert_array_equal(violations(G, EQUALITIES), [1e-300, 0, 1.1e-6, 2, np.inf])
    assert violations(np.empty((2, 0)), []).tolist() == [0.0, 0.0]


def test_multipliers_converge() -> None:
    """That of the sphere's optimum in a half-plane, from updates alone; an inactive constraint has no slope there."""
    es = strategy_of(parts(), [False, False])
    for _ in range(150):
        es.tell(outcomes_of(np.array(es.ask()))[:, [0, 1, 3]])
    assert es._merit is not None
    np.testing.assert_allclose(es._sampling.mean, [0.5, 0.5], atol=1e-3)
    slopes = es._merit.slopes(outcomes_of(np.array([[0.5, 0.5]]))[:, [0, 1, 3]])
    np.testing.assert_allclose(slopes, [[1.0, 1.0, 0.0]], atol=0.2)
    assert 0.5 <= es.best_value < 0.501


def test_multipliers_that_models_foresee() -> None:
    """They are taken at the next update and kept; penalties are steep where they count, and only there."""
    merit = Lagrangian(2, EQUALITIES)
    population = outcomes_of(RNG.normal(size=(50, 2)))
    assert merit.update(population, population[0])
    merit.set_multipliers(np.array([1e4, -2e4, 0.0]))
    usual = merit.penalties[2]
    assert merit.update(population, population[0])
    np.testing.assert_array_equal(merit.multipliers, [1e4, -2e4, 0.0])
    spreads = np.std(population[:, 1:3], axis=0)
    np.testing.assert_allclose(merit.penalties[:2], STEEPNESS * np.array([1e4, 2e4]) / spreads)
    assert merit.penalties[2] <= 2 * usual
    merit.update(population, population[0])
    assert merit.multipliers[0] == 1e4


def strategy_of(settings: StrategySettings, equalities: list[bool]) -> SurrogateStrategy:
    rng, starts = np.random.default_rng(1), np.random.default_rng(2)
    box = np.full(2, -3.0), np.full(2, 3.0)
    return SurrogateStrategy(
        settings, initial_point=lambda: starts.uniform(-1, 1, size=2), box=box, rng=rng, equalities=equalities
    )


def test_with_fixed_coefficients_it_is_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is that of minimising the Lagrangian itself, to the bit."""
    monkeypatch.setattr(Lagrangian, "update", lambda *_: False)
    ours, plain = strategy_of(parts(), EQUALITIES), strategy_of(parts(), [])
    merit = merit_of([1.0, 0.3, 0.0], [2.0, 1.0, 1.0])
    ours._merit.multipliers, ours._merit.penalties = merit.multipliers, merit.penalties  # type: ignore[union-attr]
    for _ in range(40):
        points = ours.ask()
        np.testing.assert_array_equal(points, plain.ask())
        outcomes = outcomes_of(np.array(points))
        ours.tell(outcomes)
        plain.tell(merit(outcomes))


def test_the_archive_is_measured_again() -> None:
    """Its values are those of the coefficients after each generation, and its outcomes what was told."""
    es = strategy_of(parts(), EQUALITIES)
    for _ in range(10):
        es.tell(outcomes_of(np.array(es.ask())))
        archive = es._archive
        np.testing.assert_array_equal(archive.values, es._merit(archive.outcomes))  # type: ignore[misc]
        assert archive.best_value == archive.values.min()
    assert es._merit is not None
    assert np.all(es._merit.penalties > 0)
    kept = violations(archive.outcomes[:, 1:], EQUALITIES)
    assert archive.standing == min(zip(kept, archive.outcomes[:, 0], strict=True))


def test_what_is_told_has_m_constraints() -> None:
    """A row for each point; failed ones are infinite, and no model sees them."""
    es = strategy_of(parts(), EQUALITIES)
    points = np.array(es.ask())
    for wrong in (np.zeros(len(points)), np.zeros((len(points), 3)), np.full((len(points), 4), np.nan)):
        with pytest.raises(ValueError, match="values are"):
            es.tell(wrong)
    outcomes = outcomes_of(points)
    outcomes[0] = np.inf
    es.tell(outcomes)
    assert len(es._archive) == len(points) - 1
    assert es.best_value == np.inf  # no equality is kept
