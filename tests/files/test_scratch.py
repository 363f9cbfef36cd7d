"""Temporary folders: whose they are, and what is left of killed processes."""

import os
import tempfile
from pathlib import Path

import pytest

from sacma.files.scratch import scratch_folder
from tests.commands import printed_by

MAKE = "from sacma.files.scratch import scratch_folder; print(scratch_folder(), end='')"


def test_what_killed_processes_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a process that has ended goes; those of living ones, other machines and strangers stay."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    mine = scratch_folder()
    dead = Path(printed_by(MAKE))
    assert dead.parent == tmp_path
    assert mine.exists()
    others = [tmp_path / "sacma-00000000-1-elsewhere", tmp_path / "sacma-notours"]
    for other in others:
        other.mkdir()
    again = scratch_folder()
    assert not dead.exists()
    assert all(path.exists() for path in (mine, again, *others))
    assert str(os.getpid()) in again.name
