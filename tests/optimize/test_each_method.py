"""Every method as a library: bounds, failed evaluations, limits, journals, states and workers."""

import json
import math
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.journal import to_line
from sacma.optimize.methods import composed, method_of, names
from sacma.optimize.result import Result, Status
from sacma.strategy.settings import StrategySettings
from sacma.types import Array
from tests.optimize.kills import killed, run, same_evaluations
from tests.optimize.runs import MadeOnce, bits

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
STRATEGIES = [*composed(), *OWN]
SEARCHES = [name for name in names() if name not in composed()]
"""Methods that call f themselves."""

X0 = [0.5, 0.5, -0.5]
BOUNDS = (-2.0, 1.5)
BUDGET = 60


def sphere(x: Array) -> float:
    return float(x @ x)


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def partly_failing(x: Array) -> float | None:
    """Rosenbrock's function, which fails in strips of the space."""
    if math.sin(25 * x[0]) > 0.8:
        raise RuntimeError("no mesh")
    if math.sin(20 * x[1]) > 0.8:
        return math.nan
    return None if x[2] > 1.2 else rosenbrock(x)


def call(method: str, fun: Callable[[Array], Any] = partly_failing, **more: Any) -> Result:
    given = {"bounds": BOUNDS, "budget": BUDGET, "seed": 3, "max_failures": None, **more}
    return sacma.minimize(fun, X0, 1.0, method=OWN.get(method, method), **given)


@pytest.fixture(scope="module")
def straight() -> dict[str, Result]:
    """A run of each method, made when it is first asked for."""
    return MadeOnce(call)


@pytest.mark.parametrize("method", [*STRATEGIES, *SEARCHES])
def test_bounds_and_failures(method: str, straight: dict[str, Result]) -> None:
    """No point is outside; exceptions, NaN and None count, are told of, and are never the best."""
    result = straight[method]
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
    assert any(g.fit_status == "trained" for g in generations) == bool(strategy and strategy.model)
    if strategy is None:
        assert (result.nit, len(generations), result.model_generations) == (BUDGET, BUDGET, 0)
    assert call(method, lambda _: None, budget=25).failures == 25
    assert call(method, lambda _: 1 / 0, max_failures=7).status == Status.FAILURES


@pytest.mark.parametrize("method", [*STRATEGIES, *SEARCHES])
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
    if method in STRATEGIES:
        assert sacma.Optimizer.load(path).result.fun == straight[method].fun
        return
    assert bits(call(method, journal=path, budget=BUDGET + 20)) == bits(call(method, budget=BUDGET + 20))
    with pytest.raises(ValueError, match=r"path is .*; allowed: .* others call f themselves, in sacma.minimize"):
        sacma.Optimizer.load(path)
    with pytest.raises(ValueError, match=r"method is .*; one that calls f itself is a method of sacma.minimize"):
        sacma.Optimizer([0.0], 1.0, method=method, bounds=(-1, 1))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_asked_told_saved_and_loaded(strategy: str, straight: dict[str, Result], tmp_path: Path) -> None:
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
    assert bits(es.result) == bits(straight[strategy])
    assert es.stop() == {"budget": BUDGET}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_workers_make_the_same_run(strategy: str, straight: dict[str, Result]) -> None:
    """Threads, and processes where a strategy asks for a part of a population only."""
    with ThreadPoolExecutor(3) as executor:
        for workers in [executor, 2] if strategy in {"dts-cmaes", "small-forest"} else [executor]:
            assert bits(call(strategy, workers=workers, asynchronous=False)) == bits(straight[strategy])


def test_a_share_of_a_population_is_asked_for(straight: dict[str, Result]) -> None:
    """The doubly trained control has f evaluate a part of each population once there are models; callbacks see all."""
    es = sacma.Optimizer(X0, 1.0, method="dts-cmaes", seed=1)
    sizes = []
    while es.result.nfev < 100:
        X = es.ask()
        sizes.append(len(X))
        es.tell(X, [sphere(x) for x in X])
    assert sizes[:5] == [14, 1, 1, 1, 1]  # ⌊2 (4 + 3 ln 3)⌋, ⌈0.05 · 14⌉
    generations = straight["small-forest"].history.generations
    assert generations[-1].population_size == 7
    assert 0 < BUDGET - generations[0].true_evaluations < 7 * len(generations)
    seen = [0]
    call("dts-cmaes", sphere, callback=lambda result: seen.append(result.nfev))
    assert (np.diff(seen).max(), np.diff(seen).min()) == (14, 1)
    assert seen[-1] == BUDGET


@pytest.mark.parametrize("strategy", ["gp1", "dts-cmaes", "small-forest", "as-run", "proposing"])
def test_target_and_archive(strategy: str) -> None:
    """A given archive feeds the first model; the evaluation that reaches the target is the last."""
    X = np.random.default_rng(0).uniform(-2, 1.5, (60, 3))
    result = call(strategy, sphere, known=(X, [sphere(x) for x in X]), target=0.05)
    assert result.status in {Status.TARGET, Status.BUDGET}
    if result.status == Status.TARGET:
        assert result.history.values[-1] <= 0.05 < np.min(result.history.values[:-1])
    first = result.history.generations[0]
    assert (first.fit_status, first.training_set_size <= 45) == ("trained", True)


# Methods that call f themselves.


@pytest.mark.parametrize("bounds", [None, BOUNDS, ((None, 0.25), (-3, None), (0, 0.5))], ids=["open", "box", "sides"])
@pytest.mark.parametrize("method", SEARCHES)
def test_a_search_finds_the_optimum(method: str, bounds: Any) -> None:
    """No point is outside of the bounds, and the best of what is inside is found."""
    shift, x0 = np.array([1.0, -0.5, 0.25]), [0.25, -2.0, 0.0]
    arguments: dict[str, Any] = {"method": method, "bounds": bounds, "budget": 500, "seed": 1}
    if method == "random-search" and bounds != BOUNDS:
        with pytest.raises(ValueError, match=r"^method is 'random-search'; allowed: with two finite bounds of each"):
            sacma.minimize(sphere, x0, 0.5, **arguments)
        return
    result = sacma.minimize(lambda x: sphere(x - shift), x0, 0.5, **arguments)
    pairs = np.array([bounds or (None, None)] * 3 if bounds in {None, BOUNDS} else bounds, dtype=float)
    lower, upper = np.where(np.isnan(pairs), [-np.inf, np.inf], pairs).T
    assert np.all((result.history.points >= lower) & (result.history.points <= upper))
    tolerance = 0.2 if method == "random-search" else 1e-5
    assert result.fun == pytest.approx(sphere(np.clip(shift, lower, upper) - shift), abs=tolerance)
    assert (result.nfev, result.status, result.success) == (500, Status.BUDGET, False)


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
    header, *_ = path.read_bytes().splitlines()
    for other, difference in {
        "slsqp": "method.settings.method = 'cobyqa' there, method.settings.method = 'slsqp' here",
        "lq-cma-es": "method.algorithm = 'local-search' there, method.algorithm = 'lq-cmaes' here",
        "sacma": "method.algorithm = 'local-search' there, method.algorithm = 'surrogate-cmaes' here",
    }.items():
        with pytest.raises(ValueError, match=f"of another call: {difference}"):
            call(other, journal=path, budget=5)
    content = json.loads(header)
    content.pop("crc")
    there = content["call"]["method"]
    for change, message in (
        ({"algorithm": "os.system"}, "algorithm is 'os.system', not one of"),
        ({"settings": {**there["settings"], "tolerance": 0.0}}, "call.method.settings: tolerance"),
    ):
        path.write_bytes(to_line({**content, "call": {**content["call"], "method": {**there, **change}}}))
        with pytest.raises(ValueError, match=f"journal is .*, of which line 1 is .*: {message}"):
            call("cobyqa", journal=path, budget=5)


@pytest.mark.parametrize("method", ["cobyqa", "bipop-cma-es"])
def test_workers_are_refused(method: str) -> None:
    """In one line that names methods that take them; no journal is begun."""
    with ThreadPoolExecutor(1) as executor:
        for workers in (2, -1, executor):
            with pytest.raises(
                ValueError, match=r"^workers is [^\n]*; allowed: None .*: sacma, ada-kendall, dts-cmaes"
            ):
                call(method, workers=workers, journal="no such folder/journal")
    assert call(method, workers=1, budget=3).nfev == 3


@pytest.mark.parametrize("method", ["cobyqa", "nelder-mead", "powell", "cobyla", "l-bfgs-b", "slsqp", "lq-cma-es"])
def test_units_of_the_step_size_and_the_scale(method: str) -> None:
    """In units a power of two away, the points are the same ones."""
    unit, x0 = 2.0**20, np.array([0.5, 0.5, 0.0])

    def minimized(unit: float, sigma0: float, budget: int, **more: Any) -> Array:
        given: dict[str, Any] = {"method": method, "budget": budget, "seed": 1, **more}
        result = sacma.minimize(lambda x: rosenbrock(x / unit), x0 * unit, sigma0, **given)
        return np.asarray(result.history.points / unit)

    plain = minimized(1.0, 0.5, 60)
    np.testing.assert_array_equal(plain, minimized(unit, 0.5, 60, scale=unit))
    if method == "lq-cma-es":  # whose models depend on the units
        return
    np.testing.assert_allclose(minimized(unit, 0.5 * unit, 9), plain[:9], atol=1e-6)
    first = {"l-bfgs-b": 0.5e-8, "slsqp": 1.5e-8 * 0.5, "powell": None}.get(method, 0.5)
    assert first is None or np.diag(np.abs(plain[1:4] - plain[0])) == pytest.approx(first, rel=0.5)


def test_restarts_begin_elsewhere() -> None:
    """At uniform points between the bounds, which the number of restarts counts."""
    result = call("slsqp", rosenbrock, budget=400)
    assert result.restarts >= 2
    restarts = [generation.restart for generation in result.history.generations]
    starts = result.history.points[[restarts.index(number) for number in range(3)]]
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

    def of_seed(seed: int) -> tuple[bytes, bytes]:
        return bits(call("bipop-cma-es", seed=seed, budget=150))

    with ThreadPoolExecutor(2) as executor:
        assert list(executor.map(of_seed, (1, 2, 1, 2))) == [of_seed(1), of_seed(2)] * 2


def test_an_archive_is_the_best_until_there_is_a_better_one() -> None:
    """Such methods do not learn from it; a target that it reaches ends the run at once."""
    known = [[1.0, 1.0, 1.0]], [0.0]
    result = call("cobyqa", known=known, budget=20)
    assert (result.nfev, result.fun) == (20, 0.0)
    assert bits(result) == bits(call("cobyqa", budget=20))
    assert call("cobyqa", known=known, target=0.0).nfev == 0
