"""What a trial does wrong stays with it: killed workers, exits, endless loops, full memory."""

import json
from pathlib import Path

import pytest

from tests.conftest import hostile_config, sacma

THREE = {"f2-d2-i1": "kill", "f5-d3-i2": "raise", "f9-d2-i3": "loop"}


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_three_bad_trials_among_sixty(tmp_path: Path, backend: str) -> None:
    """One always kills its worker, one raises, one never ends: 57 records, 3 failures named, and the way on."""
    config = hostile_config(tmp_path, THREE)
    options = ("--backend", backend, "--jobs", 2, "--trial-timeout", 2, "--results", "out")
    done = sacma("run", config, *options, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert len(list((tmp_path / "out").rglob("*.record"))) == 57
    *named, last = done.stderr.splitlines()
    assert len(named) == 3
    shown = "\n".join(sorted(named))
    assert "failed 2 times: Hostile on f2, 2-D, instance 1: worker died: its process was ended by SIGKILL" in shown
    assert "failed 2 times: Hostile on f5, 3-D, instance 2: exception: ZeroDivisionError: by design" in shown
    assert "failed 2 times: Hostile on f9, 2-D, instance 3: timeout: it took longer than 2 s" in shown
    assert "3 trials of 60 failed" in last
    again = "sacma run --failed-only --results out"
    assert f"try them again: {again}" in last

    tracebacks = sacma("status", "out", "--tracebacks", cwd=tmp_path).stdout
    assert "_raise" in tracebacks
    assert "_loop" in tracebacks  # where it was when its time was up
    assert "after 1 of 30 evaluations" in tracebacks
    status = sacma("status", "out", cwd=tmp_path).stdout
    assert "missing: Hostile 2-D: f2 instances 1; f9 instances 3" in status
    assert f"next: {again}" in status

    retried = sacma("run", "--failed-only", "--results", "out", "--trial-timeout", 1, "--retries", 0, cwd=tmp_path)
    assert retried.returncode == 1
    assert "57 there, 3 to run of those that failed" in retried.stdout
    assert retried.stderr.count("failed 3 times") == 3


@pytest.mark.parametrize(
    ("misdeed", "error"),
    [
        ("coco", "its process ended itself with exit code 1 (COCO FATAL ERROR"),
        ("exit", "exception: SystemExit: 3"),
        ("memory", "out of memory: "),
        ("segfault", "its process was ended by SIGSEGV"),
    ],
)
def test_other_ways_to_go(tmp_path: Path, misdeed: str, error: str) -> None:
    """COCO's own exit, sys.exit, memory and segmentation faults are told apart, with what was said last."""
    config = hostile_config(tmp_path, {"f1-d2-i1": misdeed})
    arguments = ("run", config, "--functions", 1, "--dimensions", 2, "--retries", 0, "--jobs", 1)
    done = sacma(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert error in done.stderr
    assert len(list((tmp_path / "results").rglob("*.record"))) == 2
    (failure,) = (tmp_path / "results" / "failures").rglob("*.json")
    assert "sacma_hostile.py" in json.loads(failure.read_text())["traceback"] or misdeed == "coco"


def test_a_retry_mends_what_was_bad_luck(tmp_path: Path) -> None:
    """A worker killed once: all trials are there, exit code 0, and no failure is left."""
    config = hostile_config(tmp_path, {"f2-d2-i1": "kill"}, flag=str(tmp_path / "once"))
    done = sacma("run", config, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 retried" in done.stdout
    assert "all 60 trials" in done.stdout
    assert not list((tmp_path / "results" / "failures").rglob("*.json"))


def test_serial_has_no_timeout(tmp_path: Path) -> None:
    """A limit that could not be kept is refused."""
    config = hostile_config(tmp_path, {})
    done = sacma("run", config, "--backend", "serial", "--trial-timeout", 5, cwd=tmp_path)
    assert done.returncode == 2
    assert "--backend loky or dask" in done.stderr
