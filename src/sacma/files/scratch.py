"""Folders for temporary files, in memory if the system offers it; free space on disks."""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sacma.system import is_alive, is_mine

MEMORY = Path("/dev/shm")  # noqa: S108 folders below it are made by tempfile
ENOUGH = 64e6  # bytes: a hundred times what a trial needs


@contextlib.contextmanager
def scratch(*, in_memory: bool = False) -> Iterator[Path]:
    """Yield a folder as from ``scratch_folder``, and remove it."""
    folder = scratch_folder(in_memory=in_memory)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def scratch_folder(*, in_memory: bool = True) -> Path:
    """Make a folder for temporary files, perhaps in memory, unless ``TMPDIR`` says where; the caller removes it.

    Its name holds this machine and process: folders that killed processes of ours left in the same place are removed,
    but not those of other machines that share it.
    """
    parent = Path(tempfile.gettempdir())
    if in_memory and "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK):
        parent = MEMORY if shutil.disk_usage(MEMORY).free > ENOUGH else parent
    host = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    for left in parent.glob(f"sacma-{host}-*"):
        owner = re.fullmatch(r"sacma-\w+-([0-9]{1,9})-\w+", left.name)
        with contextlib.suppress(OSError):
            status = left.lstat()
            ours = stat.S_ISDIR(status.st_mode) and is_mine(status)
            if owner and ours and not is_alive(int(owner[1])):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"sacma-{host}-{os.getpid()}-", dir=parent))


def existing_folder(path: Path) -> Path:
    """Return ``path``, or the nearest folder above it that exists."""
    return next(folder for folder in [path, *path.absolute().parents] if folder.is_dir())


def free_bytes(path: Path) -> int:
    """Return the free space on the disk of a folder, which need not exist."""
    return shutil.disk_usage(existing_folder(path)).free
