"""Names of studies in one folder of results."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sacma.cli.app import app
from sacma.cli.console import as_argument
from sacma.cli.interruption import this_command
from sacma.config.study import load_study
from sacma.store.store import Store
from tests.commands import no_workers

SWEEP = """name: a
algorithms:
  - name: a
    algorithm: surrogate-cmaes
grid:
  sampling.sigma0: [0.5, 1]
"""


@pytest.mark.parametrize("command", ["run", "plan"])
def test_names_that_differ_in_case_alone_are_refused_over_two_runs(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As within one call: on some file systems their folders are one. The same name goes on."""
    monkeypatch.chdir(tmp_path)
    for name in ("Z", "z"):
        Path(f"{'large' if name == 'Z' else 'small'}.yaml").write_text(f"name: {name}\nalgorithm: surrogate-cmaes\n")
    Store(Path("results")).register(load_study(Path("large.yaml")))
    small = ("--functions", "1", "--dimensions", "2", "--instances", "1", "--budget", "5")
    refused = CliRunner().invoke(app, [command, "small.yaml", *small])
    assert str(refused.exception).startswith("name z is also that of Z in results, but for upper and lower case")
    assert str(refused.exception).endswith("give each config its own")
    again = CliRunner().invoke(app, ["plan", "large.yaml", *small])
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize("options", [("--plan",), ()])
def test_nor_are_they_allowed_in_sweeps(
    tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep's settings are studies, too."""
    monkeypatch.chdir(tmp_path)
    Path("sweep.yaml").write_text(SWEEP)
    Path("config.yaml").write_text("name: A.0.5\nalgorithm: surrogate-cmaes\n")
    Store(Path("results")).register(load_study(Path("config.yaml")))
    small = ("--functions", "1", "--dimensions", "2", "--instances", "1", "--budget", "25")
    with no_workers():
        refused = CliRunner().invoke(app, ["sweep", "sweep.yaml", *small, *options])
    assert "name a.0.5 is also that of A.0.5 in results" in str(refused.exception)


def test_commands_that_are_named_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is no option, and options come before what follows --."""
    assert as_argument(Path("./-results")) == "./-results"
    assert as_argument(Path("results")) == "results"
    monkeypatch.setattr("sys.argv", ["sacma", "run", "--jobs", "1", "--", "-a b.yaml"])
    assert this_command("--failed-only") == "sacma run --jobs 1 --failed-only -- '-a b.yaml'"
    monkeypatch.setattr("sys.argv", ["sacma", "run", "a.yaml"])
    assert this_command("--failed-only") == "sacma run a.yaml --failed-only"
