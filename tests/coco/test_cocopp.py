"""cocopp's pages, with a stand-in for cocopp: what it wrote replaces what was there, or what was there stays."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sacma.coco.cocopp import make_pages
from sacma.errors import RunError


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Pages of an earlier run."""
    (tmp_path / "cocopp").mkdir()
    (tmp_path / "cocopp" / "index.html").write_text("old")
    return tmp_path / "cocopp"


def files(output: Path) -> set[str]:
    return {path.relative_to(output.parent).as_posix() for path in output.parent.rglob("*") if path.is_file()}


def stand_in(monkeypatch: pytest.MonkeyPatch, *names: str, error: BaseException | None = None) -> None:
    def run(command: list[str], *, cwd: Path, **_: Any) -> "subprocess.CompletedProcess[str]":
        for name in names:
            (cwd / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
            (cwd / "pages" / name).write_bytes(b"<body>na\xefve, stamp")
        if error is not None:
            raise error
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)


def test_pages_replace_those_before(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that cocopp wrote is there under a stable name, whatever its bytes, with the banner, and its log."""
    made = ("index.html", "pprldmany-single-functions/x", "pprldflex.html", "pptable.html", "pp.svg")
    stand_in(monkeypatch, "index.html", *(f"stamp/{name}" for name in made))
    output.with_name("cocopp-failed.log").write_text("of an earlier failure")
    assert make_pages([], output, "PARTIAL") == output / "comparison" / "index.html"
    names = {"index.html", "cocopp.log", *(f"comparison/{name}" for name in made)}
    assert files(output) == {f"cocopp/{name}" for name in names}
    content = (output / "index.html").read_bytes()
    assert b"PARTIAL" in content
    assert content.endswith(b"na\xefve, comparison")


def test_without_pages_those_before_stay(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cocopp exits with 0 and has not written all, its log is kept beside them."""
    stand_in(monkeypatch, "index.html")
    with pytest.raises(RunError, match="cocopp did not write its pages"):
        make_pages([], output)
    assert files(output) == {"cocopp/index.html", "cocopp-failed.log"}
    assert (output / "index.html").read_text() == "old"


def test_interrupted(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the unfinished pages is left."""
    stand_in(monkeypatch, "stamp/index.html", error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        make_pages([], output)
    assert files(output) == {"cocopp/index.html"}
