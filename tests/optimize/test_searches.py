"""Methods that call f themselves, as a library: bounds, limits, failed evaluations, journals, and ask and tell."""

import gc
import json
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.journal import to_line
from sacma.optimize.methods import composed, names
from sacma.optimize.result import Result, Status
from sacma.surrogate.whitening import Array
from tests.optimize.kills import killed, run, same_evaluations
from tests.optimize.runs import MadeOnce, bits

SEARCHES = [name for name in names() if name not in composed()]
BOUNDS = (-2.0, 1.5)
BUDGET = 90


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Whatever a test does, the threads of its searches have ended."""
    yield
    gc.collect()
    assert [thread.name for thread in threading.enumerate() if thread.name == "search"] == []


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def partly_failing(x: Array) -> float | None:
    """Rosenbrock's function, which fails in strips of the space."""
    if math.sin(25 * x[0]) > 0.8:
        raise RuntimeError("no mesh")
    if math.sin(20 * x[1]) > 0.8:
        return math.nan
    return None if x[2] > 1.2 else rosenbrock(x)


def call(method: Any, fun: Callable[[Array], Any] = partly_failing, **more: Any) -> Result:
    given = {"bounds": BOUNDS, "budget": BUDGET, "seed": 3, "max_failures": None, **more}
    return sacma.minimize(fun, [0.9, 0.5, -0.5], 1.0, method=method, **given)


@pytest.fixture(scope="module")
def straight() -> dict[str, Result]:
    """A run of each method, made when it is first asked for."""
    return MadeOnce(call)


@pytest.mark.parametrize("bounds", [None, BOUNDS, ((None, 0.25), (-3, None), (0, 0.5))], ids=["open", "box", "sides"])
@pytest.mark.parametrize("method", SEARCHES)
def test_each_method_finds_the_optimum(method: str, bounds: Any) -> None:
    """No point is outside of the bounds, and the best of what is inside is found."""
    shift = np.array([1.0, -0.5, 0.25])

    def fun(x: Array) -> float:
        return float(np.sum((x - shift) ** 2))

    arguments: dict[str, Any] = {"method": method, "bounds": bounds, "budget": 700, "seed": 1}
    x0 = np.array([0.25, -2.0, 0.0])
    if method == "random-search" and bounds != BOUNDS:
        with pytest.raises(ValueError, match=r"^method is 'random-search'; allowed: with two finite bounds of each"):
            sacma.minimize(fun, x0, 0.5, **arguments)
        return
    result = sacma.minimize(fun, x0, 0.5, **arguments)
    pairs = np.array([bounds or (None, None)] * 3 if bounds in {None, BOUNDS} else bounds, dtype=float)
    lower, upper = np.where(np.isnan(pairs), [-np.inf, np.inf], pairs).T
    assert np.all((result.history.points >= lower) & (result.history.points <= upper))
    tolerance = 0.2 if method == "random-search" else 1e-5
    assert result.fun == pytest.approx(fun(np.clip(shift, lower, upper)), abs=tolerance)
    assert result.fun == fun(result.x)
    assert (result.nfev, result.status, result.success) == (700, Status.BUDGET, False)


@pytest.mark.parametrize("method", SEARCHES)
def test_failed_evaluations(method: str, straight: dict[str, Result]) -> None:
    """Exceptions, NaN and None count, are told of, and are never the best."""
    result = straight[method]
    points, values = result.history.points, result.history.values
    assert result.nfev == len(values) == BUDGET
    assert np.all((points >= BOUNDS[0]) & (points <= BOUNDS[1]))
    assert result.failures == np.isnan(values).sum() == len(result.history.failures)
    assert 0 < result.failures < 0.7 * BUDGET
    assert result.fun == np.nanmin(values) == rosenbrock(result.x)
    assert result.nit == len(result.history.generations) == BUDGET
    assert result.model_generations == 0
    assert call(method, lambda _: None, budget=25).failures == 25
    assert call(method, lambda _: 1 / 0, max_failures=7).status == Status.FAILURES


@pytest.mark.parametrize("method", SEARCHES)
def test_limits(method: str) -> None:
    """Budget, target, callback and time end a run as they end any other."""
    for budget in (1, 2, 31):
        calls: list[Array] = []

        def fun(x: Array, calls: list[Array] = calls) -> float:
            calls.append(x)
            return rosenbrock(x)

        assert call(method, fun, budget=budget).nfev == budget == len(calls)
    result = call(method, rosenbrock, target=60.0)
    assert (result.status, result.success) == (Status.TARGET, True)
    assert result.history.values[-1] <= 60.0
    assert np.all(result.history.values[:-1] > 60.0)
    seen: list[int] = []

    def callback(so_far: Result) -> bool:
        seen.append(so_far.nfev)
        return len(seen) == 5

    result = call(method, rosenbrock, callback=callback)
    assert (result.status, seen) == (Status.CALLBACK, [1, 2, 3, 4, 5])
    assert call(method, rosenbrock, time_limit=1e-9).status == Status.TIME_LIMIT


@pytest.mark.parametrize("method", SEARCHES)
def test_a_mistake_in_f_is_raised(method: str) -> None:
    """As for all methods: the exception itself comes out."""
    with pytest.raises(IndexError, match="valid indices"):
        call(method, lambda x: x["a"], max_failures=20)  # type: ignore[call-overload]


@pytest.mark.parametrize("method", SEARCHES)
def test_an_interrupted_journal_is_continued(method: str, straight: dict[str, Result], tmp_path: Path) -> None:
    """No evaluation is paid for twice, and the run is the one that would have been, though it is interrupted twice."""
    path, calls = tmp_path / "journal", 0

    def interrupted(x: Array) -> float | None:
        nonlocal calls
        calls += 1
        if calls in {14, 42}:
            raise KeyboardInterrupt
        return partly_failing(x)

    results = [call(method, interrupted, journal=path) for _ in range(3)]
    assert [result.status for result in results] == [Status.INTERRUPTED, Status.INTERRUPTED, Status.BUDGET]
    assert calls == BUDGET + 2
    assert bits(results[-1]) == bits(straight[method])
    assert sacma.read_journal(path).points.tobytes() == straight[method].history.points.tobytes()
    longer = call(method, journal=path, budget=BUDGET + 20)
    assert bits(longer) == bits(call(method, budget=BUDGET + 20))
    with pytest.raises(ValueError, match=r"path is .*; allowed: .* others call f themselves, in sacma.minimize"):
        sacma.Optimizer.load(path)
    with pytest.raises(ValueError, match=r"method is .*; one that calls f itself is a method of sacma.minimize"):
        sacma.Optimizer([0.0], 1.0, method=method, bounds=(-1, 1))


@pytest.mark.parametrize("method", ["cobyqa", "lq-cma-es"])
def test_killed_at_random_moments(method: str, tmp_path: Path) -> None:
    """The journal is that of the run that was left alone, byte by byte."""
    alone, other = tmp_path / "alone.jsonl", tmp_path / "killed.jsonl"
    run(alone, threads=1, budget=60, method=method)
    assert killed(other, 2, np.random.default_rng(3), budget=60, method=method)
    assert same_evaluations(alone, other)
    assert alone.read_bytes() == other.read_bytes()


def test_the_journal_of_another_method_is_refused(tmp_path: Path) -> None:
    """With the algorithm or the setting that differs; so is one that names what is not there."""
    path = tmp_path / "journal"
    call("cobyqa", journal=path, budget=5)
    before = path.read_bytes()
    for other, difference in {
        "slsqp": "method.settings.method = 'cobyqa' there, method.settings.method = 'slsqp' here",
        "lq-cma-es": "method.algorithm = 'local-search' there, method.algorithm = 'lq-cmaes' here",
        "sacma": "method.algorithm = 'local-search' there, method.algorithm = 'surrogate-cmaes' here",
    }.items():
        with pytest.raises(ValueError, match=f"of another call: {difference}"):
            call(other, journal=path, budget=5)
    header, *_ = before.splitlines()
    content = {key: value for key, value in json.loads(header).items() if key != "crc"}
    for where, value, message in (
        ("algorithm", "os.system", "algorithm is 'os.system', not one of"),
        ("method", "rm", "call.method.settings: method"),
        ("tolerance", 0.0, "call.method.settings: tolerance"),
        ("within_box", 1, "call.method.settings: within_box"),
    ):
        there = content["call"]["method"]
        changed = {**there, "settings": {**there["settings"], where: value}}
        if where == "algorithm":
            changed = {**there, "algorithm": value}
        path.write_bytes(to_line({**content, "call": {**content["call"], "method": changed}}))
        with pytest.raises(ValueError, match=f"journal is .*, of which line 1 is .*: {message}"):
            call("cobyqa", journal=path, budget=5)


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize("workers", [2, -1, "executor"])
def test_workers_are_refused(method: str, workers: Any) -> None:
    """In one line that names methods that take them; no journal is begun."""
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ValueError, match=r"^workers is [^\n]*; allowed: None ") as raised,
    ):
        call(method, workers=executor if workers == "executor" else workers, journal="no such folder/journal")
    assert ": sacma, ada-kendall, dts-cmaes" in str(raised.value)
    assert call(method, workers=1, budget=3).nfev == 3


@pytest.mark.parametrize("method", ["cobyqa", "nelder-mead", "powell", "cobyla", "l-bfgs-b", "slsqp", "lq-cma-es"])
def test_units_of_the_step_size_and_the_scale(method: str) -> None:
    """In units a power of two away, the points are the same ones."""
    unit = np.array([2.0**20, 2.0**20, 2.0**20])
    plain = sacma.minimize(rosenbrock, [0.5, 0.5, 0.0], 0.5, method=method, budget=60, seed=1)
    scaled = sacma.minimize(
        lambda x: rosenbrock(x / unit), [0.5, 0.5, 0.0] * unit, 0.5, scale=unit, method=method, budget=60, seed=1
    )
    np.testing.assert_array_equal(plain.history.points * unit, scaled.history.points)
    if method == "lq-cma-es":  # whose models depend on the units
        return
    wide = sacma.minimize(
        lambda x: rosenbrock(x / unit), [0.5, 0.5, 0.0] * unit, 0.5 * unit[0], method=method, budget=9, seed=1
    )
    np.testing.assert_allclose(wide.history.points / unit, plain.history.points[:9], atol=1e-6)
    steps = np.abs(plain.history.points[1:4] - plain.history.points[0])
    first = {"l-bfgs-b": 0.5e-8, "slsqp": 1.5e-8 * 0.5, "powell": None}.get(method, 0.5)
    assert first is None or np.diag(steps) == pytest.approx(first, rel=0.5)


def test_restarts_begin_elsewhere() -> None:
    """At uniform points between the bounds, which the number of restarts counts."""
    result = call("slsqp", rosenbrock, budget=400)
    assert result.restarts >= 2
    begins = [g.true_evaluations - 1 for g in result.history.generations]
    first = [
        next(b for b, g in zip(begins, result.history.generations, strict=True) if g.restart == r) for r in range(3)
    ]
    starts = result.history.points[first]
    assert len(np.unique(np.round(starts, 6), axis=0)) == 3


def test_f_and_the_caller_keep_their_state() -> None:
    """Warnings, NumPy's errors and its global generator are those of the caller, in f and after each request."""
    np.random.seed(5)  # noqa: NPY002 the one that must stay untouched
    expected = np.random.RandomState(5).uniform(size=60)
    drawn: list[float] = []

    def fun(x: Array) -> float:
        drawn.append(np.random.uniform())  # noqa: NPY002 idem
        warnings.warn("from f", UserWarning, stacklevel=1)
        with pytest.raises(FloatingPointError):
            np.float64(1.0) / np.float64(0.0)
        return rosenbrock(x)

    filters = list(warnings.filters)
    with np.errstate(divide="raise"):
        for method in ("lq-cma-es", "bipop-cma-es", "cobyqa"):
            with pytest.warns(UserWarning, match="from f") as caught:
                sacma.minimize(fun, [0.0, 0.0], 0.5, method=method, budget=20, seed=1)
            assert len(caught) == 20
    np.testing.assert_array_equal(drawn, expected)
    assert warnings.filters == filters


def test_two_searches_at_a_time() -> None:
    """In threads of the user each is the run that it is alone."""
    alone = {seed: call("bipop-cma-es", seed=seed, budget=150) for seed in (1, 2)}
    with ThreadPoolExecutor(2) as executor:
        for seed, result in zip(
            (1, 2, 1, 2), executor.map(lambda s: call("bipop-cma-es", seed=s, budget=150), (1, 2, 1, 2)), strict=True
        ):
            assert bits(result) == bits(alone[seed])


def test_an_archive_is_the_best_until_there_is_a_better_one() -> None:
    """Such methods do not learn from it; a target that it reaches ends the run at once."""
    X, y = np.array([[1.0, 1.0, 1.0]]), [0.0]
    result = call("cobyqa", known=(X, y), budget=20)
    assert (result.nfev, result.fun) == (20, 0.0)
    assert bits(result) == bits(call("cobyqa", budget=20))
    assert call("cobyqa", known=(X, y), target=0.0).nfev == 0
