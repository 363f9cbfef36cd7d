"""A lock on a results folder that names its holder, and that the system takes back when the holder is dead."""

import contextlib
import errno
import fcntl
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from sacma.errors import SacmaError
from sacma.experiment.failure import now


@dataclass(frozen=True)
class Holder:
    """Who holds a lock.

    Args:
        process: its number.
        host: its machine.
        since: UTC, ISO 8601.
        command: as it was typed.
    """

    process: int
    host: str
    since: str
    command: str

    def __str__(self) -> str:
        return f"process {self.process} on {self.host} since {self.since} ({self.command})"


class FolderInUseError(SacmaError):
    """Another process works on the folder."""


@contextmanager
def locked(path: Path, command: str, *, on_wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock file at ``path``; it stays, empty, when the lock is given back.

    The lock is the system's (``flock``), not the file's existence: it ends with the process, however that ends.

    Args:
        path: of the lock file, in a folder that exists.
        command: that this process was started with, for whoever meets the lock.
        on_wait: called with the holder if there is one, and then waited; without it that is an error.

    Raises:
        FolderInUseError: another process holds it.
        SacmaError: the file system has no locks.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            if not _taken(file):
                other = _read(file)
                if on_wait is None:
                    raise FolderInUseError(
                        f"{path.parent} is in use by {other}; wait for it, stop it, or give another folder"
                    )
                on_wait(str(other))
                fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}:
                raise
            raise SacmaError(
                f"{path.parent} is on a file system without locks ({error.strerror}); "
                "results need one that has them: a local disk, or a network mount with locking"
            ) from None
        us = Holder(os.getpid(), platform.node(), now(), command)
        _write(file, json.dumps(asdict(us)).encode())
        try:
            yield
        finally:
            _write(file, b"")
            fcntl.flock(file, fcntl.LOCK_UN)  # closing alone would leave it to a child that was forked meanwhile
    finally:
        os.close(file)


def holder(path: Path) -> Holder | None:
    """Return who holds the lock file at ``path``; nobody where it is free or not there."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(file)
    else:
        return None
    finally:
        os.close(file)


def _taken(file: int) -> bool:
    """Try to take the lock for half a second: who only looks at it holds it for a moment too."""
    for _ in range(10):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return True
    return False


_NOBODY = Holder(0, "an unknown machine", "an unknown time", "an unknown command")


def _read(file: int) -> Holder:
    try:
        return Holder(**json.loads(os.pread(file, 1 << 16, 0)))
    except (ValueError, TypeError):
        return _NOBODY


def _write(file: int, content: bytes) -> None:
    with contextlib.suppress(OSError):  # its content is for people: a full disk need not stop us
        os.ftruncate(file, 0)
        os.pwrite(file, content, 0)
