"""Processes of a test: commands in sessions of their own, who is still alive of them, and a dask cluster."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
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


def left_alive(session: int) -> list[int]:
    """Return the processes of a session that are alive when they had ten seconds to end."""
    deadline = time.monotonic() + 10
    while alive_in_session(session) and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive_in_session(session)


def workers_in_session(session: int) -> list[int]:
    """Return the worker processes of a command."""
    if sys.platform == "win32":
        return []
    return [process for process in alive_in_session(session) if os.getpgid(process) == process != session]


def alive_in_session(session: int) -> list[int]:
    """Return the processes of a session that are not merely waiting to be reaped, where the system tells."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended while we looked
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(stat.parent.name))
    return found


@contextlib.contextmanager
def dask_cluster(
    folder: Path, protocol: str = "tcp", *, workers: int = 2, threads: int = 1, nanny: bool = False, **environ: object
) -> Iterator[str]:
    """Start a scheduler and workers that know no folder but each its own; give the address.

    A nanny replaces a worker that has died.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"{protocol}://127.0.0.1:{port}"
    commands = {"scheduler": ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]}
    for number in range(workers):
        options = ["--nthreads", str(threads), "--no-dashboard", "--death-timeout", "60"]
        commands[f"worker-{number}"] = [address, *options, "--nanny" if nanny else "--no-nanny"]
    processes = []
    try:
        for name, arguments in commands.items():
            (folder / name).mkdir(parents=True)
            kind = name if name == "scheduler" else "worker"
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments],
                    cwd=folder / name,
                    env=environment(TMPDIR=folder / name, HOME=folder / name, **environ),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not _answers(port):
            time.sleep(0.05)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate() if nanny else process.kill()  # a nanny ends its worker
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
