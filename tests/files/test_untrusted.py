"""Files that may come from somebody else."""

import os
import socket
import sys
from pathlib import Path

import pytest

from sacma.files.untrusted import UnfitFileError, parse_json, read_file


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """A file of at most the bytes that are allowed is read, through a link too."""
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(path)
    assert read_file(path, 5) == read_file(tmp_path / "link", 5) == b"12345"
    with pytest.raises(UnfitFileError, match="larger than 0 KiB"):
        read_file(path, 4)


def test_a_file_that_grows_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the system has no size, and is bounded all the same; so is one that comes in small pieces."""
    whole = Path("/proc/self/limits").read_bytes()
    assert whole == read_file("/proc/self/limits")
    with pytest.raises(UnfitFileError, match="larger than"):
        read_file("/proc/self/limits", len(whole) - 1)
    monkeypatch.setattr(os, "read", lambda descriptor, most, read=os.read: read(descriptor, min(most, 100)))
    assert read_file(__file__) == Path(__file__).read_bytes()


def test_what_is_not_a_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A pipe, a socket, a device, a folder and a huge sparse file are errors, not waits."""
    if sys.platform == "win32":
        pytest.skip("it has no such pipes")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    (tmp_path / "folder").mkdir()
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(20 << 30)
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "socket", "folder", "sparse", "zero"):
        with pytest.raises(UnfitFileError):
            read_file(tmp_path / name)


def test_deep_json_is_an_ordinary_error() -> None:
    """Nesting that Python cannot follow is a ValueError."""
    for opening in ("[", '{"a":'):
        with pytest.raises(ValueError, match="nested too deeply"):
            parse_json(opening * 100_000)
