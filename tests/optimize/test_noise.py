"""Functions with noise: what is said of the recommended point is true, and a run is the same in whatever pieces."""

import itertools
import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.methods import named
from sacma.optimize.noise import Halving, candidates
from sacma.optimize.result import Result, Status
from sacma.types import Array
from tests.optimize.runs import bits

D = 3
BUDGET = 100
SEARCH = 80  # evaluations of the search
BOX: dict[str, Any] = {"bounds": [(-1, 1)] * D, "seed": 5, "budget": BUDGET, "noisy": True}


def truth(x: Array) -> float:
    return float(np.sum((x - 0.3) ** 2))


class Noisy:
    """The sphere, with noise that depends on the number of the call; it may fail, and be interrupted."""

    def __init__(
        self, begun: int = 0, *, interrupted_at: int | None = None, fails: Callable[[int, Array], bool] | None = None
    ) -> None:
        self.calls = begun
        self._interrupted_at = interrupted_at
        self._fails = fails

    def __call__(self, x: Array) -> float:
        """Evaluate and count."""
        if self.calls == self._interrupted_at:
            raise KeyboardInterrupt
        self.calls += 1
        if self._fails is not None and self._fails(self.calls, x):
            raise ValueError("no value")
        return truth(x) + 0.5 * float(np.random.default_rng(self.calls).standard_normal())


def same(one: Result, other: Result) -> bool:
    """Return True if two runs are the same to the bit, and say the same."""
    return bits(one) == bits(other) and (one.fun, one.fun_error, one.message) == (
        other.fun,
        other.fun_error,
        other.message,
    )


def under_noise(method: str) -> Any:
    """Return a method without what is not done under noise: a search before CMA-ES, and a larger first population."""
    settings = getattr(named(method), "strategy", None)
    if settings is None:
        return method
    update: dict[str, Any] = {"start": None}
    if "first_factor" in type(settings.restarts).model_fields:
        update["restarts"] = settings.restarts.model_copy(update={"first_factor": 1.0})
    return settings.model_copy(update=update)


@pytest.mark.parametrize("method", ["sacma", "ada-kendall", "dts-cmaes"])
def test_the_last_fifth_measures_the_best_points(method: str) -> None:
    """The search is that of four fifths of the budget; fun is the mean of values that had no part in the choice.

    Without noise nothing is said of it: there is no error, and fun is the lowest value.
    """
    f = Noisy()
    result = sacma.minimize(f, method=method, **BOX)
    assert f.calls == result.nfev == BUDGET
    plain = sacma.minimize(Noisy(), method=under_noise(method), **{**BOX, "budget": SEARCH, "noisy": False})
    points, values = result.history.points, result.history.values
    assert points[:SEARCH].tobytes() == plain.history.points.tobytes()
    again = points[SEARCH:]
    assert {x.tobytes() for x in again} <= {x.tobytes() for x in points[:SEARCH]}
    assert len({x.tobytes() for x in again}) == 5  # of 20 evaluations four each
    last = values[-10:]
    assert all(np.array_equal(x, result.x) for x in again[-10:])
    assert result.fun == pytest.approx(np.mean(last))
    assert result.fun_error == pytest.approx(np.std(last, ddof=1) / math.sqrt(10))
    assert not result.success
    assert result.status == Status.BUDGET
    assert result.message.endswith("used up; fun is the mean of 10 evaluations of x after it was chosen")
    assert (plain.fun, plain.fun_error) == (np.min(plain.history.values), None)
    assert plain.message == f"the budget of {SEARCH} evaluations is used up"
    json.dumps([result.fun, result.fun_error])


def test_fun_is_unbiased_within_its_error() -> None:
    """In 40 runs: the mean of its deviations from the truth is none, and they are as large as it says."""
    off, lowest = [], []
    for seed in range(40):
        f = Noisy(1000 * seed)
        result = sacma.minimize(f, method="cmaes", **BOX | {"seed": seed})
        off.append((result.fun - truth(result.x)) / result.fun_error)
        lowest.append(np.min(result.history.values) - truth(result.x))
    assert abs(np.mean(off)) < 3 / math.sqrt(40)
    assert 0.7 < np.std(off) < 1.5
    assert np.mean(np.abs(off) < 2) > 0.85
    assert np.mean(lowest) < -0.8  # what fun would be without


@pytest.mark.parametrize("method", ["ada-kendall", "sacma"])
def test_an_interrupted_run_goes_on_to_the_same_bits(tmp_path: Path, method: str) -> None:
    """Again and again, in both phases and between them; no evaluation is lost, or made twice."""
    given = {"method": method, "journal": tmp_path / "journal", **BOX}
    done = 0
    for at in (0, 41, SEARCH, 93):
        part = sacma.minimize(Noisy(done, interrupted_at=at), **given)
        assert (part.status, part.nfev) == (Status.INTERRUPTED, at)
        done = at
    whole = sacma.minimize(Noisy(), method=method, **BOX)
    for begun in (done, BUDGET):
        f = Noisy(begun)
        assert same(sacma.minimize(f, **given), whole)
        assert f.calls == BUDGET
    content = sacma.read_journal(tmp_path / "journal")
    assert [entry.number for entry in content.entries] == list(range(1, BUDGET + 1))
    assert content.values.tobytes() == whole.history.values.tobytes()


MIXED = sacma.Space(a=sacma.Real(-1, 1), n=sacma.Integer(0, 3), c=sacma.Categorical("a", "b", "c"))


def mixed(params: dict[str, Any]) -> float:
    """Return f without noise: 0 at 0, 2 and b."""
    return float(params["a"] ** 2 + (params["n"] - 2) ** 2 + (params["c"] != "b"))


def test_in_a_space(tmp_path: Path) -> None:
    """Integers and choices are found in four of five runs at least, although noise hides a third of what they tell.

    Distinct points are distinct parameters, and x is one that was evaluated.
    """

    def begin(seed: int, count: int = 0, stop: int | None = None, **more: Any) -> Result:
        calls = itertools.count(count)

        def f(params: dict[str, Any]) -> float:
            if (call := next(calls)) == stop:
                raise KeyboardInterrupt
            return mixed(params) + 0.3 * float(np.random.default_rng([seed, call]).standard_normal())

        return sacma.minimize(f, space=MIXED, budget=120, seed=seed, noisy=True, **more)

    results = [begin(seed) for seed in range(1, 6)]
    assert sum((result.params["n"], result.params["c"]) == (2, "b") for result in results) >= 4
    for result in results:
        lowest = min(map(mixed, result.history.params))
        assert mixed(result.params) < lowest + 0.3, "another is better by more than the noise"
        assert result.params == MIXED.params(result.x)
        assert len({MIXED.key(params) for params in result.history.params[96:]}) == 6
    assert begin(1, 0, 100, journal=tmp_path / "journal").status == Status.INTERRUPTED
    assert same(begin(1, 100, journal=tmp_path / "journal"), results[0])


@pytest.mark.parametrize("budget", [10, 14, 19, 61])
def test_the_budget_is_kept(budget: int) -> None:
    """However small, of it a fifth is for the end, and half of that for the last candidate."""
    f = Noisy()
    result = sacma.minimize(f, **{**BOX, "budget": budget})
    assert f.calls == result.nfev == budget
    again = budget // 5
    least = again if again < 8 else again - again // 2  # of a single candidate all
    assert least <= int(result.message.split()[-8]) <= least + 2
    assert result.message.endswith("evaluations of x after it was chosen")
    assert result.fun_error > 0


def test_wrong_arguments() -> None:
    """They are named before anything is evaluated; ask and tell has no budget of its own, as ``minimize`` has."""
    needed = "noisy is True; allowed: False, or True with a budget of 10 evaluations or more"
    f = Noisy()
    for wrong, error, message in (
        ({"noisy": 1}, TypeError, "noisy is 1; allowed: True or False"),
        ({"budget": 9}, ValueError, needed),
    ):
        with pytest.raises(error, match=message):
            sacma.minimize(f, **{**BOX, **wrong})
        with pytest.raises(error, match=message):
            sacma.Optimizer(**{**BOX, **wrong})
    with pytest.raises(ValueError, match=needed):
        sacma.Optimizer(**{**BOX, "budget": None})
    assert f.calls == 0
    assert sacma.minimize(truth, [0.0], 1.0, noisy=True, method="cmaes", seed=1).nfev == 250


@pytest.mark.parametrize("method", ["sacma", "cmaes"])
def test_a_target_is_of_the_mean(method: str) -> None:
    """No lucky value ends the run; at its end the mean of the best point's own evaluations has reached it, or not."""
    whole = sacma.minimize(Noisy(), [0.0] * D, **BOX, method=method)
    for target, reached in ((whole.fun + 1e-9, True), (whole.fun - 1e-9, False)):
        found = sacma.minimize(Noisy(), [0.0] * D, **BOX, method=method, target=target)
        assert found.history.points.tobytes() == whole.history.points.tobytes()
        assert (found.fun, np.min(found.history.values) < target) == (whole.fun, True)
        assert (found.status == Status.TARGET, found.success) == (reached, reached)


@pytest.mark.parametrize("asked", ["workers", "several"])
def test_several_at_a_time_measure_the_last_candidate_as_often(asked: str) -> None:
    """Half of the last fifth is of it alone, whatever runs when the search ends."""
    given = BOX | {"budget": 40}
    if asked == "workers":
        with ThreadPoolExecutor(8) as executor:
            found = sacma.minimize(Noisy(), **given, workers=executor)
    else:
        es, fun = sacma.Optimizer(**given), Noisy()
        while not es.stop():
            X = es.ask(5)
            es.tell(X, [fun(x) for x in X])
        found = es.result
    assert found.nfev == 40
    assert "fun is the mean of 4 evaluations of x after it was chosen" in found.message
    assert found.fun == pytest.approx(np.mean(found.history.values[-4:]))


def test_candidates() -> None:
    """A model sees through the noise; distinct points, in the order of its predictions."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (150, D))
    y = np.array([truth(x) for x in X]) + 0.5 * rng.standard_normal(150)
    chosen = candidates(X, y[:, None], 10)
    assert len(set(chosen)) == 10
    true = [truth(x) for x in X]
    assert np.mean([true[i] for i in chosen]) < 0.5 * np.mean(np.take(true, np.argsort(y)[:10]))
    assert candidates(X[:1], y[:1, None], 10) == [0]
    assert candidates(X[[0, 1, 0]], np.array([[3.0], [2.0], [0.0]]), 10) == [0, 1]  # means 1.5 and 2
    assert candidates(X[:3], np.ones((3, 1)), 10) == [0, 1, 2]  # no model of constant values
    assert candidates(X[:2], np.array([[1e308], [-1e308]]), 2) == [1, 0]


@pytest.mark.parametrize("count", [1, 2, 5, 10])
@pytest.mark.parametrize("each", [2, 5])
def test_halving(count: int, each: int) -> None:
    """All evaluations are made, the best of exact values is left, and half of them are of it alone."""
    evaluations = max(2, count * each)
    halving = Halving([np.array([float(i)]) for i in range(count)], evaluations)
    made: list[int] = []
    while halving.left:
        made += halving.asked
        halving.tell([float((i - 1) ** 2) for i in halving.asked])
    assert len(made) == evaluations
    assert set(made) == set(range(count))
    if each >= 4:
        found = halving.best([])
        assert found is not None
        best, values, unbiased = found
        assert (best, unbiased) == (min(1, count - 1), True)
        assert len(values) >= evaluations // 2 - 1


def disk(seed: int, deviation: float) -> Callable[[Array], tuple[float, list[float]]]:
    """Return a distance to (1, 1) and a constraint to the unit disk, both with noise."""
    rng = np.random.default_rng(seed)

    def both(x: Array) -> tuple[float, list[float]]:
        f, g = rng.normal([float(np.sum((x - 1) ** 2)), float(x @ x - 1)], [0.05, deviation])
        return f, [g]

    return both


@pytest.mark.parametrize("deviation", [0.0, 0.02])
def test_with_constraints(deviation: float) -> None:
    """The recommended point keeps them, by its means, and its value is that of f there."""
    found = sacma.minimize(
        disk(1, deviation), [0, 0], 0.5, bounds=[(-2, 2)] * 2, constraints=1, budget=150, noisy=True, seed=1
    )
    assert found.constraint_violation <= deviation
    assert found.x @ found.x - 1 <= deviation
    truth_there = float(np.sum((found.x - 1) ** 2))
    assert abs(found.fun - truth_there) < 4 * found.fun_error
    assert truth_there < 2 * (math.sqrt(2) - 1) ** 2
