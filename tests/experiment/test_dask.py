"""The dask backend: its own cluster is closed to others, and a scheduler's is as closed as its address says."""

import contextlib
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.config
import pytest

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.experiment.backends.dask import CERTIFICATES, DaskBackend, check_address, is_open, reach
from sacma.store.record import FinishedTrial
from tests.commands import environment, sacma
from tests.conftest import CONFIGS

ONE_TRIAL = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)

TLS_ALERT = b"\x15\x03"


def listening() -> set[int]:
    """Return the TCP ports on which this process and its descendants listen."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    sockets = set()
    for process in family:
        for descriptor in Path(f"/proc/{process}/fd").glob("*"):
            with contextlib.suppress(OSError):
                sockets.add(str(descriptor.readlink()))
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                local, state, inode = (line.split()[i] for i in (1, 3, 9))
                if state == "0A" and f"socket:[{inode}]" in sockets:
                    found.add(int(local.rpartition(":")[2], 16))
    return found


def answer(port: int, *, encrypted: bool) -> bytes:
    """Return what a port says to somebody without a certificate who asks it for a page."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with context.wrap_socket(plain) if encrypted else contextlib.nullcontext(plain) as connection:
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                return bytes(connection.recv(100))
        except (ssl.SSLError, ConnectionError):
            return b""


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's /proc")
def test_nobody_else_can_use_a_cluster_of_ours(study: Callable[..., Study]) -> None:
    """While a study runs, no port of ours speaks HTTP, or says a word to who has no certificate."""
    specs = plan([study("cmaes", functions="1", dimensions="2", instances="1-2", budget=10)])
    before = listening()
    results = DaskBackend(1).run(specs)
    first = next(results)
    ports = listening() - before
    said = {(port, encrypted): answer(port, encrypted=encrypted) for port in ports for encrypted in (False, True)}
    assert isinstance(first, FinishedTrial)
    assert isinstance(next(results), FinishedTrial)
    results.close()
    assert len(ports) == 3  # a scheduler, a worker and its nanny
    assert {words for words in said.values() if not words.startswith(TLS_ALERT)} <= {b""}


def answers(port: int) -> bool:
    """Return whether anything listens at a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def scheduler_with_certificates(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Start a scheduler and a worker as docs/on_a_cluster.md says; give the address and a client's environment."""
    key, certificate = folder / "dask.key", folder / "dask.crt"
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=sacma")
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = {"CA_FILE": str(certificate)}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        tls |= {f"{role}__CERT": str(certificate), f"{role}__KEY": str(key)}
    own = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": path for name, path in tls.items()}
    own["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] = "true"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tls://127.0.0.1:{port}"
    commands = (
        ("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"),
        ("worker", address, "--nthreads", "1", "--no-dashboard", "--death-timeout", "60"),
    )
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments],
            cwd=folder,
            env=environment(HOME=folder, **own),
            **quiet,
        )
        for command, *arguments in commands
    ]
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not answers(port):
            time.sleep(0.02)
        yield address, own
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            process.kill()


def test_a_scheduler_with_certificates(tmp_path: Path) -> None:
    """Who has the files uses it, without a warning; who has not is told which files are meant."""
    arguments = ("run", CONFIGS / "cmaes.yaml", *ONE_TRIAL, "--backend", "dask", "--scheduler")
    with scheduler_with_certificates(tmp_path) as (address, own):
        done = sacma(*arguments, address, cwd=tmp_path, **own)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "all 1 trial" in done.stdout
        with pytest.raises(SacmaError, match="needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE"):
            reach(address)
        open_door = sacma(*arguments, address.replace("tls", "tcp"), "--results", "other", cwd=tmp_path)
        assert open_door.returncode == 2
        assert "is open: whoever can connect to it can run programs as you" in open_door.stderr
        assert "is not a dask scheduler" in open_door.stderr
        assert len(open_door.stderr.splitlines()) == 2


def test_certificates_are_looked_at_first() -> None:
    """What dask's configuration lacks for an address, or forbids, is said before anything is connected to."""
    assert is_open("tcp://h:1")
    assert not is_open("tls://h:1")
    with pytest.raises(SacmaError, match=CERTIFICATES):
        reach("tls://127.0.0.1:1")
    with (
        dask.config.set({"distributed.comm.require-encryption": True}),
        pytest.raises(SacmaError, match="asks for encryption; give an address tls://"),
    ):
        reach("tcp://127.0.0.1:1")
    files = {"distributed.comm.tls.ca-file": "/nowhere", "distributed.comm.tls.client.cert": "/nowhere"}
    with dask.config.set(files), pytest.raises(SacmaError, match="cannot be used"):
        reach("tls://127.0.0.1:1")


@pytest.mark.parametrize("address", ["foo", "tcp://", "http://x:1", "127.0.0.1:8786", "tcp://[::"])
def test_wrong_addresses(address: str) -> None:
    """What is no address is named."""
    with pytest.raises(SacmaError) as error:
        check_address(address)
    assert str(error.value) == f"--scheduler: {address!r} is not an address; give one like tls://host:8786"
