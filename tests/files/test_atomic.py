"""Files and folders are replaced wholly or stay as they were."""

from pathlib import Path

import pytest

from sacma.errors import RunError, SacmaError
from sacma.files.atomic import atomic_folder, check_replaceable, write_atomically


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder that is to be replaced."""
    folder = tmp_path / "report"
    write_atomically(folder / "index.html", b"old")
    return folder


def test_a_folder_is_replaced(old: Path) -> None:
    """What was there is gone, and nothing is left beside it; the same where nothing was there."""
    for _ in range(2):
        with atomic_folder(old) as new:
            assert list(new.iterdir()) == []
            assert contents(old) == {"index.html": "old"}
            (new / "page.html").write_text("new")
        assert contents(old.parent) == {"report/page.html": "new"}
        write_atomically(old / "index.html", b"old")
        (old / "page.html").unlink()
    with atomic_folder(old.parent / "deep" / "folder") as new:
        (new / "x").write_text("x")
    assert contents(old.parent / "deep") == {"folder/x": "x"}


@pytest.mark.parametrize("error", [ValueError("ours"), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_folder_stays(old: Path, error: BaseException) -> None:
    """Whatever goes wrong while a new one is filled; a disk that is full is said by the path that was to be."""

    def fill() -> None:
        with atomic_folder(old) as new:
            (new / "page.html").write_text("new")
            if isinstance(error, OSError):
                error.filename = str(new / "figures" / "a.svg")
            raise error

    with pytest.raises(RunError if isinstance(error, OSError) else type(error)) as caught:
        fill()
    assert contents(old.parent) == {"report/index.html": "old"}
    if isinstance(error, OSError):
        assert str(caught.value) == f"{old}/figures/a.svg could not be written: No space left on device"


def test_interrupted_in_the_middle(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just when the old folder has made room for the new one: it comes back."""
    replace = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_folder(old):
        pass
    assert contents(old.parent) == {"report/index.html": "old"}


def test_killed_in_the_middle(old: Path) -> None:
    """What a killed process left is taken back or removed, even if the next one gets nowhere."""
    old.replace(old.with_name(".report.old"))
    write_atomically(old.with_name(".report.new") / "page.html", b"half")

    def fill() -> None:
        with atomic_folder(old) as new:
            assert list(new.iterdir()) == []
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill()
    assert contents(old.parent) == {"report/index.html": "old"}


def test_what_is_in_the_way_stays(tmp_path: Path) -> None:
    """A file, and a link, whether it leads somewhere or not, are not replaced, and not followed."""
    elsewhere = tmp_path / "elsewhere"
    write_atomically(elsewhere / "x", b"x")
    for name, target in (("link", elsewhere), ("dangling", tmp_path / "nowhere")):
        (tmp_path / name).symlink_to(target)
    (tmp_path / "file").write_text("mine")
    for name in ("link", "dangling", "file"):
        with pytest.raises(SacmaError, match="is in the way"):
            check_replaceable(tmp_path / name)
        with pytest.raises(SacmaError, match="is in the way"), atomic_folder(tmp_path / name):
            pass
    for what in (".new", ".old"):  # where something leads out of the folder
        (tmp_path / f".report{what}").symlink_to(elsewhere)
    with atomic_folder(tmp_path / "report") as new:
        (new / "y").write_text("y")
    assert contents(elsewhere) == {"x": "x"}
    assert contents(tmp_path / "report") == {"y": "y"}
    assert (tmp_path / "file").read_text() == "mine"


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    """Below a file there is no folder: one line with the path that was to be."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="file/report could not be written: Not a directory"):
        write_atomically(tmp_path / "file" / "report", b"")
    with pytest.raises(RunError, match="could not be written: Not"), atomic_folder(tmp_path / "file" / "report"):
        pass
