"""Faults of an installation or around it: each is found, named, and comes with a way to mend it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sacma.experiment import installation_check
from tests.commands import sacma, successful


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    """A file in the way, and a file system that takes no files; nothing is made."""
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", Path("/proc/results")):
        sound, reason = installation_check.disk(folder, "go elsewhere")
        assert sound is False
        assert str(folder.parent) in reason
        assert reason.endswith("; go elsewhere")
    assert installation_check.disk(tmp_path / "new" / "results", "")[0] is True
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_space(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Too little for most studies is a remark."""
    for free, sound in ((60e6, None), (2e9, True)):
        monkeypatch.setattr(installation_check, "free_bytes", lambda _, free=free: free)
        found, reason = installation_check.disk(tmp_path, "go elsewhere")
        assert found is sound
        assert f"{free / 1e9:.1f} GB free" in reason


def test_processes_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is broken, and no other check suffers from it."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("sacma.child.subprocess.Popen", refuse)
    monkeypatch.setattr(installation_check, "cocopp", lambda: (True, ""))
    findings = {finding.point: finding for finding in installation_check.examine(Path("results"))}
    assert [point for point, finding in findings.items() if finding.sound is False] == ["workers"]
    assert "Resource temporarily unavailable" in findings["workers"].reason


@pytest.fixture
def broken_cocopp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a cocopp before the real one that runs a line when it is to load its reference data."""

    def break_it(line: str) -> None:
        package = tmp_path / "cocopp"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "testbedsettings.py").write_text(
            "class GECCOBBOBTestbed:\n    settings = {'reference_algorithm_filename': 'best'}\n"
        )
        (package / "bestalg.py").write_text(f"def load_reference_algorithm(name):\n    {line}\n")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return break_it


@pytest.mark.parametrize(
    ("line", "sound", "said"),
    [
        ("return {'D': 2}", True, "loads"),
        ("return {}", False, "best is empty"),
        ("import no_such_module", False, "No module named 'no_such_module'"),
        ("raise OSError(30, 'Read-only file system', name)", False, "an environment of your own"),
        ("raise ValueError('broken')", False, "force-reinstall cocopp"),
        ("import time; time.sleep(60)", False, "does not load within 1 s"),
    ],
)
def test_cocopp(
    *, broken_cocopp: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, line: str, sound: bool, said: str
) -> None:
    """What it dies of is said, and how to go on."""
    broken_cocopp(line)
    if "sleep" in line:
        monkeypatch.setattr(installation_check, "PATIENCE", 1.0)
    found, reason = installation_check.cocopp()
    assert found is sound
    assert said in reason
    assert sound or "--no-pages" in reason


def test_a_sound_installation(tmp_path: Path) -> None:
    """Exit code 0, every point on lines of 80 columns, and nothing is left in the folder."""
    done = successful("doctor", cwd=tmp_path, process=True)
    assert "BROKEN" not in done.stdout
    assert "nothing is broken" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_a_broken_installation(tmp_path: Path) -> None:
    """Even without NumPy all points are examined: exit code 1, one line that counts what is broken."""
    (tmp_path / "numpy.py").write_text("raise ImportError('No module named numpy')")
    done = sacma("doctor", "/proc/results", cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{':'.join(sys.path)}")
    assert done.returncode == 1
    broken = [line.split()[1] for line in done.stdout.splitlines() if "BROKEN" in line]
    assert broken == ["results", "workers", "cocopp"]
    assert done.stderr == "sacma: 3 points broken; the lines above say how to mend them\n"
