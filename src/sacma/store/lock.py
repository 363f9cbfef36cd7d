"""Locks of results folders: a file that names its holder, released by the system when the holder dies."""

import contextlib
import errno
import os
import platform
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.store.outcome import now
from sacma.system import NO_LINK, OPENED, lock, unlock

_LONGEST = 4000  # bytes of a lock file
_FIRST = b"process "  # begins a lock file that is held


class FolderInUseError(SacmaError):
    """Another process holds the lock of the folder."""


@contextmanager
def locked(path: Path, command: str, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock file at ``path``; it stays, empty, when the lock is released.

    The lock is the system's (``flock``), not the file's existence: it ends with the process, however that ends.

    Args:
        path: the lock file.
        command: shown to other processes that need the lock.
        wait: for another process that holds it.

    Raises:
        FolderInUseError: another process holds it, and is not waited for.
        SacmaError: the file system has no locks, or another file is at ``path``.
    """
    file = _open_lock(path, os.O_RDWR | os.O_CREAT)
    if file is None:
        raise SacmaError(f"{path} is in the way: it is not a lock file of sacma; move it away")
    try:
        try:
            if not _taken(file):
                if not wait:
                    raise FolderInUseError(
                        f"{path.parent} is in use by {_read(file)}; wait for it, stop it, or give another folder"
                    )
                lock(file, wait=True)
        except OSError as error:
            if error.errno not in {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}:
                raise
            raise SacmaError(
                f"{path.parent} is on a file system without locks ({error.strerror}); "
                "results need one that has them: a local disk, or a network mount with locking"
            ) from None
        us = f"{os.getpid()} on {platform.node()} since {now()} ({command})"
        _write(file, _FIRST + one_line(us, _LONGEST // 8).encode())
        try:
            yield
        finally:
            _write(file, b"")
            unlock(file)
    finally:
        os.close(file)


def holder(path: Path) -> str | None:
    """Return the holder of the lock file at ``path`` in words; None if it is free or missing."""
    file = None
    with contextlib.suppress(OSError):
        file = _open_lock(path, os.O_RDONLY)
    if file is None:
        return None
    try:
        lock(file, shared=True)
    except OSError:
        return _read(file)
    else:
        return None
    finally:
        os.close(file)


def _open_lock(path: Path, flags: int) -> int | None:
    """Open the lock file at ``path``: a regular file with one name, empty or with a holder in it.

    Returns None if something else is there, and leaves that alone.
    """
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):  # opening a device may do something
        return None
    file = os.open(path, flags | OPENED | NO_LINK, 0o666)
    status = os.fstat(file)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1 and status.st_size <= _LONGEST:
        content = _content(file).strip(b"\0")  # a machine that lost its power may leave zeros
        if not content or content.startswith(_FIRST):
            return file
    os.close(file)
    return None


def _taken(file: int) -> bool:
    """Try to take the lock for half a second: ``holder`` takes it for a moment too."""
    for _ in range(10):
        try:
            lock(file)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return True
    return False


def _content(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, _LONGEST)


def _read(file: int) -> str:
    return one_line(_content(file).decode(errors="replace")) or "an unknown process"


def _write(file: int, content: bytes) -> None:
    with contextlib.suppress(OSError):  # the content is for people only: a full disk must not stop us
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, content)
