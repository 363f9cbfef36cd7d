"""A disk that is full: one line, exit code 1, and the same command finishes when there is space again."""

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.errors import RunError
from sacma.store.completeness import completeness_of
from sacma.store.store import Store
from tests.commands import reported, run_here, sacma
from tests.conftest import CONFIGS
from tests.sizes import sizes


@sizes("step", small=60, full=20)
def test_small_disk(small_disk: Path, tmp_path: Path, step: int) -> None:
    """A mounted disk fills up in the middle of a study, and while its data are merged; then it gets larger."""
    arguments = ("run", CONFIGS / "cmaes.yaml", "--functions", "1-10", "--dimensions", "5", "--instances", "1-3")
    options = ("--budget", "50", "--results", small_disk / "out")
    full = sacma(*arguments, *options, cwd=tmp_path, process=True)
    assert full.returncode == 1
    assert len(full.stderr.splitlines()) == 1, full.stderr
    assert "No space left on device" in full.stderr
    assert "go on with: sacma run" in full.stderr
    kept = {path: path.read_bytes() for path in small_disk.rglob("*.record")}
    assert 0 < len(kept) < 30
    assert f"{len(kept)} of 30 trials are kept" in full.stderr
    merging = 0
    for size in range(220, 1200, step):  # space for all records, but not for what is derived, lies in between
        subprocess.run(["mount", "-o", f"remount,size={size}k", str(small_disk)], check=True)  # noqa: S607
        again = sacma(*arguments, *options, cwd=tmp_path)
        merging += "all records are kept" in again.stderr
        if again.returncode == 0:
            break
        assert again.returncode == 1
        assert len(again.stderr.splitlines()) == 1, again.stderr
    assert again.returncode == 0
    assert merging
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert len(list(small_disk.rglob("*.record"))) == 30
    subprocess.run(["mount", "-o", "remount,size=5m", str(small_disk)], check=True)  # noqa: S607
    reported(small_disk / "out", cwd=tmp_path)


def test_a_write_that_fails(study: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fifth record cannot be synced: an error that names it, four records kept, no temporary file left."""
    asked = study("cmaes", functions="1", dimensions="2", instances="1-8", budget=10)
    specs, store = plan([asked]), Store(tmp_path)
    original, left = os.fsync, [10]  # two of the study, and two a record

    def fsync(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(RunError, match="could not be written: No space left on device"):
        run_here(tmp_path, asked)
    monkeypatch.undo()
    assert len(completeness_of(store, specs).heads) == 4
    assert not list(tmp_path.rglob(".*"))
    run_here(tmp_path, asked)
    assert completeness_of(store, specs).complete
