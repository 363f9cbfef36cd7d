"""Where f does not change from call to call, it is called once at a point."""

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.search import MOST_IN_A_ROW, KnownValues
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.whitening import Array
from tests.optimize.runs import bits
from tests.optimize.simulated import Simulated, without_waiting

METHODS = ["sacma", "dts-cmaes", "ada-kendall", "cmaes", "lq-cma-es", "cobyla", "nelder-mead", "cobyqa"]


def slope(x: Array) -> float:
    """The best point of a box is a corner, onto which most points beyond are moved."""
    return float(np.sum(x))


def distinct(points: Array) -> int:
    return len({point.tobytes() for point in points})


@pytest.mark.parametrize("method", METHODS)
def test_a_corner_is_evaluated_once(method: str) -> None:
    """And all of the budget is for others."""
    result = sacma.minimize(slope, bounds=[(0, 1)] * 2, budget=40, method=method, seed=1)
    assert distinct(result.history.points) == result.nfev == 40
    assert result.fun < 0.1
    assert max(g.true_evaluations for g in result.history.generations) <= 40


@pytest.mark.parametrize("method", METHODS)
def test_a_point_of_the_archive_is_not_evaluated(method: str) -> None:
    """Nor x₀, where it is there."""
    X = [[0.0, 0.0], [0.5, 0.5]]
    result = sacma.minimize(slope, [0.5, 0.5], bounds=(0, 1), budget=30, method=method, seed=1, known=(X, [0.0, 1.0]))
    assert distinct(np.vstack([X, result.history.points])) == 32


def test_noise_is_measured_again() -> None:
    """There a further value says more."""
    rng = np.random.default_rng(1)
    result = sacma.minimize(
        lambda x: slope(x) + rng.standard_normal(), bounds=[(0, 1)] * 2, budget=60, noisy=True, seed=1
    )
    assert distinct(result.history.points) < result.nfev == 60


def test_failures_are_tried_again() -> None:
    """They may not be the point's: a licence, a disk."""
    calls: dict[bytes, int] = {}

    def fails_at_first(x: Array) -> float | None:
        calls[x.tobytes()] = calls.get(x.tobytes(), 0) + 1
        return None if calls[x.tobytes()] == 1 and not x.any() else slope(x)

    result = sacma.minimize(fails_at_first, bounds=[(0, 1)] * 2, budget=40, method="cmaes", seed=1)
    assert calls[np.zeros(2).tobytes()] == 2
    assert max(calls.values()) == 2
    assert result.fun == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_point_that_fails_twice_is_not_tried_again(method: str) -> None:
    """The best corner fails always."""
    calls: dict[bytes, int] = {}

    def fails(x: Array) -> float | None:
        calls[x.tobytes()] = calls.get(x.tobytes(), 0) + 1
        return None if not x.any() else slope(x)

    result = sacma.minimize(fails, bounds=[(0, 1)] * 2, budget=60, method=method, seed=1, max_failures=None)
    assert max(calls.values()) <= 2
    assert result.nfev == sum(calls.values()) == 60


def test_what_is_a_known_value() -> None:
    """A finite one, or the second failure; NaN, which a strategy is told where there is no value, is none."""
    es = sacma.Optimizer([0.0], 1.0, seed=1)
    known = KnownValues(es._run.call)
    for value in (math.nan, math.nan, math.inf, math.nan):
        known.add(b"key", value)
        assert known.get(b"key") is None
    known.add(b"key", math.inf)
    assert known.get(b"key") == math.inf
    known.add(b"key", 1.0)
    known.add(b"key", math.inf)
    assert known.get(b"key") == 1.0


@pytest.mark.parametrize("method", ["cobyla", "powell", "cobyqa"])
def test_an_error_of_scipy_at_known_points(method: str) -> None:
    """It ends one run of the method, as elsewhere: between the bounds there are hardly any numbers."""
    bounds = (1.0, 1.0 + 8 * np.finfo(float).eps)
    result = sacma.minimize(lambda x: float(x[0]), [1.0], 1e-80, bounds=bounds, budget=12, method=method, seed=1)
    assert result.nfev == 12


def test_integers() -> None:
    """Each of nine combinations once; then again, as a search does not know that there are no others."""
    space = sacma.Space(i=sacma.Integer(1, 3), j=sacma.Integer(1, 3))
    seen = []

    def f(params: Any) -> float:
        seen.append((params["i"], params["j"]))
        return float(params["i"] + params["j"])

    result = sacma.minimize(f, space=space, budget=12, seed=1)
    assert len(set(seen[:9])) == 9
    assert (len(seen), result.fun) == (12, 2.0)
    assert MOST_IN_A_ROW > 9


def test_where_all_is_known_little_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience halves each time that it was in vain."""
    told = []
    tell = SurrogateStrategy.tell

    def noted(self: SurrogateStrategy, values: Array, known: int) -> None:
        told.append(len(values))
        tell(self, values, known=known)

    monkeypatch.setattr(SurrogateStrategy, "tell", noted)
    space = sacma.Space(a=sacma.Categorical(False, True), b=sacma.Integer(1, 3))
    result = sacma.minimize(lambda p: p["a"] + p["b"], space=space, budget=40, seed=1, method="cmaes")
    assert result.nfev == 40
    assert sum(told) < 2 * MOST_IN_A_ROW + 40 * max(told)


@pytest.mark.parametrize("method", ["sacma", "cmaes", "ada-kendall"])
def test_points_beside_are_not_known_ones(method: str) -> None:
    """Those that workers get beside a population are drawn again; only what is running may be evaluated twice."""
    space = sacma.Space(a=sacma.Integer(1, 8), b=sacma.Integer(1, 8), c=sacma.Integer(1, 8))
    ended: list[tuple[int, ...]] = []

    def f(params: Any) -> float:
        ended.append(tuple(params.values()))
        return float((params["a"] - 3) ** 2 + (params["b"] - 5) ** 2 + (params["c"] - 7) ** 2)

    with without_waiting():
        result = sacma.minimize(f, space=space, budget=100, seed=1, workers=Simulated(4), method=method)
    assert result.nfev == len(ended) == 100
    assert len(set(ended)) > 85


@pytest.mark.parametrize("method", ["sacma", "cmaes", "cobyla"])
def test_a_journal_and_tell_make_the_same_run(tmp_path: Path, method: str) -> None:
    """Interrupted, loaded, and asked and told a few points at a time."""
    given: dict[str, Any] = {"bounds": [(0, 1)] * 3, "method": method, "seed": 2}
    whole = sacma.minimize(slope, budget=60, **given)
    path = tmp_path / "journal"
    for budget in (7, 31, 60):
        part = sacma.minimize(slope, budget=budget, journal=path, **given)
    assert bits(part) == bits(whole)
    es = sacma.Optimizer(budget=60, **given)
    while not es.stop():
        X = es.ask()[:2]
        es.tell(X, [slope(x) for x in X])
        es.save(tmp_path / "saved")
        es.close()
        es = sacma.Optimizer.load(tmp_path / "saved")
    assert bits(es.result) == bits(whole)
    es.close()


def test_workers() -> None:
    """Points that are the same are told once, whichever of them f has evaluated."""
    with ThreadPoolExecutor(2) as executor:
        for method in ("sacma", "ada-kendall", "dts-cmaes"):
            result = sacma.minimize(slope, bounds=[(0, 1)] * 2, budget=60, method=method, seed=3, workers=executor)
            assert result.nfev == 60
            assert result.fun < 0.1
            assert [g.true_evaluations for g in result.history.generations][-1] <= 60


def test_constraints() -> None:
    """Their values are kept beside that of f."""
    result = sacma.minimize(
        lambda x: (slope(x), 0.5 - x[0]), bounds=[(0, 1)] * 2, constraints=1, budget=60, seed=1, method="cmaes"
    )
    assert distinct(result.history.points) == 60
    assert result.fun == pytest.approx(0.5, abs=0.05)


def test_a_result_of_a_space_is_known(tmp_path: Path) -> None:
    """Its parameters as x₀, and the journal's points as archive: both round alike."""
    space = sacma.Space(rate=sacma.Real(1e-5, 1e-1, log=True), width=sacma.Real(0.1, 0.7))
    for seed in range(6):
        seen: list[dict[str, Any]] = []

        def f(params: Any, seen: list[dict[str, Any]] = seen) -> float:
            seen.append(dict(params))
            return float(abs(np.log(params["rate"]) + 6) + params["width"] ** 2)

        path = tmp_path / f"{seed}"
        found = sacma.minimize(f, space=space, seed=seed, budget=12, journal=path)
        seen.clear()
        sacma.minimize(f, space=space, budget=1, x0=found.params, known=sacma.read_journal(path).known, seed=9)
        assert seen[0]["rate"] != pytest.approx(found.params["rate"], rel=1e-9)
