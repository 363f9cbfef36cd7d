"""Folders and archives of anybody: read without leaving them, and not at all where that would end badly."""

import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

from sacma.coco import archives
from sacma.coco.archives import read_files
from sacma.errors import SacmaError

CONTENT = {"a.info": b"index", "data/a.dat": b"rows", "data/a.txt": b"not asked for"}
EXPECTED = {"a.info": b"index", "data/a.dat": b"rows"}
ENDINGS = (".info", ".dat")


def tar(path: Path, mode: str, names: dict[str, bytes]) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in names.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize(("ending", "mode"), [("tar", "w"), ("tgz", "w:gz"), ("tar.bz2", "w:bz2"), ("tar.xz", "w:xz")])
def test_archives(tmp_path: Path, ending: str, mode: str) -> None:
    """Of each kind the same is read, packed as its content says."""
    assert dict(read_files(tar(tmp_path / f"a.{ending}", mode, CONTENT), ENDINGS)) == EXPECTED
    assert dict(read_files(tar(tmp_path / "named_otherwise.tar", mode, CONTENT), ENDINGS)) == EXPECTED


@pytest.mark.parametrize("name", ["/etc/a.info", "../a.info", "x/../../a.info", "..\\a.info"])
def test_members_that_lead_out(tmp_path: Path, name: str) -> None:
    """They are refused, and nothing is written."""
    path = tar(tmp_path / "a.tar", "w", {name: b""})
    before = set(tmp_path.parent.rglob("*"))
    with pytest.raises(SacmaError, match=r"a member that leads out of it"):
        read_files(path, ENDINGS)
    assert set(tmp_path.parent.rglob("*")) == before


@pytest.mark.parametrize("ending", ["tgz", "tar.bz2", "tar.xz", "tar"])
def test_no_archive_or_not_all_of_it(tmp_path: Path, ending: str) -> None:
    """Both are one line."""
    path = tmp_path / f"a.{ending}"
    modes = {"tgz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz", "tar": "w"}
    big = {"a.dat": os.urandom(50_000)}
    content = tar(path, modes[ending], big).read_bytes()
    for broken in (b"", b"no archive", content[:1000], content[: len(content) // 2]):
        path.write_bytes(broken)
        with pytest.raises(SacmaError, match=r"is not an intact archive|cannot be read") as caught:
            read_files(path, ENDINGS)
        assert len(str(caught.value).splitlines()) == 1


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is small packed and large unpacked is refused, also where it is not what is read."""
    monkeypatch.setattr(archives, "LARGEST", 1000)
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 20_000)
    nothing = bytes(30_000)
    bombs = [tar(tmp_path / f"{n}.tgz", "w:gz", {name: nothing}) for n, name in enumerate(("a.dat", "a.txt"))]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.dat").write_bytes(nothing)
    for path in (*bombs, tmp_path / "folder"):
        with pytest.raises(SacmaError, match="that is not a COCO data set"):
            read_files(path, ENDINGS)


def test_links(tmp_path: Path) -> None:
    """Linked folders and files are read, once each; a circle ends; what is no file in the end is not there."""
    if sys.platform == "win32":
        pytest.skip("it has no such pipes")
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "a.dat").write_bytes(b"rows")
    (elsewhere / "back").symlink_to(folder)
    (folder / "data").symlink_to(elsewhere)
    (folder / "a.info").symlink_to(elsewhere / "a.dat")
    (folder / "b.dat").symlink_to("/nowhere")
    os.mkfifo(folder / "c.dat")
    assert dict(read_files(folder, ENDINGS)) == {"a.info": b"rows", "data/a.dat": b"rows"}


def test_what_is_not_there(tmp_path: Path) -> None:
    """A path that leads nowhere, another file and a pipe are told apart, and nothing waits."""
    if sys.platform == "win32":
        pytest.skip("it has no such pipes")
    with pytest.raises(SacmaError, match="no such folder or archive"):
        read_files(tmp_path / "nowhere", ENDINGS)
    with pytest.raises(SacmaError, match=r"nowhere.csv: no such file$"):
        read_files(tmp_path / "nowhere.csv", ENDINGS)
    os.mkfifo(tmp_path / "a.tgz")
    (tmp_path / "a.txt").write_text("")
    for name in ("a.tgz", "a.txt"):
        with pytest.raises(SacmaError, match="neither a folder nor an archive"):
            read_files(tmp_path / name, ENDINGS)
