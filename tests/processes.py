"""Processes of a test, which runs commands in sessions of their own: who works for one, who is still alive."""

import contextlib
import os
from pathlib import Path


def workers_in_session(session: int) -> list[int]:
    """Process numbers of joblib's workers in a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            same = os.getsid(int(folder.name)) == session
            if same and b"popen_loky_posix" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def alive_in_session(session: int) -> list[str]:
    """Commands of the processes of a session that are not merely waiting to be reaped, where the system tells."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended while we looked
            name, _, rest = stat.read_text().rpartition(")")
            state, _, _, its_session = rest.split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(name)
    return found
