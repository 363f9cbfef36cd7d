"""Processes of a test: which workers a coordinator has, and who is still alive."""

import contextlib
import os
from pathlib import Path


def workers_in_group(group: int) -> list[int]:
    """Process numbers of joblib's workers in a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            same = os.getpgid(int(folder.name)) == group
            if same and b"popen_loky_posix" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def alive_in_group(group: int) -> list[str]:
    """Commands of the processes of a group that are not merely waiting to be reaped, where the system tells."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended while we looked
            name, _, rest = stat.read_text().rpartition(")")
            state, _, process_group = rest.split()[:3]
            if int(process_group) == group and state != "Z":
                found.append(name)
    return found
