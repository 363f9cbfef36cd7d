"""Every strategy as a library: bounds, failed evaluations, journals, states and workers, whichever its parts are."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.methods import composed, method_of
from sacma.optimize.result import Result, Status
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array
from tests.optimize.runs import MadeOnce, bits

PROPOSING = StrategySettings.model_validate(
    {
        "model": {"name": "gaussian-process"},
        "control": {"name": "generations"},
        "proposals": {"name": "model-optimum"},
        "sampling": {"bounds": "transform"},
    }
)
AS_RUN = StrategySettings.model_validate(
    {
        "sampling": {"name": "cma-es-as-run"},
        "model": {"name": "gaussian-process-as-run"},
        "training_set": {"selection": {"name": "kmeans"}},
        "acceptance": {"name": "spans-sample-as-run"},
        "restarts": {"name": "ipop-as-run"},
        "control": {"name": "adaptive-generations-as-run", "error": {"name": "kullback-leibler-as-run"}},
    }
)
SMALL_FOREST = StrategySettings.model_validate(
    {"model": {"name": "random-forest", "trees": 5}, "control": {"name": "doubly-trained", "share": {"value": 0.3}}}
)
STRATEGIES: dict[str, Any] = {
    **{name: name for name in composed()},
    "proposing": PROPOSING,
    "as-run": AS_RUN,
    "small-forest": SMALL_FOREST,
}
BOUNDS = (-2.0, 1.5)
BUDGET = 60
X0 = [0.5, 0.5, -0.5]


def partly_failing(x: Array) -> float | None:
    """Rosenbrock's function, which fails in a corner of the box."""
    if x[0] > 1.2:
        raise RuntimeError("no mesh")
    if x[1] < -1.5:
        return None
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def call(strategy: str, fun: Callable[[Array], Any] = partly_failing, **more: Any) -> Result:
    given = {"bounds": BOUNDS, "budget": BUDGET, "seed": 3, "max_failures": None, **more}
    return sacma.minimize(fun, X0, 1.0, method=STRATEGIES[strategy], **given)


@pytest.fixture(scope="module")
def straight() -> dict[str, Result]:
    """A run of each strategy, made when it is first asked for."""
    return MadeOnce(call)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_bounds_and_failures(strategy: str, straight: dict[str, Result]) -> None:
    """No point is outside, failed evaluations are counted and told of, and models are trained beside them."""
    result = straight[strategy]
    points, values = result.history.points, result.history.values
    assert result.nfev == len(values) == BUDGET
    assert np.all((points >= BOUNDS[0]) & (points <= BOUNDS[1]))
    assert len({x.tobytes() for x in points}) > 0.9 * BUDGET
    assert result.failures == np.isnan(values).sum() > 0
    assert result.failures == len(result.history.failures) < BUDGET / 2
    for point, value in zip(points, values, strict=True):
        if not math.isnan(value):
            assert value == partly_failing(point)
    trained = [g for g in result.history.generations if g.fit_status == "trained"]
    settings = method_of(STRATEGIES[strategy], sigma0=1.0, bounded=True).strategy
    assert settings is not None
    assert bool(trained) == (settings.model is not None)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_interrupted_journal_is_continued(strategy: str, straight: dict[str, Result], tmp_path: Path) -> None:
    """No evaluation is paid for twice, and the run is the one that would have been, though it is interrupted twice."""
    path, calls = tmp_path / "journal", 0

    def interrupted(x: Array) -> float | None:
        nonlocal calls
        if calls in {13, 41}:
            calls += 1
            raise KeyboardInterrupt
        calls += 1
        return partly_failing(x)

    results = [call(strategy, interrupted, journal=path) for _ in range(3)]
    assert [result.status for result in results] == [Status.INTERRUPTED, Status.INTERRUPTED, Status.BUDGET]
    assert calls == BUDGET + 2
    assert bits(results[-1]) == bits(straight[strategy])
    assert sacma.read_journal(path).points.tobytes() == straight[strategy].history.points.tobytes()
    loaded = sacma.Optimizer.load(path)
    assert loaded.result.fun == straight[strategy].fun


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_asked_told_saved_and_loaded(strategy: str, straight: dict[str, Result], tmp_path: Path) -> None:
    """Values come one by one and in another order; at random moments the optimizer is replaced by its saved state."""
    rng = np.random.default_rng(5)
    es = sacma.Optimizer(X0, 1.0, method=STRATEGIES[strategy], bounds=BOUNDS, budget=BUDGET, seed=3, max_failures=None)
    while not es.stop():
        X = es.ask()
        assert len(X) >= 1
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
def test_threads_make_the_same_run(strategy: str, straight: dict[str, Result]) -> None:
    """Also where a strategy asks for a part of a population only."""
    with ThreadPoolExecutor(3) as executor:
        assert bits(call(strategy, workers=executor, asynchronous=False)) == bits(straight[strategy])


@pytest.mark.parametrize("strategy", ["dts-cmaes", "small-forest"])
def test_processes_make_the_same_run(strategy: str, straight: dict[str, Result]) -> None:
    """Those that ask for parts of populations, in processes, continued from a journal."""
    assert bits(call(strategy, workers=2, asynchronous=False)) == bits(straight[strategy])


def test_a_share_of_a_population_is_asked_for(straight: dict[str, Result]) -> None:
    """The doubly trained control has f evaluate a part of each population once there are models."""
    es = sacma.Optimizer([0.5] * 3, 1.0, method="dts-cmaes", seed=1)
    sizes = []
    while es.result.nfev < 100:
        X = es.ask()
        sizes.append(len(X))
        es.tell(X, [float(x @ x) for x in X])
    assert sizes[0] == 14  # ⌊2 (4 + 3 ln 3)⌋
    assert sizes[1:5] == [1] * 4  # ⌈0.05 · 14⌉
    generations = straight["small-forest"].history.generations
    assert generations[-1].population_size == 7
    assert 0 < BUDGET - generations[0].true_evaluations < 7 * len(generations)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_proposals_and_evaluated_means_are_evaluations_as_well(strategy: str, straight: dict[str, Result]) -> None:
    """Whatever f is asked for counts, and the generations say how many evaluations there were."""
    result = straight[strategy]
    assert result.nit == len(result.history.generations) > 0
    counts = [g.true_evaluations for g in result.history.generations]
    assert counts == sorted(counts)
    assert counts[-1] <= result.nfev


def test_the_callback_comes_after_each_request() -> None:
    """It sees each evaluation soon, also where f evaluates parts of populations."""
    seen: list[int] = []
    call("dts-cmaes", lambda x: float(x @ x), callback=lambda result: seen.append(result.nfev))
    assert seen == sorted(seen)
    assert max(np.diff([0, *seen])) == 14
    assert seen[-1] == BUDGET


def test_target_and_archive_of_each_strategy() -> None:
    """A given archive feeds the first model; the evaluation that reaches the target is the last."""
    X = np.random.default_rng(0).uniform(-2, 1.5, (60, 3))
    y = [float(x @ x) for x in X]
    for strategy in ("gp1", "dts-cmaes", "small-forest", "as-run", "proposing"):
        result = call(strategy, lambda x: float(x @ x), known=(X, y), target=0.05)
        assert result.status in {Status.TARGET, Status.BUDGET}
        if result.status == Status.TARGET:
            assert result.history.values[-1] <= 0.05 < np.min(result.history.values[:-1])
        first = result.history.generations[0]
        assert first.fit_status == "trained"
        assert first.training_set_size <= 45
