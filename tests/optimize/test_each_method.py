"""Every method as a library: bounds, failed evaluations, limits, journals, states and workers."""

import math
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.methods import composed, method_of, names
from sacma.optimize.result import Result, Status
from sacma.strategy.settings import StrategySettings
from sacma.types import Array
from tests.optimize.runs import bits, partly_failing, rosenbrock, sphere

CONTENTS: dict[str, dict[str, Any]] = {
    "proposing": {
        "model": {"name": "gaussian-process"},
        "control": {"name": "generations"},
        "proposals": {"name": "model-optimum"},
        "sampling": {"bounds": "transform"},
    },
    "as-run": {
        "sampling": {"name": "cma-es-as-run"},
        "model": {"name": "gaussian-process-as-run"},
        "training_set": {"selection": {"name": "kmeans"}},
        "acceptance": {"name": "spans-sample-as-run"},
        "restarts": {"name": "ipop-as-run"},
        "control": {"name": "adaptive-generations-as-run", "error": {"name": "kullback-leibler-as-run"}},
    },
    "small-forest": {
        "model": {"name": "random-forest", "trees": 5},
        "control": {"name": "doubly-trained", "share": {"value": 0.3}},
    },
}
OWN: dict[str, Any] = {name: StrategySettings.model_validate(content) for name, content in CONTENTS.items()}
# As others, but for a number, an error measure, the active update, or what shows in longer runs or more dimensions.
ALIKE = {"gp1", "ada-kl", "ada-rd", "ada-kendall-active", "dts-cmaes-active", "ipop-saacm-es", "bipop-saacm-es-k"}
STRATEGIES = [*(name for name in composed() if "forest" not in name and name not in ALIKE), *OWN]
SEARCHES = [name for name in names() if name not in composed()]  # methods that call f themselves

X0 = [0.5, 0.5, -0.5]
BOUNDS = (-2.0, 1.5)
BUDGET = 45


def call(method: str, fun: Callable[[Array], Any] = partly_failing, **more: Any) -> Result:
    given = {"bounds": BOUNDS, "budget": BUDGET, "seed": 3, "max_failures": None, **more}
    return sacma.minimize(fun, X0, 1.0, method=OWN.get(method, method), **given)


@pytest.fixture(scope="module")
def straight() -> Callable[[str], Result]:
    """Make a run of each method, when it is first asked for."""
    return cache(call)


@pytest.mark.parametrize("method", [*STRATEGIES, *SEARCHES])
def test_bounds_and_failures(method: str, straight: Callable[[str], Result]) -> None:
    """No point is outside; exceptions, NaN and None count, are told of, and are never the best."""
    result = straight(method)
    points, values, generations = result.history.points, result.history.values, result.history.generations
    assert result.nfev == len(values) == BUDGET
    assert np.all((points >= BOUNDS[0]) & (points <= BOUNDS[1]))
    assert len({x.tobytes() for x in points}) > 0.9 * BUDGET
    assert result.failures == np.isnan(values).sum() == len(result.history.failures)
    assert 0 < result.failures < 0.7 * BUDGET
    assert result.fun == np.nanmin(values) == rosenbrock(result.x)
    for point, value in zip(points, values, strict=True):
        assert math.isnan(value) or value == partly_failing(point)
    counts = [g.true_evaluations for g in generations]
    assert counts == sorted(counts)
    assert counts[-1] <= BUDGET
    strategy = method_of(OWN.get(method, method), sigma0=1.0, bounded=True).strategy
    first = getattr(strategy.control, "first_generations", 0) if strategy else 0  # that no model precedes
    learns = bool(strategy and strategy.model and len(generations) > first)
    assert any(g.fit_status == "trained" for g in generations) == learns
    if strategy is None:
        assert (result.nit, len(generations), result.model_generations) == (BUDGET, BUDGET, 0)
    assert call(method, lambda _: None, budget=25).failures == 25
    assert call(method, lambda _: 1 / 0, max_failures=7).status == Status.FAILURES


@pytest.mark.parametrize("method", [*STRATEGIES, *SEARCHES])
def test_an_interrupted_journal_is_continued(method: str, straight: Callable[[str], Result], tmp_path: Path) -> None:
    """No evaluation is paid for twice, and the run is the one that would have been, though it is interrupted twice."""
    path, calls = tmp_path / "journal", 0

    def interrupted(x: Array) -> float | None:
        nonlocal calls
        calls += 1
        if calls in {14, 32}:
            raise KeyboardInterrupt
        return partly_failing(x)

    results = [call(method, interrupted, journal=path) for _ in range(3)]
    assert [result.status for result in results] == [Status.INTERRUPTED, Status.INTERRUPTED, Status.BUDGET]
    assert calls == BUDGET + 2
    assert bits(results[-1]) == bits(straight(method))
    assert sacma.read_journal(path).points.tobytes() == straight(method).history.points.tobytes()
    if method in STRATEGIES:
        assert sacma.Optimizer.load(path).result.fun == straight(method).fun
        return
    assert bits(call(method, journal=path, budget=BUDGET + 20)) == bits(call(method, budget=BUDGET + 20))
    with pytest.raises(ValueError, match=r"path is .*; allowed: .* others call f themselves, in sacma.minimize"):
        sacma.Optimizer.load(path)
    with pytest.raises(ValueError, match=r"method is .*; one that calls f itself is a method of sacma.minimize"):
        sacma.Optimizer([0.0], 1.0, method=method, bounds=(-1, 1))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_asked_told_saved_and_loaded(strategy: str, straight: Callable[[str], Result], tmp_path: Path) -> None:
    """Values come one by one and in another order; at random moments the optimizer is replaced by its saved state."""
    rng = np.random.default_rng(5)
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": BUDGET, "seed": 3, "max_failures": None}
    es = sacma.Optimizer(X0, 1.0, method=OWN.get(strategy, strategy), **given)
    while not es.stop():
        X = es.ask()
        for i in rng.permutation(len(X)):
            try:
                value = partly_failing(X[i])
            except RuntimeError:
                value = math.nan
            es.tell([X[i]], [value])
            if rng.random() < 0.1:
                es.save(tmp_path / "state")
                es = sacma.Optimizer.load(tmp_path / "state")
    assert bits(es.result) == bits(straight(strategy))
    assert es.stop() == {"budget": BUDGET}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_workers_make_the_same_run(strategy: str, straight: Callable[[str], Result]) -> None:
    """Threads, and processes where a strategy asks for a part of a population only."""
    with ThreadPoolExecutor(3) as executor:
        for workers in [executor, 2] if strategy in {"dts-cmaes", "small-forest"} else [executor]:
            assert bits(call(strategy, workers=workers, asynchronous=False)) == bits(straight(strategy))


# Methods that call f themselves.


@pytest.mark.parametrize("bounds", [BOUNDS, ((None, 0.25), (-3, None), (0, 0.5))], ids=["box", "sides"])
@pytest.mark.parametrize("method", SEARCHES)
def test_a_search_finds_the_optimum(method: str, bounds: Any) -> None:
    """No point is outside of the bounds, and the best of what is inside is found."""
    shift, x0 = np.array([1.0, -0.5, 0.25]), [0.25, -2.0, 0.0]
    budget = 200 if method in {"cobyla", "cobyqa", "lq-cma-es"} else 300
    arguments: dict[str, Any] = {"method": method, "bounds": bounds, "budget": budget, "seed": 1}
    if method == "random-search" and bounds != BOUNDS:
        with pytest.raises(ValueError, match=r"^method is 'random-search'; allowed: with two finite bounds of each"):
            sacma.minimize(sphere, x0, 0.5, **arguments)
        return
    result = sacma.minimize(lambda x: sphere(x - shift), x0, 0.5, **arguments)
    pairs = np.array([bounds] * 3 if bounds == BOUNDS else bounds, dtype=float)
    lower, upper = np.where(np.isnan(pairs), [-np.inf, np.inf], pairs).T
    assert np.all((result.history.points >= lower) & (result.history.points <= upper))
    tolerance = 0.2 if method == "random-search" else 1e-5
    assert result.fun == pytest.approx(sphere(np.clip(shift, lower, upper) - shift), abs=tolerance)
    assert (result.nfev, result.status, result.success) == (budget, Status.BUDGET, False)


@pytest.mark.parametrize("method", SEARCHES)
def test_what_ends_a_search(method: str) -> None:
    """Budget, target, callback, time and a mistake in f end a run as they end any other."""
    calls: list[Array] = []

    def counted(x: Array) -> float:
        calls.append(x)
        return rosenbrock(x)

    for budget in (1, 2, 31):
        calls.clear()
        assert call(method, counted, budget=budget).nfev == len(calls) == budget
    result = call(method, rosenbrock, target=60.0)
    assert (result.status, result.success) == (Status.TARGET, True)
    assert result.history.values[-1] <= 60.0 < np.min(result.history.values[:-1])
    result = call(method, rosenbrock, callback=lambda so_far: so_far.nfev == 5)
    assert (result.status, result.nfev) == (Status.CALLBACK, 5)
    assert call(method, rosenbrock, time_limit=1e-9).status == Status.TIME_LIMIT
    with pytest.raises(IndexError, match="valid indices"):
        call(method, lambda x: x["a"], max_failures=20)  # type: ignore[call-overload]


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
