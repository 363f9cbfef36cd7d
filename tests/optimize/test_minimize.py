"""One call: what it finds, what ends it, and what it never does."""

import itertools
import math
import time
import traceback
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

import sacma
from sacma.optimize.methods import composed, named
from sacma.optimize.result import Result, Status
from sacma.types import Array
from tests.commands import printed_by
from tests.optimize.generated import endings
from tests.optimize.runs import GENERATIONS, bits, rosenbrock
from tests.sizes import sizes

# Controls with whole generations that the model evaluates.
TURNS = {"generations", "adaptive-generations", "lifelength"}


def sphere(x: Array) -> float:
    return float(np.sum((x - 1.0) ** 2))


def quartic(x: Array) -> float:
    """Return what no quadratic function is, nor its optimum."""
    return sphere(x) + float(np.sum((x - 1.0) ** 4))


@pytest.mark.parametrize("method", composed())
def test_every_strategy_finds_the_optimum(method: str) -> None:
    """In three dimensions, with a result that SciPy's users know."""
    target = 1e-2 if "forest" in method else 1e-8
    result = sacma.minimize(quartic, [0.0, 3.0, -1.0], 1.0, method=method, target=target, seed=1)
    assert isinstance(result, OptimizeResult)
    assert result.success
    assert result.status == Status.TARGET
    assert result.fun == quartic(result.x) <= target
    assert result.nfev == len(result.history.values) <= 750
    control = named(method).strategy.control  # type: ignore[union-attr]
    takes_turns = control.name in TURNS or getattr(control, "model_generations", 0) > 0
    assert (result.model_generations > 0) == takes_turns
    assert f"target, {target:g}, is reached" in result.message
    assert "x" in result
    assert "evaluations" in repr(result)


def test_one_dimension() -> None:
    """With and without bounds, on one of them too, and with a number for x₀."""
    for arguments in ({}, {"bounds": (0, None)}, {"bounds": (0, 0.25)}):
        result = sacma.minimize(sphere, 0.0, 2.0, seed=1, budget=40, **arguments)
        assert result.x.shape == (1,)
        assert result.fun == pytest.approx(0.75**2 if arguments.get("bounds") == (0, 0.25) else 0.0, abs=1e-6)


def test_the_seed_repeats_a_run_and_no_global_generator_is_touched() -> None:
    """Without one, it is drawn and told; the same call with it is the same run."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 the one that must stay untouched
    first = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=60)
    again = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=60, seed=first.seed)
    other = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=60)
    np.testing.assert_equal(np.random.get_state(legacy=False), before)  # noqa: NPY002 idem
    assert bits(first) == bits(again)
    assert first.seed != other.seed
    assert bits(first) != bits(other)


def test_failed_evaluations_rank_last_and_count() -> None:
    """Exceptions, NaN and infinities of both signs: the optimum beside them is found, and they are told of."""
    odd = itertools.cycle([math.nan, math.inf, -math.inf, None])

    def fun(x: Array) -> Any:
        if x[0] < 0.9:
            if x[1] > 0:
                raise RuntimeError("no mesh")
            return next(odd)
        return sphere(x)

    result = sacma.minimize(fun, [1.7, 1.3], 1.0, seed=1, target=1e-8)
    assert result.success
    assert result.failures == len(result.history.failures) == np.isnan(result.history.values).sum() > 0
    assert "RuntimeError: no mesh" in result.history.failures.values()
    for number in result.history.failures:
        assert math.isnan(result.history.values[number - 1])
    assert np.all(np.isinf(result.history.best[: np.flatnonzero(~np.isnan(result.history.values))[0]]))


def test_failures_in_a_row_end_the_run() -> None:
    """After max_failures of them, not before; none ends it where that is None."""
    result = sacma.minimize(lambda _: 1 / 0, [1.0, 2.0], 1.0, max_failures=13, seed=1)
    assert (result.nfev, result.status, result.success) == (13, Status.FAILURES, False)
    assert (
        "13 evaluations failed in a row (is there a better x0?); the last failure: ZeroDivisionError" in result.message
    )
    np.testing.assert_array_equal(result.x, [1.0, 2.0])
    assert result.fun == math.inf
    calls = itertools.count(1)
    result = sacma.minimize(
        lambda x: sphere(x) if next(calls) % 13 == 0 else None, [1.0, 2.0], 1.0, max_failures=13, budget=60, seed=1
    )
    assert result.status == Status.BUDGET
    assert sacma.minimize(lambda _: None, [1.0], 1.0, max_failures=None, budget=50, seed=1).nfev == 50


def test_an_archive_is_a_start() -> None:
    """Its points feed the first model, are not counted, and the best of them is the result until one is better."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (60, 3))
    y = np.array([sphere(x) for x in X])
    y[:10] = math.nan
    nfev = {}
    for archive in (None, (X, y)):
        runs = [sacma.minimize(sphere, [-1.0] * 3, 1.0, seed=seed, target=0.01, known=archive) for seed in range(1, 6)]
        nfev[archive is not None] = sum(r.nfev for r in runs)
    assert nfev[True] < nfev[False]
    first, *_ = sacma.minimize(sphere, [-1.0] * 3, 1.0, seed=1, budget=30, known=(X, y)).history.generations
    assert (first.fit_status, first.training_set_size) == ("trained", 45)
    best = int(np.nanargmin(y))
    few = sacma.minimize(lambda _: 1e3, [0.0, 0.0, 0.0], 1.0, seed=1, budget=7, known=(X, y))
    assert (few.nfev, few.fun) == (7, y[best])
    np.testing.assert_array_equal(few.x, X[best])
    assert "nothing better than the known points" in few.message
    done = sacma.minimize(sphere, [0.0, 0.0, 0.0], 1.0, seed=1, target=y[best], known=(X, y))
    assert (done.nfev, done.success) == (0, True)


def test_time_limit() -> None:
    """No evaluation begins after it."""
    calls: list[float] = []

    def fun(x: Array) -> float:
        calls.append(time.monotonic())
        time.sleep(0.01)
        return sphere(x)

    begin = time.monotonic()
    result = sacma.minimize(fun, [3.0, 3.0], 1.0, time_limit=0.15, seed=1)
    assert result.status == Status.TIME_LIMIT
    assert 0 < result.nfev < 500
    assert calls[-1] - begin < 0.15 + 2.0  # a loaded machine


def test_callback_sees_each_true_generation_and_can_end_the_run() -> None:
    """By returning True or raising StopIteration; what it returns else does not matter."""
    seen: list[Result] = []

    def callback(result: Result) -> Any:
        seen.append(result)
        return np.bool(len(seen) == 4)

    result = sacma.minimize(sphere, [3.0, 3.0], 1.0, seed=1, callback=callback, method=GENERATIONS)  # λ = 6
    assert (result.status, result.nfev, result.success) == (Status.CALLBACK, 24, False)
    assert [r.nfev for r in seen] == [6, 12, 18, 24]

    assert sacma.minimize(sphere, [3.0, 3.0], 1.0, seed=1, budget=30, callback=lambda r: r.x).nfev == 30

    def stopping(_: Result) -> Any:
        raise StopIteration

    assert sacma.minimize(sphere, [3.0, 3.0], 1.0, seed=1, callback=stopping, method=GENERATIONS).nfev == 6
    assert sacma.minimize(sphere, [3.0, 3.0], 1.0, seed=1, callback=stopping).nfev == 5  # x₀, and two a coordinate


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sigma0": "1"}, TypeError, "sigma0 is '1'; allowed: a number from 1e-100 to 1e\\+10"),
        ({"x0": [1.0, math.nan]}, ValueError, "x0 is .*; allowed: a vector"),
        ({"bounds": (0, 2)}, ValueError, r"x0\[1\] is 3.0; allowed: within its bounds, 0.0 to 2.0"),
        ({"bounds": [(0, 4), (3, 2)]}, ValueError, r"bounds\[1\] is \(3.0, 2.0\); allowed: lower ≤ upper"),
        ({"bounds": Bounds([0.0, math.nan], 4.0)}, ValueError, "bounds is .*; allowed: .*no NaN"),
        ({"bounds": [(0, 4)] * 3}, ValueError, "bounds is .*; allowed: None, a pair .* 2 such pairs"),
        ({"budget": 0}, ValueError, "budget is 0; allowed: an integer ≥ 1"),
        ({"target": math.nan}, ValueError, "target is nan; allowed: a number"),
        ({"known": ([[1.0]], [1.0])}, ValueError, r"known\[0\] is \[\[1.0\]\]; allowed: points of 2 coordinates"),
        ({"known": ([[1.0, 1.0]], ["1.5"])}, TypeError, r"known\[1\] is \['1.5'\]; allowed: numbers, None or NaN"),
        ({"scale": [1.0, 0.0]}, ValueError, "scale is .*; allowed: a number from"),
        ({"seed": -1}, ValueError, "seed is -1; allowed"),
        ({"fun": 3}, TypeError, "fun is 3; allowed: a function"),
        ({"callback": 3}, TypeError, "callback is 3; allowed: a function"),
        ({"maxiter": 30}, TypeError, "maxiter is no argument here; the nearest is budget"),
        ({"budgets": 30}, TypeError, "budgets is no argument here; the nearest is budget"),
        ({"n_jobs": 2}, TypeError, "n_jobs is no argument here; the nearest is workers"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """With what was given and what is allowed."""
    right: dict[str, Any] = {"fun": sphere, "x0": [1.0, 3.0], "sigma0": 1.0}
    with pytest.raises(error, match=message):
        sacma.minimize(**{**right, **arguments})


@sizes("number", small=40, full=3000)
def test_generated_calls_break_no_rule(number: int) -> None:
    """Whatever is given, each is refused in one line, or ends as its arguments say."""
    told: list[str] = []
    counts = endings(number, seed=11, tell=told.append)
    assert told == []
    assert counts.total() == number
    assert len(counts) > 10


def test_importing_sacma_is_cheap() -> None:
    """Neither NumPy nor pycma is loaded before something of the optimizer is asked for; its names are listed."""
    code = "import sys, sacma; assert not {'numpy', 'cma', 'scipy'} & sys.modules.keys(); print(*dir(sacma))"
    assert {"minimize", "Optimizer", "read_journal"} <= set(printed_by(code).split())
    assert [name for name in dir(sacma) if not name.startswith("__")] == sorted(sacma.__all__)
    assert callable(sacma.minimize)
    with pytest.raises(AttributeError, match="no attribute 'maximize'"):
        sacma.maximize  # noqa: B018


@pytest.mark.parametrize("workers", [None, 2])
def test_a_mistake_in_f_is_raised_at_once(workers: int | None) -> None:
    """After three evaluations that fail alike the exception itself comes out, and says what to do."""

    def mistaken(x: Array) -> float:
        return x["a"]  # type: ignore[no-any-return, call-overload]

    with pytest.raises(IndexError, match="valid indices") as raised:
        sacma.minimize(mistaken, [1.0, 2.0], 1.0, workers=workers, seed=1)
    *trace, note = raised.value.__notes__
    assert note.startswith("each of the first 3 evaluations has failed with IndexError, as by a mistake in f; ")
    assert note.endswith("let f return None instead, or give max_failures=None")
    assert "in mistaken" in "".join([*trace, *traceback.format_exception(raised.value)])


@pytest.mark.parametrize(
    ("raised", "arguments"),
    [
        ([KeyError] * 500, {"max_failures": None}),
        ([KeyError, KeyError, TypeError] * 500, {}),
        ([None, *[KeyError] * 500], {}),
        ([RuntimeError] * 500, {}),
        ([KeyError] * 500, {"max_failures": 2}),
    ],
)
def test_failures_that_may_be_the_points_count_as_such(raised: list[Any], arguments: dict[str, Any]) -> None:
    """Where any number is allowed, where the first three are not alike, and where there was a value before."""
    left = iter(raised)

    def fun(x: Array) -> float:
        if (error := next(left)) is not None:
            raise error("no")
        return sphere(x)

    result = sacma.minimize(fun, [1.0, 2.0], 1.0, seed=1, **{"budget": 40, **arguments})
    assert result.failures > 0


@pytest.mark.parametrize(
    ("bounds", "x0"),
    [
        (np.array([[0.0] * 3, [5.0] * 3]), [1.0, 2.0, 3.0]),
        ([[0.0], [5.0]], [1.0]),
        ([0.0, [5.0] * 3], [1.0, 2.0, 3.0]),
        ([[0.0, 1.0], [5.0, 9.0]], [2.0, 3.0]),
    ],
)
def test_bounds_as_pycma_has_them_get_a_hint(bounds: Any, x0: list[float]) -> None:
    """All lower and all upper bounds, where that is not a pair a coordinate, or x₀ is not in what it would mean."""
    with pytest.raises((ValueError, TypeError), match=r"bounds is .*scipy.optimize.Bounds\(lows, highs\)"):
        sacma.minimize(sphere, x0, 1.0, bounds=bounds)
    with pytest.raises(ValueError, match=r"^x0\[0\] is 5.0; allowed: within its bounds, 0.0 to 1.0$"):
        sacma.minimize(sphere, [5.0] * len(x0), 1.0, bounds=[(0, 1)] * len(x0))
