"""Asked and told."""

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import sacma
from sacma.optimize.methods import DEFAULT
from sacma.optimize.run import Run
from sacma.strategy.restarts import IPOP
from sacma.strategy.settings import StrategySettings
from sacma.strategy.training import Trainer
from tests.optimize.runs import GENERATIONS, bits, rosenbrock, solve
from tests.optimize.sealed import sealed


def test_failed_values_are_told_as_what_they_are() -> None:
    """None, NaN and infinity; enough in a row stop the run."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=8, max_failures=3, method=GENERATIONS)
    X = es.ask()
    es.tell(X, [1.0, None, math.inf, 2.0, math.nan, None])
    assert es.stop() == {}
    assert es.result.failures == 4
    X = es.ask()
    es.tell(X[:1], [-math.inf])
    assert es.stop() == {"max_failures": 3}


def test_what_is_no_point_is_refused() -> None:
    """Points of another length, beyond the bounds, and another number of values; nothing of them is taken."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, bounds=(-3, 3), seed=8, method=GENERATIONS)
    X = es.ask()
    with pytest.raises(ValueError, match=r"values is .*; allowed: as many as there are points, 6"):
        es.tell(X, [1.0])
    with pytest.raises(ValueError, match=r"points\[1\]\[1\] is 4.0; allowed: within its bounds"):
        es.tell([X[0], [0.0, 4.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"points is .*; allowed: points of 2 coordinates, one a row"):
        es.tell(np.ones(1), [1.0])
    es.tell([], [])
    assert es.result.nfev == 0
    X[1][:] = 7.0  # ask gave a copy
    assert not np.any(es.ask()[1] == 7.0)


def test_any_point_can_be_told() -> None:
    """Near the search distribution it takes the place of a pending one; elsewhere, or told again, it costs nothing."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=8, method=GENERATIONS)
    es.tell([[9.0, 9.0]], [3.0])  # before the first ask
    assert (es.result.nfev, es.result.fun) == (0, 3.0)
    X = es.ask()
    assert len(es.pending) == len(X) == 6
    es.tell(X[:2], [8.0, 9.0])
    es.tell(X[:1], [8.0])
    es.tell([[99.0, 99.0]], [2.0])
    assert (es.result.nfev, es.result.fun, len(es.pending)) == (2, 2.0, 4)
    es.tell(np.round(X[2:], 1), [4.0, 5.0, 6.0, 7.0])
    assert es.result.nfev == 6
    assert not es.pending
    assert np.array_equal(es.result.history.points[2:], np.round(X[2:], 1))
    assert len(es.ask()) == 6  # the next population


def test_rounded_points_lead_to_the_optimum() -> None:
    """As where a device has no finer settings."""
    es = sacma.Optimizer([0.0, 0.0, 0.0], 0.5, seed=1, budget=120)
    while not es.stop():
        X = np.round(es.ask(), 2)
        es.tell(X, [float(np.sum((x - 0.303) ** 2)) for x in X])
    assert np.allclose(es.result.x, 0.3)


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
def test_any_number_of_points(method: str) -> None:
    """None of them is evaluated or pending; pending ones that are given up can be asked for again."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=8, method=method, budget=60)
    seen: set[bytes] = set()
    while not es.stop():
        X = es.ask(4)
        assert len(X) == min(4, 60 - es.result.nfev)
        assert not seen & {x.tobytes() for x in X}
        seen |= {x.tobytes() for x in X}
        es.tell(X[::-1], [rosenbrock(x) for x in X[::-1]])
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=8, method=method)
    first, second = es.ask(1), es.ask(3)
    assert [x.tobytes() for x in es.pending] == [x.tobytes() for x in [*first, *second]]
    es.forget(second)
    assert [x.tobytes() for x in es.pending] == [first[0].tobytes()]
    es.tell(second, [1.0, 2.0, 3.0])
    es.forget()
    assert not es.pending
    with pytest.raises(ValueError, match="n is 0; allowed: an integer ≥ 1"):
        es.ask(0)


def test_several_first_guesses() -> None:
    """All are evaluated first, and the search begins at the best."""
    guesses = [[0.5, 0.5], [1.0, 1.0], [-1.0, 2.0]]
    es = sacma.Optimizer(guesses, 0.1, seed=1, budget=40)
    assert np.array_equal(es.ask(), guesses)
    solve(es, rosenbrock)
    assert np.array_equal(es.result.history.points[:3], guesses)
    assert np.all(np.abs(es.result.history.points[3:8] - 1.0) <= 0.11)
    assert es.result.fun == 0.0
    given: dict[str, Any] = {"sigma0": 0.1, "seed": 1, "budget": 4, "known": ([guesses[0]], [6.5])}
    for method in ("sacma", "cmaes", "cobyqa"):  # none is evaluated twice, nor where it is known
        found = sacma.minimize(rosenbrock, [*guesses, guesses[2]], method=method, **given)
        assert np.array_equal(found.history.points[:2], guesses[1:])
        assert np.all(np.abs(found.history.points[2:] - 1.0) <= 0.4)


def test_stop_says_what_ended_the_run() -> None:
    """Budget, target and time limit, with their values."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, budget=9, seed=8)
    solve(es, rosenbrock)
    assert es.stop() == {"budget": 9}
    assert str(es.result.status) == f"{es.result.status}" == "BUDGET"
    with pytest.raises(ValueError, match=r"ask is called at the end: the budget of .*load\(path, budget=14\)"):
        es.ask(5)
    es = sacma.Optimizer([0.0, 0.0], 1.0, target=1e-8, seed=8)
    solve(es, rosenbrock)
    assert es.stop() == {"target": 1e-8}
    assert es.result.success
    assert sacma.Optimizer([0.0], 1.0, time_limit=1e-9).stop() == {"time_limit": 1e-9}
    settings = StrategySettings(restarts=IPOP(max_restarts=0, after_last_restart="stop"))
    es = sacma.Optimizer([0.0, 0.0], 1.0, method=settings, seed=8)
    solve(es, rosenbrock)
    assert list(es.stop()) == ["restarts"]
    with pytest.raises(ValueError, match="the method has ended, with its last restart"):
        es.ask()
    es = sacma.Optimizer([0.0, 0.0], 1.0, method=settings, seed=8, target=1.0)
    with pytest.raises(ValueError, match="ask is called at the end: the target, 1, is reached"):  # noqa: PT012
        while True:  # on behind the target, which is no hard limit
            X = es.ask()
            es.tell(X, [rosenbrock(x) for x in X])


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
def test_a_saved_optimizer_goes_on_bit_by_bit(tmp_path: Path, method: str) -> None:
    """With known points and a scale, from within a population: the same points as without a stop."""
    path = tmp_path / "state.jsonl"
    archive = (np.linspace(-1, 1, 24).reshape(8, 3), np.arange(8.0))
    given: dict[str, Any] = {"bounds": (-2, 2), "scale": [1, 3, 0.1], "known": archive, "method": method}
    es = sacma.Optimizer([0.0, 0.1, 0.0], 1.0, budget=80, seed=8, target=1e-9, **given)
    while es.result.nfev < 14:
        x = es.ask()[-1]
        es.tell([x], [rosenbrock(x) if x[0] < 1.5 else None])
    es.save(path)
    loaded = sacma.Optimizer.load(path)
    assert loaded.result.nfev == 14
    for one in (es, loaded):
        solve(one, lambda x: rosenbrock(x) if x[0] < 1.5 else None)
    assert bits(es.result) == bits(loaded.result)
    assert es.stop() == loaded.stop()
    assert [p.name for p in tmp_path.iterdir()] == ["state.jsonl"]


@pytest.mark.parametrize("method", [GENERATIONS, DEFAULT])
@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("kept", ["saved", "journal"])
def test_pending_points_are_told_in_another_process(tmp_path: Path, kept: str, method: str, *, noisy: bool) -> None:
    """The same run as in one process; each point counts, also one that is told when others have been asked for."""
    path, rng = tmp_path / "state.jsonl", np.random.default_rng(0)
    given: dict[str, Any] = {"bounds": (-2, 2), "budget": 45, "seed": 8, "method": method, "noisy": noisy}

    def goes_on(es: sacma.Optimizer) -> sacma.Optimizer:
        if kept == "journal":
            es.close()
            return sacma.Optimizer([0.0, 0.1, 0.0], 1.0, journal=path, **given)
        es.save(path)
        return sacma.Optimizer.load(path)

    whole = sacma.Optimizer([0.0, 0.1, 0.0], 1.0, **given)
    pieces = sacma.Optimizer([0.0, 0.1, 0.0], 1.0, journal=path if kept == "journal" else None, **given)
    asked = 0
    while not whole.stop():
        X = whole.ask(5)
        assert np.array_equal(X, pieces.ask(5))
        asked += len(X)
        pieces = goes_on(pieces)
        assert np.array_equal(pieces.pending, whole.pending)
        told = rng.permutation(np.array(whole.pending))[: 3 if asked < 45 else None]
        for es in (whole, pieces):
            es.tell(told, [rosenbrock(x) for x in told])
        pieces = goes_on(pieces)
    assert asked == pieces.result.nfev == 45
    assert bits(pieces.result) == bits(whole.result)
    assert pieces.result.fun == whole.result.fun


def test_a_value_is_taken_after_a_failure() -> None:
    """As where the job was run again; the evaluation counts once."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, seed=8)
    X = es.ask(3)
    es.tell(X, [None, 3.0, 4.0])
    es.tell(X[:2], [2.0, 1.0])
    es.tell(X[:1], [0.0])
    assert (es.result.fun, es.result.nfev, es.result.failures) == (2.0, 3, 1)
    assert np.array_equal(es.result.x, X[0])


def test_what_is_no_saved_optimizer_is_refused(tmp_path: Path) -> None:
    """In words that name the file."""
    with pytest.raises(ValueError, match=r"path is .*; allowed: a journal that can be read"):
        sacma.Optimizer.load(tmp_path / "none")
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="not even a first line"):
        sacma.Optimizer.load(tmp_path / "empty")
    es = sacma.Optimizer([0.0, 0.1], 1.0)
    es.save(tmp_path / "state")
    (tmp_path / "state").write_bytes(sealed((tmp_path / "state").read_text().replace('"surrogate-', '"os.')))
    with pytest.raises(ValueError, match="of which line 1 is"):
        sacma.Optimizer.load(tmp_path / "state")
    with pytest.raises(ValueError, match=r"path is .*; allowed: a file that can be written"):
        es.save(tmp_path / "no" / "state")
    with pytest.raises(TypeError, match="path is 3; allowed: the path of a file"):
        es.save(3)  # type: ignore[arg-type]


def test_a_forked_process_does_not_write_to_the_journal(tmp_path: Path) -> None:
    """It has not even its file open; what it tells is refused, and the parent goes on."""
    if sys.platform == "win32":
        pytest.skip("it forks nothing")
    path = tmp_path / "journal"
    es = sacma.Optimizer([0.0, 0.0], 1.0, journal=path, method=GENERATIONS)
    X = es.ask()
    es.tell(X[:1], [1.0])
    before = path.read_bytes()
    descriptor = es._run.log.journal._file  # type: ignore[union-attr]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.fstat(descriptor)
            with pytest.raises(sacma.JournalError, match="it is not open any more in this process") as raised:
                es.tell(X[1:2], [2.0])
            code = 0 if raised.value.result else 2
            es.save(tmp_path / "saved")
            del es
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.read_bytes() == before
    assert (tmp_path / "saved").read_bytes().startswith(before)  # and has the pending points
    with pytest.raises(ValueError, match="no other run is writing to"):
        sacma.Optimizer([0.0, 0.0], 1.0, journal=path, method=GENERATIONS)
    es.tell(X[1:], range(1, len(X)))
    es.close()
    assert len(sacma.read_journal(path).values) == len(X)


@pytest.mark.parametrize("method", [DEFAULT, "dts-cmaes"])
@pytest.mark.parametrize("where", ["training", "telling"])
def test_an_interruption_while_it_learns(tmp_path: Path, method: str, where: str) -> None:
    """What is told is kept, and the optimizer goes on to the points of a run without interruption."""
    journal = tmp_path / "run.jsonl"
    given: dict[str, Any] = {"budget": 60, "seed": 1, "method": method}
    whole = sacma.Optimizer([0.0] * 3, 1.0, **given)
    solve(whole, rosenbrock)
    es = sacma.Optimizer([0.0] * 3, 1.0, journal=journal, **given)
    calls = 0

    def interrupted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls in {3, 8}:
                raise KeyboardInterrupt
            return original(*arguments, **named)

        return call

    owner: type = Trainer if where == "training" else Run
    name = "train" if owner is Trainer else "_close"
    interruptions = 0
    with mock.patch.object(owner, name, interrupted(getattr(owner, name))):
        while not es.stop():
            X = es.ask()
            try:
                es.tell(X, [rosenbrock(x) for x in X])
            except KeyboardInterrupt:
                interruptions += 1
                assert np.all(np.isfinite(es.result.x))
    assert interruptions == 2
    assert es.stop() == {"budget": 60}
    np.testing.assert_array_equal(es.result.history.points, whole.result.history.points)
    assert es.result.nit == whole.result.nit
    es.close()
    assert sacma.Optimizer.load(journal).result.nfev == 60
