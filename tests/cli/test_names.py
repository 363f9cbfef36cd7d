"""Commands that are named in messages."""

from pathlib import Path

import pytest

from sacma.cli.console import as_argument
from sacma.cli.interruption import this_command


def test_commands_that_are_named_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is no option, and options come before what follows --."""
    assert as_argument(Path("./-results")) == "./-results"
    assert as_argument(Path("results")) == "results"
    monkeypatch.setattr("sys.argv", ["sacma", "run", "--jobs", "1", "--", "-a b.yaml"])
    assert this_command("--failed-only") == "sacma run --jobs 1 --failed-only -- '-a b.yaml'"
    monkeypatch.setattr("sys.argv", ["sacma", "run", "a.yaml"])
    assert this_command("--failed-only") == "sacma run a.yaml --failed-only"
