"""The lock of a results folder: one holder, named, and gone with its process."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sacma.store.lock import FolderInUseError, holder, locked
from tests.commands import sacma
from tests.conftest import CONFIGS

if TYPE_CHECKING:
    from collections.abc import Iterator

HOLD = """
import sys, time
from pathlib import Path
from typing import TYPE_CHECKING
from sacma.store.lock import locked
with locked(Path(sys.argv[1]), "sacma run them all"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other(tmp_path: Path) -> "Iterator[subprocess.Popen[str]]":
    """A process that holds the lock."""
    (tmp_path / "out").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out" / "records.lock")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_holder_is_refused_and_told_who_is_first(tmp_path: Path, other: "subprocess.Popen[str]") -> None:
    """Name, process and command are in the message; when the holder is killed, the lock is free."""
    path = tmp_path / "out" / "records.lock"
    with (
        pytest.raises(FolderInUseError, match=rf"process {other.pid} on .* \(sacma run them all\)"),
        locked(path, "us"),
    ):
        pass
    assert str(holder(path)).startswith(f"process {other.pid} on ")
    other.kill()
    other.wait()
    assert holder(path) is None
    with locked(path, "us"):
        assert str(holder(path)).endswith("(us)")
    assert holder(path) is None


def test_a_command_of_any_bytes(tmp_path: Path) -> None:
    """As of a folder whose name is not UTF-8: it is a holder like any other."""
    path = tmp_path / "records.lock"
    with locked(path, "sacma run --results lk\udcffx\n"):
        assert str(holder(path)).isprintable()
        with pytest.raises(FolderInUseError, match="in use by process"), locked(path, "us"):
            pass


def test_commands_respect_it(tmp_path: Path, other: "subprocess.Popen[str]") -> None:
    """A second run is refused with one line; status says who works; plan and postprocess do not mind."""
    small = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)
    arguments = ("cmaes.yaml", *small, "--results", "out")
    (tmp_path / "cmaes.yaml").write_text((CONFIGS / "cmaes.yaml").read_text())
    refused = sacma("run", *arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert f"out is in use by process {other.pid}" in refused.stderr
    assert sacma("plan", *arguments, cwd=tmp_path).returncode == 0
    other.kill()
    other.wait()
    assert sacma("run", *arguments, cwd=tmp_path).returncode == 0
    assert "running" not in sacma("status", "out", cwd=tmp_path).stdout


def test_waiting(tmp_path: Path) -> None:
    """Who waits goes on when the other is done."""
    path = tmp_path / "lock"
    code = HOLD.replace("time.sleep(60)", "time.sleep(1)")
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    with locked(path, "us", wait=True):
        assert process.wait(timeout=10) == 0
    process.stdout.close()
