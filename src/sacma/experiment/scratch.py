"""Where trials keep their temporary files: in memory where the system offers it."""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 folders below it are made by tempfile

ENOUGH = 64e6
"""Bytes: a hundred times what a trial needs."""


def scratch_folder() -> Path:
    """Make a folder for temporary files, in memory unless ``TMPDIR`` says where; the caller removes it.

    Its name holds the number of this process: what killed processes of ours left in the same place is removed.
    """
    parent = Path(tempfile.gettempdir())
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK):
        parent = MEMORY if shutil.disk_usage(MEMORY).free > ENOUGH else parent
    for left in parent.glob("sacma-*-*"):
        owner = re.fullmatch(r"sacma-(\d+)-\w+", left.name)
        with contextlib.suppress(OSError):
            if owner and left.stat().st_uid == os.geteuid() and not _alive(int(owner[1])):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"sacma-{os.getpid()}-", dir=parent))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
