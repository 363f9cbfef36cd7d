"""Where trials keep their temporary files: in memory where the system offers it."""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 folders below it are made by tempfile

ENOUGH = 64e6
"""Bytes: a hundred times what a trial needs."""


def scratch_folder() -> Path:
    """Make a folder for temporary files, in memory unless ``TMPDIR`` says where; the caller removes it."""
    parent = None
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK):
        parent = MEMORY if shutil.disk_usage(MEMORY).free > ENOUGH else None
    return Path(tempfile.mkdtemp(prefix="sacma-", dir=parent))
