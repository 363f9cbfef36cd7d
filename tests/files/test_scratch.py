"""Temporary folders: whose they are, and what is left of killed processes."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from joblib.externals.loky import ProcessPoolExecutor

from sacma.files.scratch import MEMORY, SEMAPHORES, noted_semaphores, remove_left, scratch_folder
from tests.conftest import CONFIGS
from tests.processes import left_alive

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


KILLED = """
import os, signal, sys
from pathlib import Path
from sacma.config.study import load_study
from sacma.experiment.backends.dask import local_cluster
from sacma.experiment.backends.worker import Worker
from sacma.config.plan import plan

if __name__ == "__main__":
    spec, *_ = plan([load_study(Path(sys.argv[1]), {"functions": "1", "dimensions": "2", "budget": 10})])
    if sys.argv[2] == "cluster":
        with local_cluster(1):
            os.killpg(0, signal.SIGKILL)
    worker = Worker()
    worker.start(spec, None)
    worker.collect(wait=True)
    if sys.argv[2] == "all":
        os.killpg(worker._processes()[0], signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)
"""
"""A coordinator that dies with its helpers, and with its worker or not: the worker is in a group of its own."""


@pytest.mark.skipif(not MEMORY.is_dir(), reason="the system keeps its semaphores elsewhere")
@pytest.mark.parametrize("whom", ["all", "group", "cluster"])
def test_semaphores_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whom: str) -> None:
    """Where no helper is left to do it, the worker does, or the next that starts; what is not ours stays."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "killed.py").write_text(KILLED)
    process = subprocess.Popen(
        [sys.executable, tmp_path / "killed.py", CONFIGS / "cmaes.yaml", whom],
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    process.wait()
    foreign = MEMORY / f"sem.loky-{process.pid}-another"
    foreign.touch()
    try:
        if whom != "group":
            assert len(list(MEMORY.glob(f"sem.loky-{process.pid}-*"))) > 1
            assert len(list(tmp_path.glob(f"sacma-*-{process.pid}-*"))) == 1
            shutil.rmtree(scratch_folder())
        assert left_alive(process.pid) == []
        assert list(MEMORY.glob(f"sem.loky-{process.pid}-*")) == [foreign]
        assert list(tmp_path.glob("sacma-*")) == []
    finally:
        foreign.unlink()


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
