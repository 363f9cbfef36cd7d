"""A backend is one file and one line of the registry."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import sacma
from tests.commands import environment
from tests.conftest import CONFIGS

BACKEND = '''
"""Trials one after the other, the last one first."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from sacma.config.plan import TrialSpec
from sacma.experiment.trial import attempt_trial
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


@dataclass(frozen=True)
class ReversedBackend:
    jobs: int
    trial_timeout: float | None

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        yield from map(attempt_trial, reversed(specs))
'''
LINE = '    "reversed": "sacma.experiment.backends.reversed:ReversedBackend",\n'


def test_one_file_and_one_line(tmp_path: Path) -> None:
    """A run uses it by its name, in the order that it gives; completion and the message of a wrong name list it."""
    package = tmp_path / "src" / "sacma"
    shutil.copytree(Path(sacma.__file__).parent, package)
    backends = package / "experiment" / "backends"
    (backends / "reversed.py").write_text(BACKEND)
    registry = (backends / "__init__.py").read_text()
    first = '    "loky": '
    assert registry.count(first) == 1
    (backends / "__init__.py").write_text(registry.replace(first, LINE + first))

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        small = ("--functions", "1", "--dimensions", "2", "--instances", "1-3", "--budget", "10")
        return subprocess.run(
            [sys.executable, "-m", "sacma", "run", CONFIGS / "cmaes.yaml", *map(str, (*small, *arguments))],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment(PYTHONPATH=package.parent),
        )

    orders = []
    for backend in ("serial", "reversed"):
        done = run("--backend", backend, "--results", backend, "--progress", "json")
        assert done.returncode == 0, done.stderr
        orders.append(
            [event["instance"] for line in done.stdout.splitlines() if "instance" in (event := json.loads(line))]
        )
    assert sorted(orders[0]) == [1, 2, 3]
    assert orders[1] == orders[0][::-1]
    serial, own = (sorted((tmp_path / name / "coco").rglob("*.*dat")) for name in ("serial", "reversed"))
    assert [path.read_bytes() for path in own] == [path.read_bytes() for path in serial]
    assert "allowed: reversed, loky, serial, dask" in run("--backend", "cloud").stderr
