"""Progress: time left, failures, and lines for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sacma.config import Study
from sacma.experiment.cost import CostModel, shipped_seconds
from sacma.experiment.failure import FailureKind, TrialFailure
from sacma.experiment.plan import plan
from sacma.experiment.record import CPUSeconds, FinishedTrial, Outcome, Status
from sacma.progress import Tally
from tests.conftest import hostile_config, sacma


def test_time_left(study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of the work done in ten seconds, ten are left, however trials of many kinds are mixed."""
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    specs = plan([study(name, dimensions="2,20", functions="1-10", instances="1-2") for name in ("cmaes", "gp5")])
    tally = Tally(specs, CostModel())
    assert tally.seconds_left is None
    total = 2 * sum(map(shipped_seconds, specs))
    done = 0.0
    clock[0] += 1.5  # until the workers are ready
    for spec in sorted(specs, key=lambda spec: spec.key):
        seconds = 2 * shipped_seconds(spec)
        clock[0] += 20 * seconds / total
        outcome = Outcome(Status.BUDGET_USED, 1, 1.0, (1,), (1.0,), 1, 0, 0, {}, CPUSeconds(0, 0, 0, 0, seconds))
        tally.count(FinishedTrial(spec, outcome, b""), last=True)
        done += seconds
        left = tally.seconds_left
        assert left is not None
        if done / total > 0.1:
            assert left == pytest.approx(20 * (1 - done / total), rel=0.3, abs=0.01)
    assert tally.seconds_left == 0.0


def test_failures_are_counted(study: Callable[..., Study]) -> None:
    """Those that are tried again, and those that are not."""
    specs = plan([study("cmaes", dimensions="2", functions="1-3", instances="1")])
    tally = Tally(specs, CostModel())
    failure = TrialFailure(specs[0], FailureKind.EXCEPTION, "no", "")
    tally.count(failure, last=False)
    assert "1 to retry" in str(tally)
    tally.count(failure, last=True)
    assert (tally.done, tally.failed) == (1, 1)
    assert "1 failed" in str(tally)


def test_json_lines_and_quiet(tmp_path: Path) -> None:
    """Every line of --progress json is an event; quiet says what failed and nothing else."""
    config = hostile_config(tmp_path, {"f2-d2-i1": "raise"})
    arguments = ("run", config, "--functions", "1-2", "--dimensions", 2, "--jobs", 1, "--retries", 0)
    done = sacma(*arguments, "--progress", "json", cwd=tmp_path)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[0] == {"event": "start", "trials": 6, "done": 0, "to_run": 6}
    assert events[-1] == {"event": "end", "finished": 5, "failed": 1, "attempts_failed": 1}
    assert sorted(event["event"] for event in events[1:-1]) == ["failure", *["trial"] * 5]
    assert [event["done"] for event in events[1:-1]] == [1, 2, 3, 4, 5, 6]
    assert events[-2]["seconds_left"] == 0
    quiet = sacma(*arguments, "--progress", "quiet", cwd=tmp_path)
    assert quiet.returncode == 1
    assert quiet.stdout == ""
    assert "ZeroDivisionError" in quiet.stderr
