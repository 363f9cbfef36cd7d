"""One call: what it finds, what ends it, and what it never does."""

import itertools
import math
import pickle
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

import sacma
from sacma.optimize.methods import DEFAULT, composed, named
from sacma.optimize.result import Result, Status
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.types import Array
from tests.optimize.generated import endings
from tests.sizes import sizes

GENERATIONS = "ada-kendall"
"""A method that asks for whole generations; the default asks for a few points at a time."""

TURNS = {"generations", "adaptive-generations"}
"""Controls with whole generations that the model evaluates."""

TRANSFORMED = StrategySettings.model_validate(
    {
        "model": {"name": "gaussian-process"},
        "control": {"name": "adaptive-generations", "error": {"name": "kendall"}},
        "sampling": {"bounds": "transform"},
    }
)


def sphere(x: Array) -> float:
    return float(np.sum((x - 1.0) ** 2))


def quartic(x: Array) -> float:
    """Return what no quadratic function is, nor its optimum."""
    return sphere(x) + float(np.sum((x - 1.0) ** 4))


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def bits(result: Result) -> tuple[Any, ...]:
    return result.history.points.tobytes(), result.history.values.tobytes(), result.x.tobytes(), result.fun, result.nfev


@pytest.mark.parametrize("method", composed())
def test_every_strategy_finds_the_optimum(method: str) -> None:
    """In three dimensions, with a result that SciPy's users know."""
    result = sacma.minimize(quartic, [0.0, 3.0, -1.0], 1.0, method=method, target=1e-8, seed=1)
    assert isinstance(result, OptimizeResult)
    assert result.success
    assert result.status == Status.TARGET
    assert result.fun == quartic(result.x) <= 1e-8
    assert result.nfev == len(result.history.values) <= 750
    control = named(method).strategy.control  # type: ignore[union-attr]
    takes_turns = control.name in TURNS or getattr(control, "model_generations", 0) > 0
    assert (result.model_generations > 0) == takes_turns
    assert "target, 1e-08, is reached" in result.message
    assert "x" in result
    assert "evaluations" in repr(result)


@pytest.mark.parametrize("name", ["cmaes", "ada-kendall", "dts-cmaes-adaptive"])
def test_it_is_the_strategy(name: str) -> None:
    """Without bounds and scale, points and values are those of the bare strategy with the same random numbers."""
    starts, samples = (np.random.default_rng(s) for s in np.random.SeedSequence(5).spawn(2))
    x0 = np.array([0.5, -1.0])
    first = [x0]

    def initial_point() -> Array:
        return first.pop() if first else x0 + 0.7 * (starts.uniform(size=2), starts.standard_normal(2))[1]

    seen: list[Array] = []
    settings = named(name).strategy
    assert settings is not None
    strategy = SurrogateStrategy(
        settings.model_copy(update={"sampling": settings.sampling.model_copy(update={"sigma0": 0.7})}),
        initial_point=initial_point,
        box=(np.full(2, -np.inf), np.full(2, np.inf)),
        rng=samples,
    )
    while strategy.true_evaluations < 900:
        population = strategy.ask()
        seen += [np.array(x) for x in population]
        strategy.tell([rosenbrock(x) for x in population])
    result = sacma.minimize(rosenbrock, x0, 0.7, method=name, budget=900, seed=5)
    assert result.restarts > 0
    np.testing.assert_array_equal(result.history.points, seen[:900])


@pytest.mark.parametrize("budget", [1, 5, 7, 30, 101])
def test_budget_is_a_hard_limit(budget: int) -> None:
    """Not one evaluation more, however it divides into populations; without one it is 250·D."""
    calls = itertools.count()
    result = sacma.minimize(lambda x: (next(calls), sphere(x))[1], [3.0, 3.0], 1.0, budget=budget, seed=2)
    assert next(calls) == result.nfev == budget
    assert result.status == Status.BUDGET
    assert not result.success
    assert not sacma.minimize(sphere, [3.0, 3.0], 1.0, budget=budget, target=-1.0, seed=2).success


def test_default_budget() -> None:
    """250·D."""
    assert sacma.minimize(lambda x: x[0], [0.0], 1.0, method="cmaes", seed=0).nfev == 250


def test_target_ends_the_run_at_once() -> None:
    """The evaluation that reaches it is the last."""
    result = sacma.minimize(sphere, [3.0, 3.0], 1.0, target=0.5, seed=3)
    assert result.history.values[-1] <= 0.5 < np.min(result.history.values[:-1])


@pytest.mark.filterwarnings("ignore:sigma0")
@pytest.mark.parametrize("method", ["ada-kendall", TRANSFORMED], ids=["penalty", "transform"])
@pytest.mark.parametrize(
    ("bounds", "x0"),
    [
        ((-2, 0.5), [0.0, 0.0, 0.0]),
        ([(None, 0.5), (0, None), (-math.inf, math.inf)], [0.5, 0.0, 9.0]),
        (Bounds([-1, 2, -5], [0.5, 2.0 + 1e-9, 5]), [0.5, 2.0, 0.0]),
        (np.array([[-1e-9, 1e-9], [-1e9, 1e9], [0.999, 1.001]]), [0.0, 5e8, 1.0]),
    ],
)
def test_no_point_is_outside_of_the_bounds(bounds: Any, x0: list[float], method: Any) -> None:
    """One-sided, open, tiny, huge and given in any form: f sees what is inside, and the best of it is found."""
    result = sacma.minimize(sphere, x0, 1.0, bounds=bounds, method=method, seed=4, budget=1000)
    if isinstance(bounds, Bounds):
        lower, upper = bounds.lb, bounds.ub
    else:
        pairs = np.array([bounds] * 3 if isinstance(bounds, tuple) else bounds, dtype=float)
        lower, upper = np.where(np.isnan(pairs), [-np.inf, np.inf], pairs).T
    assert np.all(result.history.points >= lower)
    assert np.all(result.history.points <= upper)
    assert result.restarts > 0 or result.fun < 1e6
    if np.max(upper) < 1e8:
        assert result.fun == pytest.approx(sphere(np.clip(1.0, lower, upper)), abs=1e-6)


@pytest.mark.filterwarnings("ignore:sigma0")
def test_bounds_that_are_almost_equal() -> None:
    """Neighbouring floats are a box: no point is outside, and the run goes on to its budget."""
    bounds = Bounds([-1, 2, -5], [0.5, np.nextafter(2.0, 3.0), 5])
    result = sacma.minimize(sphere, [0.5, 2.0, 0.0], 1.0, bounds=bounds, seed=4, budget=200)
    assert np.all((result.history.points >= bounds.lb) & (result.history.points <= bounds.ub))
    assert result.nfev == 200


def test_one_dimension() -> None:
    """With and without bounds, on one of them too, and with a number for x₀."""
    for arguments in ({}, {"bounds": (0, None)}, {"bounds": [(0, 5)]}, {"bounds": (0, 0.25)}):
        result = sacma.minimize(sphere, 0.0, 2.0, seed=1, budget=80, **arguments)
        assert result.x.shape == (1,)
        assert result.fun == pytest.approx(0.75**2 if arguments.get("bounds") == (0, 0.25) else 0.0, abs=1e-6)


def test_scale_makes_coordinates_alike() -> None:
    """A scaled problem with its scale is the unscaled one, to the bit where the scale is a power of two."""
    scale = np.array([2.0**20, 1.0, 2.0**-30])
    plain = sacma.minimize(rosenbrock, [0.0, 0.0, 0.0], 0.5, bounds=(-3, 3), seed=6, budget=400)
    scaled = sacma.minimize(
        lambda x: rosenbrock(x / scale),
        np.zeros(3),
        0.5,
        bounds=np.column_stack([-3 * scale, 3 * scale]),
        scale=scale,
        seed=6,
        budget=400,
    )
    np.testing.assert_array_equal(plain.history.values, scaled.history.values)
    np.testing.assert_array_equal(plain.history.points * scale, scaled.history.points)


def test_the_seed_repeats_a_run_and_no_global_generator_is_touched() -> None:
    """Without one, it is drawn and told; the same call with it is the same run."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 the one that must stay untouched
    first = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=120)
    again = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=120, seed=first.seed)
    other = sacma.minimize(rosenbrock, [0.0, 0.0], 1.0, budget=120)
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
    assert "13 evaluations failed in a row; the last failure: ZeroDivisionError" in result.message
    np.testing.assert_array_equal(result.x, [1.0, 2.0])
    assert result.fun == math.inf
    calls = itertools.count(1)
    result = sacma.minimize(
        lambda x: sphere(x) if next(calls) % 13 == 0 else None, [1.0, 2.0], 1.0, max_failures=13, budget=200, seed=1
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
        runs = [sacma.minimize(sphere, [-1.0] * 3, 1.0, seed=seed, target=0.01, known=archive) for seed in range(1, 9)]
        nfev[archive is not None] = sum(r.nfev for r in runs)
    assert nfev[True] < nfev[False]
    assert runs[0].history.generations[0].fit_status == "trained"
    assert runs[0].history.generations[0].training_set_size == 45
    best = int(np.nanargmin(y))
    few = sacma.minimize(lambda _: 1e3, [0.0, 0.0, 0.0], 1.0, seed=1, budget=7, known=(X, y))
    assert (few.nfev, few.fun) == (7, y[best])
    np.testing.assert_array_equal(few.x, X[best])
    assert "nothing better than the known points" in few.message
    done = sacma.minimize(sphere, [0.0, 0.0, 0.0], 1.0, seed=1, target=y[best], known=(X, y))
    assert (done.nfev, done.success) == (0, True)


def test_an_initial_point_of_the_archive_is_not_evaluated_again() -> None:
    """The default method begins with f at x₀, unless the archive has it."""
    x0, scale = [0.3, 0.7], [0.7, 3.0]
    first = sacma.minimize(sphere, x0, 0.1, scale=scale, seed=1, budget=30)
    assert first.history.points[0].tolist() == x0
    known = sacma.minimize(sphere, x0, 0.1, scale=scale, seed=1, budget=29, known=([x0], [sphere(np.array(x0))]))
    np.testing.assert_array_equal(known.history.points, first.history.points[1:])


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


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
@pytest.mark.parametrize(("threads", "asynchronous"), [(0, None), (3, False), (3, True)])
def test_ctrl_c_keeps_what_was_found(threads: int, asynchronous: bool | None, method: str) -> None:  # noqa: FBT001 a parameter
    """The result says that it was interrupted, and has all evaluations that ended."""
    calls = itertools.count(1)

    def fun(x: Array) -> float:
        if next(calls) == 40:
            raise KeyboardInterrupt
        return sphere(x)

    with ThreadPoolExecutor(max(1, threads)) as executor:
        arguments: dict[str, Any] = {"workers": executor if threads else None, "asynchronous": asynchronous}
        result = sacma.minimize(fun, [3.0, 3.0], 1.0, seed=1, method=method, **arguments)
    assert (result.status, result.success, result.message) == (Status.INTERRUPTED, False, "interrupted")
    assert 36 <= result.nfev <= 41
    assert result.fun == sphere(result.x)
    if not threads:
        assert result.nfev == 39


def test_parallel_generations_are_the_same_to_the_bit() -> None:
    """In threads that end in any order, and in processes: the same points and values as one after the other."""
    waits = itertools.cycle([0.004, 0.0, 0.002])

    def fun(x: Array) -> float:
        time.sleep(next(waits))
        return rosenbrock(x) if x[0] < 1.5 else math.nan

    arguments: dict[str, Any] = {"bounds": (-3, 3), "seed": 3, "budget": 150, "method": GENERATIONS}
    alone = sacma.minimize(fun, [0.0, 0.0, 0.0], 1.0, **arguments)
    with ThreadPoolExecutor(3) as executor:
        threaded = sacma.minimize(fun, [0.0, 0.0, 0.0], 1.0, workers=executor, asynchronous=False, **arguments)
    assert bits(alone) == bits(threaded)
    small = {**arguments, "budget": 30}
    processes = sacma.minimize(rosenbrock, [0.0, 0.0, 0.0], 1.0, workers=2, asynchronous=False, **small)
    assert bits(sacma.minimize(rosenbrock, [0.0, 0.0, 0.0], 1.0, **small)) == bits(processes)


def test_a_broken_pool_is_no_failed_evaluation() -> None:
    """What goes wrong around f, not in it, is an error with what was found."""
    executor = ThreadPoolExecutor(1)

    def shut_down(now: sacma.Result) -> None:
        if now.nfev >= 9:
            executor.shutdown(wait=False)

    with pytest.raises(sacma.WorkersError, match="after shutdown") as found:
        sacma.minimize(sphere, [3.0, 3.0], 1.0, workers=executor, callback=shut_down)
    assert found.value.result.nfev >= 9
    copy = pickle.loads(pickle.dumps(found.value))  # noqa: S301 our own
    assert str(copy) == str(found.value)
    assert copy.result.fun == found.value.result.fun
    with pytest.raises(sacma.WorkersError, match=r"after 0 evaluations, .* after shutdown"):
        sacma.minimize(sphere, [3.0, 3.0], 1.0, workers=executor)


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
        ({"scale": [1.0, 0.0]}, ValueError, "scale is .*; allowed: a number from"),
        ({"seed": -1}, ValueError, "seed is -1; allowed"),
        ({"fun": 3}, TypeError, "fun is 3; allowed: a function"),
        ({"callback": 3}, TypeError, "callback is 3; allowed: a function"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """With what was given and what is allowed."""
    right: dict[str, Any] = {"fun": sphere, "x0": [1.0, 3.0], "sigma0": 1.0}
    with pytest.raises(error, match=message):
        sacma.minimize(**{**right, **arguments})


@sizes("number", small=75, full=150)
def test_generated_calls_break_no_rule(number: int) -> None:
    """A part of those of ``python -m tests.optimize.generated``."""
    told: list[str] = []
    counts = endings(number, seed=11, tell=told.append)
    assert told == []
    assert counts.total() == number
    assert len(counts) > 10


def test_importing_sacma_is_cheap() -> None:
    """Neither NumPy nor pycma is loaded before something of the optimizer is asked for; its names are listed."""
    code = "import sys, sacma; assert not {'numpy', 'cma', 'scipy'} & sys.modules.keys(); print(*dir(sacma))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert {"minimize", "Optimizer", "read_journal"} <= set(found.split())
    assert callable(sacma.minimize)
    with pytest.raises(AttributeError, match="no attribute 'maximize'"):
        sacma.maximize  # noqa: B018


def mistaken(x: Array) -> float:
    return x["a"]  # type: ignore[no-any-return, call-overload]


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_a_mistake_in_f_is_raised_at_once(workers: int | None) -> None:
    """After three evaluations that fail alike the exception itself comes out, and says what to do."""
    with pytest.raises(IndexError, match="valid indices") as raised:
        sacma.minimize(mistaken, [1.0, 2.0], 1.0, workers=workers, seed=1)
    (note,) = raised.value.__notes__
    assert note.startswith("each of the first 3 evaluations has failed with IndexError, as by a mistake in f; ")
    assert note.endswith("let f return None instead, or give max_failures=None")
    assert "in mistaken" in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("error", [AttributeError, IndexError, KeyError, NameError, TypeError, UnboundLocalError])
def test_every_kind_of_mistake_is_raised(error: type[Exception]) -> None:
    """The original exception, of the first evaluation; f is called three times."""
    calls = itertools.count(1)

    def fun(_: Array) -> float:
        raise error(f"at {next(calls)}")

    with pytest.raises(error, match="at 1"):
        sacma.minimize(fun, [1.0, 2.0], 1.0, seed=1)
    assert next(calls) == 4


@pytest.mark.parametrize(
    ("returned", "arguments", "message"),
    [
        ([1.0, 2.0], {}, r"f is \[1.0, 2.0\]; allowed: one finite number"),
        (np.ones(3), {"workers": 2}, r"f is .*; allowed: one finite number"),
        ("1.5", {}, r"f is '1.5'; allowed: one finite number"),
        (1j, {}, r"f is 1j; allowed: one finite number"),
        (np.array(1j), {}, r"f is array\(.*1.?j\); allowed: one finite number"),
        ({"loss": 1.0}, {}, r"f is \{'loss': 1.0\}; allowed: one finite number"),
        ((1.0, [0.0]), {}, r"f is \(1.0, \[0.0\]\); allowed: one finite number"),
        (2.0, {"constraints": 2}, r"f is 2.0; allowed: a pair \(f, g\), a value and 2 constraints"),
        ((2.0, [0.0]), {"constraints": 2}, r"constraints are \[0.0\]; allowed: 2 finite numbers"),
    ],
)
def test_what_is_never_a_number_is_a_mistake(returned: Any, arguments: dict[str, Any], message: str) -> None:
    """Text, complex and several numbers at each of the first three points; at later ones they are failures."""
    with pytest.raises(TypeError, match=message) as raised:
        sacma.minimize(Returning(returned), [1.0, 2.0], 1.0, seed=1, **arguments)
    assert "let f return None instead" in raised.value.__notes__[0]
    if "constraints" not in arguments:
        late = itertools.count()
        result = sacma.minimize(lambda x: sphere(x) if next(late) < 4 else returned, [1.0, 2.0], 1.0, seed=1)
        assert (result.failures, result.nfev) == (20, 24)


@dataclass(frozen=True)
class Returning:
    """A function that returns the same everywhere; it can be sent to other processes."""

    value: Any

    def __call__(self, x: Array) -> Any:
        """Return it."""
        return self.value


@pytest.mark.parametrize(
    ("raised", "arguments"),
    [
        ([KeyError] * 500, {"max_failures": None}),
        ([KeyError, KeyError, TypeError] * 500, {}),
        ([KeyError, KeyError, None] * 500, {}),
        ([None, *[KeyError] * 500], {}),
        ([KeyError, KeyError, RuntimeError, *[KeyError] * 500], {}),
        ([RuntimeError] * 500, {}),
        ([KeyError] * 500, {"max_failures": 2}),
        ([KeyError] * 500, {"budget": 2}),
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
        ([[0.0] * 3, [5.0] * 3], [1.0, 2.0, 3.0]),
        (np.array([[0.0] * 3, [5.0] * 3]), [1.0, 2.0, 3.0]),
        ([[0.0], [5.0]], [1.0, 2.0, 3.0]),
        ([[0.0], [5.0]], [1.0]),
        ([None, [5.0] * 3], [1.0, 2.0, 3.0]),
        ([0.0, [5.0] * 3], [1.0, 2.0, 3.0]),
        ([[0.0, 0.0], [5.0, 5.0]], [1.0, 2.0]),
        ([[0.0, 1.0], [5.0, 9.0]], [2.0, 3.0]),
    ],
)
def test_bounds_as_pycma_has_them_get_a_hint(bounds: Any, x0: list[float]) -> None:
    """All lower and all upper bounds, where that is not a pair a coordinate, or x₀ is not in what it would mean."""
    with pytest.raises((ValueError, TypeError), match=r"bounds is .*scipy.optimize.Bounds\(lows, highs\)"):
        sacma.minimize(sphere, x0, 1.0, bounds=bounds)
    with pytest.raises(ValueError, match=r"^x0\[0\] is 5.0; allowed: within its bounds, 0.0 to 1.0$"):
        sacma.minimize(sphere, [5.0] * len(x0), 1.0, bounds=[(0, 1)] * len(x0))


@pytest.mark.parametrize("name", ["x0", "bounds", "scale", "known"])
@pytest.mark.parametrize("listed", [False, True])
def test_masked_arguments_are_refused(name: str, *, listed: bool) -> None:
    """What is below a mask is no number, in arrays and in lists."""
    masked: Any = np.ma.array([1.0, 2.0], mask=[False, True])
    if listed:
        masked = list(masked)
    right: dict[str, Any] = {"x0": [1.0, 2.0], "sigma0": 1.0}
    value = {"bounds": [masked, masked], "known": ([masked], [1.0])}.get(name, masked)
    with pytest.raises(ValueError, match=rf"{name}.* is .*masked"):
        sacma.minimize(sphere, **{**right, name: value})
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=1)
    with pytest.raises(ValueError, match=r"points is .*masked"):
        es.tell([np.ma.array(es.ask()[0], mask=[False, True])], [1.0])
    with pytest.raises(TypeError, match="bounds is "):
        sacma.minimize(sphere, [1.0, 2.0], 1.0, bounds=[(None, np.timedelta64("NaT")), (None, 3)])


def test_masked_values_of_an_archive_are_left_out() -> None:
    """As failed ones are, in arrays and in lists."""
    X = np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
    y = np.ma.array([5.0, 0.0, 4.0], mask=[False, True, False])
    for values in (y, list(y)):
        result = sacma.minimize(lambda _: 9.0, [1.0, 2.0], 1.0, known=(X, values), budget=3, seed=1)
        assert result.fun == 4.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": 10**5000}, "seed is a value of type int; allowed: an integer ≥ 0 and below"),
        ({"seed": 2**128}, r"seed is 340282.*; allowed: an integer ≥ 0 and below 2\*\*128"),
        ({"target": math.inf}, "target is inf; allowed: a number below infinity"),
        ({"target": 10**400}, "target is 1000.*; allowed: a number below infinity"),
        ({"target": np.longdouble("1e400")}, "target is .*; allowed: a number below infinity"),
        ({"budget": 10**5000}, "budget is a value of type int; allowed"),
        ({"max_failures": 10**30}, "max_failures is 1000.*; allowed"),
        ({"workers": 10**30}, "workers is 1000.*; allowed"),
    ],
)
def test_numbers_without_end_are_refused_before_anything_is_written(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    """With the argument; no empty journal is left."""
    with pytest.raises(ValueError, match=message):
        sacma.minimize(sphere, [1.0, 3.0], 1.0, journal=tmp_path / "journal", **arguments)
    assert list(tmp_path.iterdir()) == []
    assert sacma.minimize(sphere, [1.0, 3.0], 1.0, seed=2**128 - 1, budget=3).seed == 2**128 - 1


HUGE: dict[str, Any] = {
    "text": "x\x1b[2J" * 100_000,
    "bytes": b"\x1b" * 100_000,
    "list": ["\x1b[2J" * 1000] * 100_000,
    "numbers": [[[1.5] * 20] * 50] * 50,
    "integer": 10**4000,
    "integer beyond printing": 10**100_000,
    "array": np.full((7, 10, 100), 1.25),
    "mapping": {f"\x1b{i}": "\n" * 1000 for i in range(1000)},
    "fraction": Fraction(10**3000, 3),
}
ARGUMENTS = (
    *("fun", "x0", "sigma0", "space", "bounds", "scale", "method", "population_size", "budget", "target", "time_limit"),
    *("seed", "known", "max_failures", "journal", "workers", "asynchronous", "callback"),
)


@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_no_argument_is_echoed_whole(name: str, kind: str) -> None:
    """However long, and whatever is in it: a message is one short printable line."""
    right: dict[str, Any] = {"fun": sphere, "x0": [1.0, 3.0], "sigma0": 1.0}
    with pytest.raises((ValueError, TypeError)) as raised:
        sacma.minimize(**{**right, name: HUGE[kind]})
    message = str(raised.value)
    assert message.isprintable()
    given, _, allowed = message.partition("; allowed: ")
    assert allowed
    assert len(given) < 200
    assert len(allowed) < 250


@pytest.mark.parametrize("method", ["sacma", "dts-cmaes", "cmaes", "forest-scmaes", "lq"])
def test_the_caller_s_state_of_numeric_errors(method: str) -> None:
    """Numbers may underflow and overflow in models, whatever a program has set by ``numpy.seterr``."""
    for fun in (lambda x: float(np.sum(x)), lambda x: 1.7e308 * math.sin(50.0 * x[0])):
        given: dict[str, Any] = {"budget": 60, "seed": 3, "method": method}
        expected = sacma.minimize(fun, [1.0, 1.0], 1.0, **given)
        with np.errstate(all="raise"):
            found = sacma.minimize(fun, [1.0, 1.0], 1.0, **given)
        np.testing.assert_array_equal(found.history.points, expected.history.points)
