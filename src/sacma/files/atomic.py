"""Atomic writes of files and folders: complete or absent, even if the process is killed."""

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sacma.errors import RunError, SacmaError
from sacma.system import OPENED, sync_folder


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically and sync it; raise RunError if it cannot be written."""
    with atomic_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a temporary file that replaces ``path`` on success, synced; raise RunError if it cannot be written."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.{os.getpid()}")
    try:
        try:
            file = _created(temporary)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = _created(temporary)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _not_written(path, error) from None
        raise


def _created(path: Path) -> IO[bytes]:
    """Create a file; fail if anything is there, even a link."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPENED, 0o666), "wb")


def remove_left_behind(folder: Path) -> None:
    """Remove temporary files of killed processes from ``folder``, unless that is a link."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for left in folder.iterdir():
        if re.fullmatch(r"\..+\.[0-9a-f]{8}\.[0-9]+", left.name) and (left.is_symlink() or left.is_file()):
            left.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces the one at ``path`` on success.

    If a process is killed in between, the next one restores the old folder. Raises SacmaError if something else than
    a folder is at ``path``, RunError if the folder, or a file in it, cannot be written.
    """
    new, old = (path.with_name(f".{path.name}.{which}") for which in ("new", "old"))
    try:
        check_replaceable(path)
        remove(new)
        new.mkdir(parents=True)
        yield new
        if path.exists():
            path.replace(old)
        new.replace(path)
    except OSError as error:
        where = Path(str(error.filename or path).replace(str(new), str(path), 1))
        raise _not_written(where, error) from None
    finally:
        _take_back(path, old)
        for left in (new, old):
            remove(left)


def check_replaceable(path: Path) -> None:
    """Raise SacmaError if a file or a link is where a folder is to be written."""
    _take_back(path, path.with_name(f".{path.name}.old"))
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        what = "a link" if path.is_symlink() else "no folder"
        raise SacmaError(f"{path} is in the way: it is {what}, where a folder is to be written; move it away")


def why_no_folder(path: Path) -> str:
    """Return why files cannot be written to a folder ``path``, which need not be there yet; empty if they can."""
    path = path.absolute()
    there = next(place for place in (path, *path.parents) if os.path.lexists(place))
    if not there.is_dir():
        return f"{there} is no folder"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"{there} cannot be written to"


def remove(path: Path) -> None:
    """Remove a file, a link or a folder, if it is there, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _take_back(path: Path, old: Path) -> None:
    if old.is_dir() and not old.is_symlink() and not os.path.lexists(path):
        old.replace(path)


def _not_written(path: Path, error: OSError) -> RunError:
    return RunError(f"{path} could not be written: {error.strerror or error}")
