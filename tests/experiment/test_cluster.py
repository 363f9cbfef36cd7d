"""Trials on a dask cluster: those that misbehave, certificates, and what is said where there is no scheduler."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.errors import RunError
from sacma.experiment import cluster
from sacma.experiment.cluster import DaskWorkers
from sacma.experiment.workers import results
from tests.commands import sacma
from tests.conftest import CONFIGS, hostile_config, one_line
from tests.processes import dask_cluster

ONE_TRIAL = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)


def test_bad_trials_and_workers_of_another_version(
    tmp_path: Path, study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial that kills its process, and one that takes too long, harm no other; another version ends the run."""
    config = hostile_config(tmp_path, {"f2-d2-i1": "kill", "f3-d2-i2": "loop"})
    options = ("--functions", "1-4", "--trial-timeout", 8, "--retries", 0, "--results", "out", "--scheduler")
    with dask_cluster(tmp_path / "cluster", nanny=True) as address:
        done = sacma("run", config, *options, address, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert len(list((tmp_path / "out").rglob("*.record"))) == 22
        note, *named, _ = done.stderr.splitlines()
        assert "is open: whoever can connect to it can run programs as you" in note
        assert sorted(line.partition(": ")[2] for line in named) == [
            "Hostile on f2, 2-D, instance 1: worker died: its process was ended by SIGKILL (out of memory?) (1 time)",
            "Hostile on f3, 2-D, instance 2: timeout: it took longer than 8 s (1 time)",
        ]
        monkeypatch.setattr(cluster, "__version__", "99")
        specs = plan([study("cmaes", functions="1", dimensions="2", instances="1", budget=5)])
        with (
            DaskWorkers(address) as workers,
            pytest.raises(RunError, match=r"a dask worker cannot run trials of sacma 99 .*it has sacma"),
        ):
            list(results(specs, workers))


def test_a_scheduler_with_certificates(tmp_path: Path) -> None:
    """Who has the files of docs/on_a_cluster.md uses it, without a warning; who has not is refused in a line."""
    key, certificate = tmp_path / "dask.key", tmp_path / "dask.crt"
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=sacma")
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = {"CA_FILE": str(certificate)}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        tls |= {f"{role}__CERT": str(certificate), f"{role}__KEY": str(key)}
    own: dict[str, Any] = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": path for name, path in tls.items()}
    own["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] = "true"
    with dask_cluster(tmp_path / "cluster", "tls", workers=1, **own) as address:
        done = sacma("run", CONFIGS / "cmaes.yaml", *ONE_TRIAL, "--scheduler", address, cwd=tmp_path, **own)
        assert (done.returncode, done.stderr) == (0, "")
        assert "all 1 trial" in done.stdout
        refused = sacma("run", CONFIGS / "gp1.yaml", *ONE_TRIAL, "--scheduler", address, cwd=tmp_path)
        assert refused.returncode == 2
        assert len(refused.stderr.splitlines()) == 1
        assert f"--scheduler: no dask scheduler at {address}" in refused.stderr


@pytest.mark.parametrize("address", ["foo", "tcp://127.0.0.1:9", "http://x:1", "tcp://[::"])
def test_wrong_addresses(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Where there is no scheduler, one line says how to start one."""
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    message = one_line(DaskWorkers(address).__enter__)
    assert message.startswith(f"--scheduler: no dask scheduler at {address} (")
    assert message.endswith("; docs/on_a_cluster.md says how to start one")
