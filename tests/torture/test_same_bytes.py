"""However a study is run, its COCO folders are the same bytes."""

import contextlib
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands import environment, sacma
from tests.conftest import CONFIGS, coco_files

CONFIG_FILES = [CONFIGS / f"{name}.yaml" for name in ("ada_kendall", "cmaes", "sacma")]


@contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers that know no folder but each its own; give the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    commands = {"scheduler": ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]}
    for name in ("one", "two"):
        commands[name] = ["worker", address, "--nthreads", "1", "--no-dashboard", "--death-timeout", "60"]
    processes = []
    try:
        for name, arguments in commands.items():
            (folder / name).mkdir(parents=True)
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
                    cwd=folder / name,
                    env=environment(TMPDIR=folder / name, HOME=folder / name),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            process.kill()


@pytest.mark.parametrize(
    ("protocol", "backends"),
    [
        pytest.param(
            ("--functions", "1,8", "--dimensions", "2,3", "--instances", "1-2", "--budget", 40), ["dask"], id="small"
        ),
        pytest.param(
            ("--functions", "1-24", "--dimensions", "2,5", "--instances", "1-3"),
            ["loky", "dask", "local"],
            id="full",
            marks=pytest.mark.torture,
        ),
    ],
)
def test_same_bytes(tmp_path: Path, protocol: tuple[object, ...], backends: list[str]) -> None:
    """Serial, loky with 2, dask with 2 workers that share no folder, local dask, and 3 shards copied together."""

    def run(name: str, *options: object) -> dict[str, bytes]:
        done = sacma("run", *CONFIG_FILES, *protocol, "--results", name, *options, cwd=tmp_path, process=name == "loky")
        assert done.returncode == 0, done.stderr
        return coco_files(tmp_path / name)

    expected = run("serial", "--backend", "serial")
    assert len(expected) > 10
    if "loky" in backends:
        assert run("loky", "--jobs", 2) == expected
    with dask_cluster(tmp_path / "cluster") as address:
        assert run("dask", "--backend", "dask", "--scheduler", address) == expected
    if "local" in backends:
        assert run("local", "--backend", "dask", "--jobs", 2) == expected

    for shard in (1, 2, 3):
        part = run(f"shard-{shard}", "--shard", f"{shard}/3")
        assert part != expected
    for shard in (1, 2, 3):
        for kind in ("studies", "records"):
            shutil.copytree(tmp_path / f"shard-{shard}" / kind, tmp_path / "together" / kind, dirs_exist_ok=True)
    counts = [len(list((tmp_path / f"shard-{shard}").rglob("*.record"))) for shard in (1, 2, 3)]
    assert sum(counts) == len(list((tmp_path / "serial").rglob("*.record")))
    status = sacma("status", "together", cwd=tmp_path).stdout
    assert "next: sacma postprocess together" in status
    assert "0 to run" in sacma("run", "--results", "together", cwd=tmp_path).stdout
    assert coco_files(tmp_path / "together") == expected
    print(f"\n{sum(counts)} trials, {len(expected)} files: serial = {' = '.join(backends)} = 3 shards {counts}")
