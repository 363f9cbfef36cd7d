"""Isolation of trials: killed workers, exits, endless loops, full memory."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from sacma.algorithms.registry import Registry
from sacma.cli.console import counted
from sacma.config.plan import plan
from sacma.config.study import load_study
from sacma.experiment.run import run_campaign
from sacma.experiment.workers import LocalWorkers
from sacma.store.record import FinishedTrial
from sacma.store.store import Store
from tests.commands import HOSTILE, sacma, successful
from tests.conftest import CONFIGS, coco_files, hostile_config
from tests.sizes import sizes

THREE = {"f2-d2-i1": "kill", "f5-d3-i2": "raise", "f9-d2-i3": "loop"}


@sizes("attempts", small=1, full=2)
def test_three_bad_trials_among_sixty(tmp_path: Path, attempts: int) -> None:
    """One always kills its worker, one raises, one never ends: 57 records, 3 failures named, and the way on."""
    config = hostile_config(tmp_path, THREE)
    options = ("--jobs", 2, "--trial-timeout", 10, "--retries", attempts - 1, "--results", "out")
    done = sacma("run", config, *options, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert len(list((tmp_path / "out").rglob("*.record"))) == 57
    *named, last = done.stderr.splitlines()
    assert len(named) == 3
    shown = "\n".join(sorted(named))
    assert shown.count(f"({counted(attempts, 'time')})") == 3
    assert "failed: Hostile on f2, 2-D, instance 1: worker died: its process was ended by SIGKILL" in shown
    assert "failed: Hostile on f5, 3-D, instance 2: exception: ZeroDivisionError: by design" in shown
    assert "failed: Hostile on f9, 2-D, instance 3: timeout: it took longer than 10 s" in shown
    assert "3 trials of 60 failed" in last
    assert f"try them again: sacma run {config} --jobs 2" in last
    assert last.endswith("--results out --failed-only")
    again = "sacma run --failed-only --results out"

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
    assert retried.stderr.count(f"({attempts + 1} times)") == 3


SAID = {
    "coco": "worker died: its process ended itself with exit code 1 (COCO FATAL ERROR",
    "exit": "exception: SystemExit: 3",
    "memory": "out of memory: ",
    "segfault": "its process was ended by SIGSEGV",
    "fork": "worker died: its process was ended by SIGKILL",
    "surrogate": r"exception: ValueError: bad \udcff [bold] \x1b[31m namexxx",
    "alter": "exception: its algorithm altered the specification of the trial",
}


def test_other_ways_to_go(tmp_path: Path) -> None:
    """COCO's own exit, sys.exit, memory and segmentation faults are told apart, with what was said last.

    The terminal is the coordinator's: a trial that prints and reads, f8, does neither there.
    """
    misdeeds = {f"f{f}-d2-i1": misdeed for f, misdeed in enumerate([*SAID, "print"], 1)}
    arguments = ("--functions", "1-8", "--dimensions", 2, "--instances", "1-2", "--retries", 0, "--jobs", 1)
    done = sacma("run", hostile_config(tmp_path, misdeeds), *arguments, cwd=tmp_path, process=True)
    assert done.returncode == 1
    assert "noise" not in done.stdout + done.stderr
    assert all(len(line) < 1000 for line in done.stderr.splitlines())
    assert len(list((tmp_path / "results").rglob("*.record"))) == 9
    for f, (misdeed, error) in enumerate(SAID.items(), 1):
        (line,) = (line for line in done.stderr.splitlines() if f"Hostile on f{f}, 2-D, instance 1: " in line)
        assert error in line
        (failure,) = (tmp_path / "results" / "failures").rglob(f"f00{f}-d02-i001*.json")
        traceless = misdeed in {"coco", "fork", "alter"}
        assert traceless or "sacma_hostile.py" in json.loads(failure.read_text())["traceback"]


def test_records_that_are_removed_meanwhile(tmp_path: Path) -> None:
    """A run that lacks some at its end says how many, and fails; the same command makes them."""
    arguments = ("--functions", "1", "--dimensions", 2, "--retries", 0)
    config = hostile_config(tmp_path, {f"f1-d2-i{i}": "remove" for i in (1, 2, 3)})
    done = sacma("run", config, *arguments, cwd=tmp_path)
    kept = len(list((tmp_path / "results" / "records").rglob("*.record")))
    assert (done.returncode, kept < 3) == (1, True), done.stdout + done.stderr
    assert f"sacma: results/records lacks {3 - kept} that were there before, or made by this run; " in done.stderr
    assert f"{kept} of 3 trials are kept; go on with: sacma run" in done.stderr
    done = sacma("run", config, *arguments, cwd=tmp_path)
    assert (done.returncode, "all 3 trials" in done.stdout) == (0, True)


def test_a_retry_mends_what_was_bad_luck(tmp_path: Path) -> None:
    """A worker killed once: all trials are there, exit code 0, and no failure is left."""
    config = hostile_config(tmp_path, {"f2-d2-i1": "kill"}, flag=str(tmp_path / "once"))
    done = successful("run", config, cwd=tmp_path, process=True)
    assert "1 retried" in done.stdout
    assert "all 60 trials" in done.stdout
    assert not list((tmp_path / "results" / "failures").rglob("*.json"))


def test_a_worker_that_dies_after_its_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies while its last result is being written takes nothing with it."""
    monkeypatch.syspath_prepend(HOSTILE)
    monkeypatch.setattr("sacma.config.study.ALGORITHMS", Registry({}))
    study = load_study(hostile_config(tmp_path, {"f1-d2-i2": "later"}), {"functions": "1-2", "dimensions": "2"})
    specs = plan([study])
    store = Store(tmp_path / "out")
    store.prepare()
    commit = Store.commit

    def slow_commit(self: Store, trial: FinishedTrial) -> None:
        time.sleep(0.6)
        commit(self, trial)

    monkeypatch.setattr(Store, "commit", slow_commit)
    monkeypatch.setenv("PYTHONPATH", str(HOSTILE))
    with LocalWorkers(1) as workers:
        attempts = list(run_campaign(specs, store, workers=workers, retries=1))
    assert sum(isinstance(attempt.result, FinishedTrial) for attempt in attempts) == 6


def test_full_scratch(tmp_path: Path, small_disk: Path) -> None:
    """Where COCO could not write all of its files, the trial has failed: it is no record with half of its data."""
    arguments = ("run", CONFIGS / "cmaes.yaml", "--functions", 8, "--dimensions", 2, "--instances", "1-2")
    subprocess.run(["mount", "-o", "remount,size=16k", str(small_disk)], check=True)  # noqa: S607
    options = ("--budget", 300, "--retries", 0, "--results", "out")
    full = sacma(*arguments, *options, cwd=tmp_path, TMPDIR=small_disk)
    assert full.returncode == 1
    assert "is the disk of temporary files full?" in full.stderr
    successful(*arguments, *options, cwd=tmp_path)
    assert sacma(*arguments, "--budget", 300, "--results", "good", cwd=tmp_path).returncode == 0
    assert coco_files(tmp_path / "out") == coco_files(tmp_path / "good")
