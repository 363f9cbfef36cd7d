"""Where trials keep their temporary files: in memory where the system offers it."""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 folders below it are made by tempfile

ENOUGH = 64e6
"""Bytes: a hundred times what a trial needs."""


def scratch_folder() -> Path:
    """Make a folder for temporary files, in memory unless ``TMPDIR`` says where; the caller removes it.

    Its name holds this machine and process: what killed processes of ours left in the same place is removed, but not
    what other machines have in a folder that they share.
    """
    parent = Path(tempfile.gettempdir())
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK):
        parent = MEMORY if shutil.disk_usage(MEMORY).free > ENOUGH else parent
    host = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    for left in parent.glob(f"sacma-{host}-*"):
        owner = re.fullmatch(r"sacma-\w+-(\d+)-\w+", left.name)
        with contextlib.suppress(OSError):
            if owner and left.stat().st_uid == os.geteuid() and not _alive(int(owner[1])):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"sacma-{host}-{os.getpid()}-", dir=parent))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
