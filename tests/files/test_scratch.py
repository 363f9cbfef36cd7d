"""Temporary folders: whose they are, and what is left of killed processes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from joblib.externals.loky import ProcessPoolExecutor

from sacma.files.scratch import SEMAPHORES, noted_semaphores, remove_left, scratch_folder

MAKE = "from sacma.files.scratch import scratch_folder; print(scratch_folder(), end='')"


def test_what_killed_processes_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a process that has ended goes; those of living ones, other machines and strangers stay."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    mine = scratch_folder()
    done = subprocess.run([sys.executable, "-c", MAKE], capture_output=True, text=True, check=True)
    dead = Path(done.stdout)
    assert dead.parent == tmp_path
    assert mine.exists()
    others = [tmp_path / "sacma-00000000-1-elsewhere", tmp_path / "sacma-notours"]
    for other in others:
        other.mkdir()
    again = scratch_folder()
    assert not dead.exists()
    assert all(path.exists() for path in (mine, again, *others))
    assert str(os.getpid()) in again.name


def test_notes_are_of_living_semaphores(tmp_path: Path) -> None:
    """Each process of a worker adds its semaphores; a note that says anything else removes nothing."""
    with noted_semaphores(tmp_path):
        worker = ProcessPoolExecutor(max_workers=1)
    first = (tmp_path / SEMAPHORES).read_text().splitlines()
    with noted_semaphores(tmp_path):
        another = ProcessPoolExecutor(max_workers=1)
    assert set(first) < set((tmp_path / SEMAPHORES).read_text().splitlines())
    assert worker is not another
    kept = tmp_path / "kept"
    kept.touch()
    note = tmp_path / "sacma-left" / SEMAPHORES
    note.parent.mkdir()
    note.write_text(f"{kept}\n../..{kept}\n")
    remove_left(note.parent, 1)
    assert kept.exists()
    assert not note.parent.exists()
