"""Messages after the run of a shard."""

import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sacma.cli.app import app
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.conftest import CONFIGS


def test_what_is_next_is_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands that two shards print bring all trials together in one folder."""
    monkeypatch.chdir(tmp_path)
    small = ("--functions", "1-3", "--dimensions", "2", "--instances", "1-2", "--budget", "5", "--backend", "serial")
    for number in (1, 2):
        shard = ("--shard", f"{number}/2", "--results", f"my shards/{number}")
        done = CliRunner().invoke(app, ["run", str(CONFIGS / "cmaes.yaml"), *small, *shard])
        assert done.exit_code == 0, done.output
        copy, then = done.stdout.strip().rpartition("those of this one: ")[2].split("; then: ")
        subprocess.run(["bash", "-euc", copy], check=True)  # noqa: S607 as it is typed
    program, command, folder = shlex.split(then)
    assert (program, command) == ("sacma", "postprocess")
    ((_, completeness),) = completeness_of_studies(Store(Path(folder)))
    assert completeness.complete
