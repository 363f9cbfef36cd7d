"""Free space on disks."""

import shutil
from pathlib import Path


def existing_folder(path: Path) -> Path:
    """Return ``path``, or the nearest folder above it that exists."""
    return next(folder for folder in [path, *path.absolute().parents] if folder.is_dir())


def free_bytes(path: Path) -> int:
    """Return the free space on the disk of a folder, which need not exist."""
    return shutil.disk_usage(existing_folder(path)).free
