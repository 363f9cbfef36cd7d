"""Tolerance, restarts, time limits of evaluations, progress, and the warnings of a run."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.types import Array
from tests.optimize.runs import bits, solve, sphere

CALL: dict[str, Any] = {"x0": [1.0, 1.0], "sigma0": 0.3, "seed": 1, "budget": 300}


@pytest.mark.parametrize("method", ["sacma", "ada-kendall", "cobyqa"])
def test_a_run_that_gains_less_than_the_tolerance_ends(method: str) -> None:
    """After as many evaluations without; the run before that is the same, and success is SciPy's."""
    calls = method == "cobyqa"
    tolerance = sacma.Tolerance(1e-4, evaluations=15)
    found = sacma.minimize(sphere, **CALL, method=method, tolerance=tolerance, restarts=None if calls else 0)
    whole = sacma.minimize(sphere, **CALL, method=method)
    assert (found.status.name, found.success) == ("TOLERANCE", True)
    assert found.message.startswith("the last evaluations gained less than the tolerance")
    assert np.array_equal(found.history.points, whole.history.points[: found.nfev])
    best = found.history.best
    assert best[-16] - best[-1] <= 1e-4 or method == "ada-kendall"
    assert 16 <= found.nfev < whole.nfev


def test_relative_tolerance() -> None:
    """Of the best value's size."""
    found = sacma.minimize(lambda x: sphere(x) + 1e6, **CALL, tolerance=sacma.Tolerance(relative=1e-3), restarts=0)
    assert (found.status.name, found.nfev < 50) == ("TOLERANCE", True)


def test_restarts_follow_on_a_tolerance_unless_there_are_no_more(tmp_path: Path) -> None:
    """With a journal the run is the same however often it is continued; another tolerance is another call."""
    whole = sacma.minimize(sphere, **CALL, tolerance=1e-3)
    assert whole.restarts > 3
    assert not whole.success
    path = tmp_path / "journal"
    for budget in (20, 57, 120, 300):
        part = sacma.minimize(sphere, **CALL | {"budget": budget}, tolerance=1e-3, journal=path)
    assert bits(part) == bits(whole)
    with pytest.raises(ValueError, match=r"of another call: tolerance = "):
        sacma.minimize(sphere, **CALL, tolerance=1e-2, journal=path)
    two = sacma.minimize(sphere, **CALL, tolerance=1e-3, restarts=2)
    assert (two.restarts, two.status.name) == (2, "TOLERANCE")
    assert np.array_equal(two.history.points, whole.history.points[: two.nfev])


def test_without_restarts() -> None:
    """A run ends when it has converged, in ask and tell, too."""
    once = sacma.minimize(sphere, **CALL, restarts=0)
    assert (once.restarts, once.status.name, once.success) == (0, "RESTARTS", True)
    es = sacma.Optimizer(**CALL, restarts=0)
    assert bits(solve(es, sphere)) == bits(once)
    assert list(es.stop()) == ["restarts"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tolerance": -1.0}, "tolerance is -1.0; allowed: a number ≥ 0"),
        ({"tolerance": "no"}, "tolerance is 'no'; allowed: a number"),
        ({"restarts": -1}, "restarts is -1; allowed: an integer ≥ 0"),
        ({"restarts": 0, "method": "cobyqa"}, "restarts is 0; allowed: None with a method that calls f itself"),
        ({"tolerance": 1.0, "noisy": True}, "noisy is True; allowed: False beside a tolerance"),
        ({"progress": 1}, "progress is 1"),
        ({"evaluation_timeout": 0.0, "workers": 2}, "evaluation_timeout is 0.0; allowed: seconds > 0"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], message: str) -> None:
    """Are named."""
    with pytest.raises((TypeError, ValueError), match=message):
        sacma.minimize(sphere, **CALL | given)
    with pytest.raises(ValueError, match=r"tolerance\.evaluations is 0"):
        sacma.Tolerance(evaluations=0)


def hangs_at_times(x: Array) -> float:
    if x[0] > 1.0:
        time.sleep(60.0)
    return float(x @ x)


@pytest.mark.parametrize("method", ["cmaes", "cobyqa"])
def test_an_evaluation_that_hangs_has_failed(method: str) -> None:
    """Its process is ended, and the run goes on."""
    began = time.monotonic()
    given: dict[str, Any] = {"workers": 2} if method == "cmaes" else {}
    given |= {"seed": 1, "budget": 20, "method": method, "evaluation_timeout": 0.5}
    found = sacma.minimize(hangs_at_times, [0.95, 0.2], 0.3, **given)
    assert found.nfev == 20
    assert 0 < found.failures < 20
    assert set(found.history.failures.values()) == {"it took longer than 0.5 s"}
    assert time.monotonic() - began < 60.0


def test_progress_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """In a file one at the end."""
    sacma.minimize(sphere, **CALL | {"budget": 12}, progress=True)
    (line,) = capsys.readouterr().err.splitlines()
    assert "12/12 evaluations, best " in line


@pytest.mark.parametrize(
    ("sigma0", "bounds", "scale", "warned"),
    [
        (1.0, [(-3e-6, 3e-6), (-1, 1)], None, "sigma0 is 2e\\+05 times the width of the bounds of coordinate 0"),
        (1.0, [(-1, 1), (-3e6, 3e6)], None, "sigma0 is 2e-07 times the width of the bounds of coordinate 1"),
        (1.0, [(-3e-6, 3e-6), (-3e6, 3e6)], [1e-6, 1e6], ""),
        (1.0, [(-3, 3), (None, 1e9), (2, 2)], None, ""),
    ],
)
def test_steps_far_from_the_widths_are_warned_of(sigma0: Any, bounds: Any, scale: Any, warned: str) -> None:
    """Where units differ and nothing says so; in ask and tell, too."""
    x0 = [0.0 if low is None or low < 0 else low for low, _ in bounds]
    for call in (lambda **given: sacma.minimize(sphere, **given), sacma.Optimizer):
        given: dict[str, Any] = {"x0": x0, "sigma0": sigma0, "bounds": bounds, "scale": scale, "budget": 3}
        if warned:
            with pytest.warns(UserWarning, match=warned) as caught:
                call(**given)
            assert caught[0].filename == __file__
        else:
            call(**given)
