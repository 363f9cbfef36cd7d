"""Processes of a test, which runs commands in sessions of their own: who works for one, who is still alive."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.commands import environment


def start(*arguments: object, cwd: Path, **environ: object) -> "subprocess.Popen[str]":
    """Start the command line in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sacma", *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(**environ),
    )


def wait_for_a_record(results: Path) -> None:
    """Wait until the first trial is committed, a minute at most."""
    deadline = time.monotonic() + 60
    while not list(results.rglob("*.record")) and time.monotonic() < deadline:
        time.sleep(0.02)


def left_alive(session: int) -> list[str]:
    """Return what is alive of a session when it had ten seconds to end: helpers of Python's own end a little later."""
    deadline = time.monotonic() + 10
    while alive_in_session(session) and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive_in_session(session)


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
